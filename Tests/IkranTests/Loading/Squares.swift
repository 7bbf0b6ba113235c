import IkranStores
import Support

@testable import Ikran

/// Squares of one shade of grey: which file an image was made from can be seen.
enum Square {
  static func png(_ shade: UInt8, side: Int = 32) throws -> [UInt8] {
    var canvas = try Canvas(size: PixelSize(width: side, height: side), format: .bgrx)
    canvas.withMutableBytes { bytes in
      for index in bytes.indices { bytes[index] = index % 4 == 3 ? 255 : shade }
    }
    return try canvas.finish().encoded(as: .png)
  }

  /// The shade of the pixel in the middle.
  static func shade(_ image: Bitmap?) throws -> UInt8? {
    guard let image else { return nil }
    return try image.straightRGBA()[(image.height / 2 * image.width + image.width / 2) * 4]
  }
}

/// Decodes PNG files once its latch is open, and knows how many decodes wait.
struct LatchedCodec: Codec {
  let latch = ThreadLatch()
  let arrivals = Counter()
  private let decoder = PNGDecoder()

  var format: ImageFormat { decoder.format }

  func recognizes(_ prefix: Span<UInt8>) -> Bool { decoder.recognizes(prefix) }

  func probe(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageInfo { try decoder.probe(bytes) }

  func decode(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture {
    arrivals.add()
    latch.wait()
    return try decoder.decode(bytes, fitting: fitting, rules: rules, workspace: workspace)
  }
}

/// Every file below a folder, by its path.
func files(below folder: String) throws -> [String: [UInt8]] {
  var found: [String: [UInt8]] = [:]
  for name in try Files.list(folder) {
    let path = "\(folder)/\(name)"
    if Files.isDirectory(path) {
      found.merge(try files(below: path)) { first, _ in first }
    } else if Files.exists(path) {
      // Not a link that leads nowhere, as the index of the disk cache has.
      found[path] = try Files.read(path, maximumBytes: 1 << 28)
    }
  }
  return found
}
