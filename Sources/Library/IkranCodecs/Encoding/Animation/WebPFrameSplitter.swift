import IkranPixels

/// Divides frames of a WebP file that libwebpmux has joined because they look the same.
///
/// A frame that changes nothing is stored as one clear pixel, blended over the frame before. If
/// that one is disposed of to the background, the last of its repetitions is instead.
struct WebPFrameSplitter {
  private let size: PixelSize
  private let plays: Int
  /// The bodies of frame chunks, by the millisecond at which they begin.
  private var frames: [Int: ArraySlice<UInt8>] = [:]
  /// The chunks of the only picture, when it was not stored as a frame.
  private var still: [UInt8] = []

  /// Reads the chunks of a file.
  init(_ file: [UInt8], _ size: PixelSize, plays: Int?) {
    (self.size, self.plays) = (size, plays ?? 0)
    let bytes = file.span
    var (offset, time) = (12, 0)
    while let length = bytes.littleEndian32(at: offset + 4), length <= file.count - offset - 8 {
      let body = offset + 8..<offset + 8 + length
      let end = min(body.upperBound + length & 1, file.count)
      if bytes.has("ANMF", at: offset) {
        frames[time] = file[body]
        time += Self.number(bytes, at: body.lowerBound + 12)
      } else if ["ALPH", "VP8 ", "VP8L"].contains(where: { bytes.has($0, at: offset) }) {
        still += file[offset..<end]
      }
      offset = end
    }
  }

  /// The number of frames in the file.
  var count: Int { max(1, frames.count) }

  /// A file of a frame for each duration, in milliseconds below 2²⁴.
  func split(_ durations: [Int]) throws(EncodeError) -> [UInt8] {
    var body = Array("WEBP".utf8)
    // The flags of an animation with alpha.
    Self.append("VP8X", [0x12, 0, 0, 0] + Self.dimensions(size), to: &body)
    Self.append("ANIM", [0, 0, 0, 0] + Self.word(plays, bytes: 2), to: &body)
    var time = 0
    /// The area of a frame that is cleared when the next stored one comes.
    var cleared: ArraySlice<UInt8>?
    for duration in durations {
      let isLast = frames[time + duration] != nil
      var frame: [UInt8]
      if time == 0, frames.isEmpty {
        frame = Self.header(size) + still
      } else if let stored = frames[time], stored.count >= 16 {
        frame = Array(stored)
        if !isLast, frame[15] & 1 != 0 {
          frame[15] &= ~1
          cleared = frame[..<12]
        }
      } else {
        frame = try unchanged(isLast ? cleared.take() : nil)
      }
      frame.replaceSubrange(12..<15, with: Self.word(duration, bytes: 3))
      Self.append("ANMF", frame, to: &body)
      time += duration
    }
    guard body.count <= Int(UInt32.max) - 16 else {
      throw .failed(.webp, reason: "the file is longer than 4 GiB")
    }
    return Array("RIFF".utf8) + Self.word(body.count, bytes: 4) + body
  }

  /// A clear frame of one pixel; or of an area, which is then disposed of to the background.
  private func unchanged(_ area: ArraySlice<UInt8>?) throws(EncodeError) -> [UInt8] {
    var header = Self.header(PixelSize(width: 1, height: 1))
    if let area { header.replaceSubrange(..<12, with: area) }
    header[15] = area == nil ? 0 : 1
    let width = Self.number(header.span, at: 6) + 1
    let size = PixelSize(width: width, height: Self.number(header.span, at: 9) + 1)
    let bitmap: Bitmap
    do throws(BitmapError) { bitmap = try Canvas(size: size, format: .bgra).finish() } catch {
      throw .bitmap(error)
    }
    let file = try WebPWriter.encode(bitmap, quality: nil)
    return header + WebPFrameSplitter(file, size, plays: nil).still
  }

  /// The 16 bytes before a picture in the canvas's corner that replaces what is below and stays
  /// (RFC 9649, section 2.7.1.1).
  private static func header(_ size: PixelSize) -> [UInt8] {
    [0, 0, 0, 0, 0, 0] + dimensions(size) + [0, 0, 0, 2]
  }

  private static func dimensions(_ size: PixelSize) -> [UInt8] {
    word(size.width - 1, bytes: 3) + word(size.height - 1, bytes: 3)
  }

  private static func number(_ bytes: Span<UInt8>, at offset: Int) -> Int {
    (0..<3).reduce(0) { $0 | Int(bytes.byte(at: offset + $1) ?? 0) << ($1 * 8) }
  }

  private static func append(_ type: String, _ body: [UInt8], to file: inout [UInt8]) {
    file += Array(type.utf8) + word(body.count, bytes: 4) + body
    if !body.count.isMultiple(of: 2) { file.append(0) }
  }

  private static func word(_ value: Int, bytes: Int) -> [UInt8] {
    (0..<bytes).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }
}
