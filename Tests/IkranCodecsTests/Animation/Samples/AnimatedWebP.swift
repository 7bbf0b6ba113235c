import IkranCodecs
import IkranPixels

/// An animated WebP without loss; frames begin at even positions.
struct AnimatedWebP {
  var size: PixelSize
  var frames: [PlacedFrame]
  /// In milliseconds, for each frame.
  var durations: [Int] = []
  var plays = 0

  /// The bytes of the file.
  func bytes() throws -> [UInt8] {
    var body = Array("WEBP".utf8)
    body += chunk("VP8X", [0x12, 0, 0, 0] + triple(size.width - 1) + triple(size.height - 1))
    body += chunk("ANIM", [0, 0, 0, 0, UInt8(plays & 255), UInt8(plays >> 8)])
    for (index, frame) in frames.enumerated() {
      var header = triple(frame.left / 2) + triple(frame.top / 2)
      header += triple(frame.width - 1) + triple(frame.height - 1)
      header += triple(index < durations.count ? durations[index] : 100)
      header.append((frame.isBlended ? 0 : 2) | (frame.disposal == .clear ? 1 : 0))
      body += chunk("ANMF", header + (try picture(frame)))
    }
    return Array("RIFF".utf8) + word(body.count) + body
  }

  private func word(_ value: Int) -> [UInt8] { [0, 8, 16, 24].map { UInt8(value >> $0 & 255) } }

  private func triple(_ value: Int) -> [UInt8] { Array(word(value)[..<3]) }

  private func chunk(_ type: String, _ body: [UInt8]) -> [UInt8] {
    Array(type.utf8) + word(body.count) + body + (body.count % 2 == 0 ? [] : [0])
  }

  /// The chunk of pixels of a still.
  private func picture(_ frame: PlacedFrame) throws -> [UInt8] {
    let size = PixelSize(width: frame.width, height: frame.height)
    var canvas = try Canvas(size: size, format: .bgra)
    let rowBytes = canvas.bytesPerRow
    canvas.withMutableBytes { bytes in
      for (place, pixel) in frame.pixels.enumerated() {
        let offset = place / frame.width * rowBytes + place % frame.width * 4
        let alpha = Int(pixel.alpha)
        for (channel, value) in [pixel.blue, pixel.green, pixel.red].enumerated() {
          bytes[offset + channel] = UInt8((Int(value) * alpha + 127) / 255)
        }
        bytes[offset + 3] = pixel.alpha
      }
    }
    return Array(try canvas.finish().encoded(as: .webpLossless).dropFirst(12))
  }
}
