import IkranPixels

/// Writes GIF: of each frame the area that changes, with a palette of its own.
///
/// A frame is written when the next one has come: only then it is known which of its pixels become
/// clear, for which the frame has to be disposed of to the background.
final class GIFFrameWriter: FrameWriter {
  private struct Pending {
    var pixels: FramePixels
    /// In hundredths of a second.
    var delay: Int
  }

  private var file: [UInt8]
  /// nil before the first frame is written.
  private var canvas: GIFCanvas?
  private var pending: Pending?
  /// Milliseconds that the delays written so far are too short.
  private var missing = 0

  init(_ size: PixelSize, plays: Int?) {
    file = Array("GIF89a".utf8) + Self.word(size.width) + Self.word(size.height) + [0x70, 0, 0]
    guard plays != 1 else { return }
    // The block's number counts repetitions after the first time; 0 is for ever.
    let repetitions = plays.map { max($0, 2) - 1 } ?? 0
    file += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1] + Self.word(repetitions) + [0]
  }

  /// A file of one picture.
  static func encode(_ bitmap: Bitmap) throws(EncodeError) -> [UInt8] {
    let writer = GIFFrameWriter(bitmap.size, plays: 1)
    writer.pending = Pending(pixels: try FramePixels(bitmap).withoutPartialAlpha(), delay: 0)
    return try writer.finish()
  }

  func add(_ frame: Bitmap, duration: Int) throws(EncodeError) {
    let pixels = try FramePixels(frame).withoutPartialAlpha()
    if let pending = pending.take() { write(pending, next: pixels) }
    pending = Pending(pixels: pixels, delay: nextDelay(duration))
  }

  func finish() throws(EncodeError) -> [UInt8] {
    if let pending = pending.take() { write(pending, next: nil) }
    defer { file = [] }
    return file + [0x3B]
  }

  /// Rounds to hundredths of a second; what is missing is carried to the next frame.
  private func nextDelay(_ duration: Int) -> Int {
    let wanted = min(duration, 0xFFFF * 10) + missing
    let delay = min(max((wanted + 5) / 10, 2), 0xFFFF)
    // A frame that has to be longer than it was takes nothing from later ones.
    missing = min(max(wanted - delay * 10, -5), 5)
    return delay
  }

  private func write(_ frame: Pending, next: FramePixels?) {
    let cleared = next.flatMap { frame.pixels.pixelsCleared(in: $0) }
    // Taken out, so that its pixels have one owner.
    var canvas = self.canvas.take() ?? GIFCanvas(frame.pixels.size)
    let drawn = canvas.draw(frame.pixels, clearing: cleared)
    self.canvas = canvas
    guard let picture = drawn else { return }
    let area = picture.area
    let disposal: UInt8 = cleared == nil ? 1 : 2
    let flags = disposal << 2 | (picture.transparentIndex == nil ? 0 : 1)
    file += [0x21, 0xF9, 4, flags] + Self.word(frame.delay) + [picture.transparentIndex ?? 0, 0]
    // A palette has 2, 4, 8 … 256 colours.
    let bits = max(1, Int.bitWidth - (picture.colorCount - 1).leadingZeroBitCount)
    file += [0x2C] + [area.left, area.top, area.width, area.height].flatMap(Self.word)
    file.append(0x80 | UInt8(bits - 1))
    for color in picture.colors {
      for shift in [0, 8, 16] { file.append(UInt8(truncatingIfNeeded: color >> UInt32(shift))) }
    }
    file += [UInt8](repeating: 0, count: 3 * (1 << bits - picture.colors.count))
    let depth = max(2, bits)
    file.append(UInt8(depth))
    var data = LZWWriter(depth: depth)
    Self.appendBlocks(data.compress(picture.indices), to: &file)
  }

  private static func appendBlocks(_ data: [UInt8], to file: inout [UInt8]) {
    for start in stride(from: 0, to: data.count, by: 255) {
      let block = data[start..<min(start + 255, data.count)]
      file.append(UInt8(block.count))
      file += block
    }
    file.append(0)
  }

  private static func word(_ value: Int) -> [UInt8] {
    let value = min(max(0, value), 0xFFFF)
    return [UInt8(value & 255), UInt8(value >> 8)]
  }
}

extension FramePixels {
  /// The pixels made opaque or clear, whichever is nearer.
  fileprivate consuming func withoutPartialAlpha() -> FramePixels {
    for place in words.indices {
      let word = words[place]
      if word >> 24 == 255 { continue }
      words[place] = word >> 31 == 0 ? 0 : word | 0xFF00_0000
    }
    return self
  }
}
