import IkranPixels

/// Writes animated PNG: the area of each frame that changes, compressed as a still.
final class PNGFrameWriter: FrameWriter {
  /// The most bytes of data in a chunk: a chunk's length has 31 bits.
  private static let longestChunk = 1 << 30

  private let size: PixelSize
  private let plays: Int?
  private let hasAlpha: Bool
  private var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  /// Where the chunk with the number of frames is, which is known at the end.
  private var countOffset = 0
  private var previous: FramePixels?
  private var frames: UInt32 = 0
  private var sequence: UInt32 = 0

  init(_ size: PixelSize, plays: Int?, hasAlpha: Bool) {
    (self.size, self.plays, self.hasAlpha) = (size, plays, hasAlpha)
    let header = [UInt8](bigEndian: UInt32(size.width)) + [UInt8](bigEndian: UInt32(size.height))
    file.appendChunk("IHDR", header + [8, hasAlpha ? 6 : 2, 0, 0, 0])
    countOffset = file.count
    appendCount(to: &file)
  }

  private var channels: Int { hasAlpha ? 4 : 3 }

  func add(_ frame: Bitmap, duration: Int) throws(EncodeError) {
    let pixels = try FramePixels(hasAlpha ? frame : opaque(frame))
    let first = FrameArea(left: 0, top: 0, size: PixelSize(width: 1, height: 1), on: size)
    let changed = previous == nil ? pixels.area : previous?.difference(from: pixels) ?? first
    guard let area = changed else { throw .bitmap(.invalidSize(size)) }
    var data = try compressed(pixels.bytes(of: area, channels: channels), area)
    var isBlended = false
    if let previous, let sparse = pixels.changes(from: previous, in: area), hasAlpha {
      let other = try compressed(sparse, area)
      if other.count < data.count { (data, isBlended) = (other, true) }
    }
    appendControl(area, duration, isBlended: isBlended)
    appendData(data)
    previous = pixels
    frames += 1
  }

  func finish() throws(EncodeError) -> [UInt8] {
    var count: [UInt8] = []
    appendCount(to: &count)
    file.replaceSubrange(countOffset..<countOffset + count.count, with: count)
    file.appendChunk("IEND", [])
    defer { file = [] }
    return file
  }

  private func appendCount(to bytes: inout [UInt8]) {
    let plays = UInt32(min(plays ?? 0, 0x7FFF_FFFF))
    bytes.appendChunk("acTL", [UInt8](bigEndian: frames) + [UInt8](bigEndian: plays))
  }

  private func opaque(_ frame: Bitmap) throws(EncodeError) -> Bitmap {
    guard frame.format.hasAlpha else { return frame }
    do throws(BitmapError) { return try frame.converted(to: .bgrx) } catch { throw .bitmap(error) }
  }

  /// The compressed rows of a picture: what its data chunks store.
  private func compressed(_ pixels: [UInt8], _ area: FrameArea) throws(EncodeError) -> [UInt8] {
    let size = PixelSize(width: area.width, height: area.height)
    let still = try PNGWriterHandle.write(pixels, size, channels: channels)
    let bytes = still.span
    var data: [UInt8] = []
    data.reserveCapacity(still.count)
    var offset = 8
    while let length = bytes.bigEndian32(at: offset), length <= still.count - offset - 12 {
      let body = offset + 8..<offset + 8 + length
      if bytes.has("IDAT", at: offset + 4) { data += still[body] }
      offset = body.upperBound + 4
    }
    return data
  }

  /// The frame's control chunk: it stays, and replaces what is below unless it is blended.
  private func appendControl(_ area: FrameArea, _ duration: Int, isBlended: Bool) {
    let (numerator, denominator) = Self.fraction(duration)
    let numbers = [area.width, area.height, area.left, area.top].flatMap {
      [UInt8](bigEndian: UInt32($0))
    }
    let delay = [numerator, denominator].flatMap { [UInt8](bigEndian: UInt32($0))[2...] }
    let flags: [UInt8] = [0, isBlended ? 1 : 0]
    file.appendChunk("fcTL", nextNumber() + numbers + delay + flags)
  }

  private func appendData(_ data: [UInt8]) {
    for start in stride(from: 0, to: data.count, by: Self.longestChunk) {
      let part = data[start..<min(start + Self.longestChunk, data.count)]
      if frames == 0 {
        file.appendChunk("IDAT", part)
      } else {
        file.appendChunk("fdAT", nextNumber() + part)
      }
    }
  }

  /// Milliseconds as a fraction of seconds of two 16-bit numbers: exact below 65.536 s.
  private static func fraction(_ duration: Int) -> (Int, Int) {
    if duration <= 0xFFFF { return (duration, 1_000) }
    let hundredths = duration / 10
    return hundredths <= 0xFFFF ? (hundredths, 100) : (min(duration / 1_000, 0xFFFF), 1)
  }

  private func nextNumber() -> [UInt8] {
    defer { sequence += 1 }
    return [UInt8](bigEndian: sequence)
  }
}

extension FramePixels {
  /// The bytes of an area whose unchanged pixels are clear, to be blended over `previous`.
  ///
  /// nil when blending would not give these pixels, or leave out next to none.
  fileprivate func changes(from previous: FramePixels, in area: FrameArea) -> [UInt8]? {
    var sparse = self
    var unchanged = 0
    for y in area.top..<area.top + area.height {
      let row = y * size.width
      for place in row + area.left..<row + area.left + area.width {
        if words[place] == previous.words[place] {
          sparse.words[place] = 0
          unchanged += 1
        } else if words[place] >> 24 != 255 {
          return nil
        }
      }
    }
    guard unchanged > area.width * area.height / 16 else { return nil }
    return sparse.bytes(of: area, channels: 4)
  }
}
