import IkranPixels

/// The chunks of an animated WebP, parsed without decompression.
struct WebPFrameList {
  /// Frames whose chunks are all there.
  private(set) var frames: [WebPFrameHeader] = []
  /// How often the animation plays, 0 = forever.
  private(set) var plays = 0
  /// What is wrong after the last frame; nil when the bytes just end.
  private(set) var fault: DecodeError?
  /// Whether all bytes of the file are there.
  private(set) var isComplete = false

  /// Parses the chunks in `bytes`, up to the frame that makes `limit`.
  init(_ bytes: Span<UInt8>, on canvas: PixelSize, atMost limit: Int = .max) {
    // A wrong RIFF size is ignored; a valid one excludes bytes after the file.
    let declared = (bytes.littleEndian32(at: 4) ?? 0) + 8
    let end = declared > 30 ? min(declared, bytes.count) : bytes.count
    var offset = 12
    do throws(DecodeError) {
      while frames.count < limit, offset + 8 <= end,
        let length = bytes.littleEndian32(at: offset + 4)
      {
        let body = offset + 8..<offset + 8 + length
        guard body.upperBound <= end else { break }
        if bytes.has("ANMF", at: offset) {
          frames.append(try WebPFrameHeader(bytes, body, on: canvas))
        } else if bytes.has("ANIM", at: offset) {
          plays = bytes.littleEndian16(at: offset + 12) ?? 0
        }
        offset = body.upperBound + length & 1
      }
      isComplete = bytes.count >= declared || offset >= declared
    } catch { fault = error }
  }
}
