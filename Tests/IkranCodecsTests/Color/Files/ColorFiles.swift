import IkranPixels
import TestBasics

@testable import IkranCodecs

/// Files of the test's own pictures, and what says their colours.
enum ColorFiles {
  // MARK: - JPEG

  /// The file with these segments after its first two bytes: the low byte of a marker and what
  /// follows the length.
  static func jpeg(_ file: [UInt8], _ segments: [(marker: UInt8, body: [UInt8])]) -> [UInt8] {
    var result = Array(file[..<2])
    for segment in segments {
      let count = segment.body.count + 2
      result += [0xFF, segment.marker, UInt8(count >> 8), UInt8(count & 255)]
      result += segment.body
    }
    return result + file[2...]
  }

  /// A part of a profile.
  static func part(_ number: Int, of count: Int, _ bytes: some Sequence<UInt8>) -> (
    marker: UInt8, body: [UInt8]
  ) {
    var body = Array("ICC_PROFILE\0".utf8)
    body += [UInt8(number), UInt8(count)]
    body += bytes
    return (0xE2, body)
  }

  /// The file with a profile in so many parts, the last one first.
  static func jpeg(_ file: [UInt8], profile: [UInt8], parts: Int = 1) -> [UInt8] {
    let size = (profile.count + parts - 1) / parts
    let all = (0..<parts).map { index in
      part(index + 1, of: parts, profile.dropFirst(index * size).prefix(size))
    }
    return jpeg(file, all.reversed())
  }

  /// An EXIF block that names a colour space and perhaps an interoperability index.
  static func exif(space: UInt16, index: String? = nil, isBigEndian: Bool) -> [UInt8] {
    func bytes(_ value: Int, _ count: Int) -> [UInt8] {
      let low = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
      return isBigEndian ? low.reversed() : low
    }
    func entry(_ tag: Int, _ type: Int, _ value: [UInt8]) -> [UInt8] {
      var entry = bytes(tag, 2) + bytes(type, 2)
      entry += bytes(value.count == 2 ? 1 : value.count, 4)
      entry += value
      return entry + [UInt8](repeating: 0, count: 4 - value.count)
    }
    func pointer(_ tag: Int, _ offset: Int) -> [UInt8] {
      Array(entry(tag, 4, [])[..<4]) + bytes(1, 4) + bytes(offset, 4)
    }
    var block = Array((isBigEndian ? "MM" : "II").utf8)
    block += bytes(42, 2) + bytes(8, 4)
    block += bytes(1, 2) + pointer(0x8769, 26) + bytes(0, 4)
    let name = index.map { Array($0.utf8) + [0] }
    block += bytes(name == nil ? 1 : 2, 2) + entry(0xA001, 3, bytes(Int(space), 2))
    if name != nil { block += pointer(0xA005, 56) }
    block += bytes(0, 4)
    if let name { block += bytes(1, 2) + entry(1, 2, name) + bytes(0, 4) }
    return block
  }

  // MARK: - Others

  /// The file with these chunks after its header.
  static func png(_ file: [UInt8], _ chunks: [(String, [UInt8])]) -> [UInt8] {
    var result = Array(file[..<33])
    for chunk in chunks { result += PNGSample.chunk(chunk.0, chunk.1) }
    return result + file[33...]
  }

  /// A chunk with a profile.
  static func iCCP(_ profile: [UInt8]) -> (String, [UInt8]) {
    ("iCCP", Array("made\0\0".utf8) + PNGSample.stored(profile))
  }

  static func gAMA(_ gamma: Double) -> (String, [UInt8]) {
    ("gAMA", PNGSample.word(Int(gamma * 100_000)))
  }

  static func cHRM(_ colors: Chromaticities) -> (String, [UInt8]) {
    let points = [colors.white, colors.red, colors.green, colors.blue]
    let values = points.flatMap { [$0.x, $0.y] }
    return ("cHRM", values.flatMap { PNGSample.word(Int($0 * 100_000 + 0.5)) })
  }

  /// The file with these chunks before its picture, as an extended one.
  static func webp(_ file: [UInt8], _ chunks: [(String, [UInt8])], _ size: PixelSize) -> [UInt8] {
    func little(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
      var bytes = Array(name.utf8)
      bytes += little(body.count, 4)
      bytes += body
      if body.count % 2 == 1 { bytes.append(0) }
      return bytes
    }
    let isExtended = file[12..<16].elementsEqual("VP8X".utf8)
    var flags: UInt8 = isExtended ? file[20] : 0
    if !isExtended, file[12..<16].elementsEqual("VP8L".utf8), file[24] & 0x10 != 0 { flags |= 0x10 }
    for (name, _) in chunks { flags |= name == "ICCP" ? 0x20 : name == "EXIF" ? 0x08 : 0 }
    var header: [UInt8] = [flags, 0, 0, 0]
    header += little(size.width - 1, 3)
    header += little(size.height - 1, 3)
    let extra = chunks.flatMap { chunk($0.0, $0.1) }
    var body = Array("WEBP".utf8)
    body += chunk("VP8X", header)
    body += extra
    body += file[(isExtended ? 30 : 12)...]
    var riff = Array("RIFF".utf8)
    riff += little(body.count, 4)
    riff += body
    return riff
  }

  /// The file with a profile before its first picture.
  static func gif(_ file: [UInt8], profile: [UInt8]) -> [UInt8] {
    let colors = file[10] & 0x80 == 0 ? 0 : 3 << (Int(file[10] & 7) + 1)
    var result = Array(file[..<(13 + colors)])
    result += [0x21, 0xFF, 11]
    result += "ICCRGBG1012".utf8
    for start in stride(from: 0, to: profile.count, by: 255) {
      let part = profile.dropFirst(start).prefix(255)
      result.append(UInt8(part.count))
      result += part
    }
    result.append(0)
    return result + file[(13 + colors)...]
  }
}

extension Bitmap {
  /// Blue, green, red and 255 of every pixel without its alpha.
  func opaquePixels() throws -> [UInt8] {
    let straight = try straightRGBA()
    var pixels: [UInt8] = []
    pixels.reserveCapacity(straight.count)
    for start in stride(from: 0, to: straight.count, by: 4) {
      pixels += [straight[start + 2], straight[start + 1], straight[start], 255]
    }
    return pixels
  }

  /// Colours of all kinds that change slowly from pixel to pixel.
  static func colorful(_ size: PixelSize, hasAlpha: Bool = false) throws -> Bitmap {
    var canvas = try Canvas(size: size, format: hasAlpha ? .bgra : .bgrx)
    let stride = canvas.bytesPerRow
    canvas.withMutableBytes { bytes in
      for y in 0..<size.height {
        for x in 0..<size.width {
          let alpha = hasAlpha ? 128 + (x * 7 + y * 3) % 128 : 255
          let colors = [
            x * 255 / max(size.width - 1, 1), y * 255 / max(size.height - 1, 1),
            (x + y) * 255 / (size.width + size.height),
          ]
          let start = y * stride + x * 4
          for (channel, color) in colors.enumerated() {
            bytes[start + channel] = UInt8((color * alpha + 127) / 255)
          }
          bytes[start + 3] = UInt8(alpha)
        }
      }
    }
    return canvas.finish()
  }
}
