import FoundationEssentials
import Ikran

extension ImageFormat {
  static let farbfeld = ImageFormat(rawValue: "farbfeld")
}

/// Reads farbfeld files: eight letters, width and height, then 16 bits for each of red, green, blue
/// and alpha, all of them big-endian.
struct FarbfeldCodec: Codec {
  private static let signature = Array("farbfeld".utf8)
  private static let headerCount = 16

  let format = ImageFormat.farbfeld

  func recognizes(_ prefix: Span<UInt8>) -> Bool {
    prefix.count >= 8 && Self.signature.indices.allSatisfy { prefix[$0] == Self.signature[$0] }
  }

  func probe(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageInfo {
    guard bytes.count >= Self.headerCount else { throw .truncated(format, offset: bytes.count) }
    let size = PixelSize(width: number(bytes, at: 8), height: number(bytes, at: 12))
    guard size.width > 0, size.height > 0 else {
      throw .malformed(format, offset: 8, reason: "a side of no pixels")
    }
    var info = ImageInfo(format: format, size: size)
    info.hasAlpha = true
    info.bitsPerChannel = 16
    return info
  }

  func decode(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture {
    let size = try probe(bytes).size
    // What the header says is checked before it is multiplied, and long before memory is allocated.
    let (count, overflow) = size.width.multipliedReportingOverflow(by: size.height)
    guard !overflow, count <= rules.limits.maximumPixels else {
      let value = overflow ? Int.max : count
      throw .overLimit(.pixels, value: value, limit: rules.limits.maximumPixels)
    }
    guard bytes.count >= Self.headerCount + 8 * count else {
      throw .truncated(format, offset: bytes.count)
    }
    do throws(BitmapError) {
      let picture = try pixels(bytes, size).resampled(fitting, workspace: workspace)
      return DecodedPicture(bitmap: picture)
    } catch {
      throw .bitmap(error)
    }
  }

  /// The whole picture, with premultiplied alpha.
  private func pixels(_ bytes: Span<UInt8>, _ size: PixelSize) throws(BitmapError) -> Bitmap {
    var canvas = try Canvas(size: size, format: .bgra)
    let bytesPerRow = canvas.bytesPerRow
    canvas.withMutableBytes { pixels in
      for y in 0..<size.height {
        for x in 0..<size.width {
          let source = Self.headerCount + 8 * (y * size.width + x)
          let target = y * bytesPerRow + 4 * x
          let alpha = Int(bytes[source + 6])
          for (channel, offset) in [(4, 0), (2, 1), (0, 2)] {
            pixels[target + offset] = UInt8((Int(bytes[source + channel]) * alpha + 127) / 255)
          }
          pixels[target + 3] = UInt8(alpha)
        }
      }
    }
    return canvas.finish()
  }

  private func number(_ bytes: Span<UInt8>, at offset: Int) -> Int {
    (0..<4).reduce(0) { $0 << 8 | Int(bytes[offset + $1]) }
  }
}

@main
enum Farbfeld {
  /// Writes a picture, of this format or any other, as a PNG file: `Farbfeld URL FILE`.
  static func main() async {
    let words = CommandLine.arguments
    guard words.count == 3, let url = URL(string: words[1]) else {
      return print("usage: Farbfeld URL FILE")
    }
    var codecs = CodecList.standard
    codecs.codecs.append(FarbfeldCodec())
    let pipeline = ImagePipeline(codecs: codecs)
    do {
      let image = try await pipeline.image(from: url, style: .fit(width: 256, height: 256))
      try Data(image.encoded(as: .png)).write(to: URL(filePath: words[2]))
    } catch {
      print("\(error)")
    }
  }
}
