import CPeers
import Ikran

/// Bytes of one file to a 96 × 96 square, on one thread.
struct ThumbnailBenchmarks {
  private static let side = 96
  private static let small = PixelSize(width: 400, height: 400)
  private static let large = PixelSize(width: 1024, height: 1024)
  private static let photos: [(name: String, size: PixelSize, encoding: FileEncoding)] = [
    ("png.400-to-96", small, .image(.png)), ("png.1024-to-96", large, .image(.png)),
    ("webp.400-to-96", small, .image(.webp(quality: 80))),
    ("webp.1024-to-96", large, .image(.webp(quality: 80))),
    ("webp.lossless.1024-to-96", large, .image(.webpLossless)),
    ("avif.400-to-96", small, .image(.avif(quality: 60))),
    ("avif.1024-to-96", large, .image(.avif(quality: 60))),
    ("jxl.400-to-96", small, .image(.jpegXL(quality: 85))),
    ("jxl.1024-to-96", large, .image(.jpegXL(quality: 85))),
    ("heic.400-to-96", small, .heic), ("heic.1024-to-96", large, .heic),
    ("bmp.400-to-96", small, .bmp), ("bmp.1024-to-96", large, .bmp),
    ("tiff.400-to-96", small, .tiff), ("tiff.1024-to-96", large, .tiff),
    ("svg.400-to-96", small, .svg), ("svg.1024-to-96", large, .svg),
  ]

  /// Runs the photos whose names begin with `prefix`.
  static func run(prefix: String, into report: inout Report) throws {
    guard photos.contains(where: { $0.name.hasPrefix(prefix) }) else { return }
    let pillow = Pillow()
    for (index, photo) in photos.enumerated() where photo.name.hasPrefix(prefix) {
      let drawn = try Photo.draw(photo.size, seed: UInt32(index + 1))
      let bytes = try photo.encoding.file(drawn)
      report.note("\(photo.name): \(photo.size) in \(bytes.count) bytes; libpng does not scale")
      let contenders = try contenders(photo.name, bytes, pillow)
      report.add(photo.name, try Harness.measure(contenders), unit: "µs", scale: 1e-3)
    }
  }

  private static func contenders(
    _ name: String,
    _ bytes: [UInt8],
    _ pillow: Pillow?
  ) throws -> [Contender] {
    let (codecs, workspace) = (CodecList.standard, Workspace())
    let fitting = Fitting.cover(PixelSize(width: side, height: side))
    var contenders = [
      Contender("Ikran") {
        let decoded = try codecs.decode(bytes.span, fitting: fitting, workspace: workspace).bitmap
        decoded.withBytes { $0.withUnsafeBufferPointer { peers_consume($0.baseAddress) } }
      }
    ]
    if name.hasPrefix("png") {
      contenders.append(
        Contender("libpng") {
          guard peers_png_decode(bytes, bytes.count) else { throw PeerEnded() }
        }
      )
    }
    let format = name.prefix { $0 != "." }
    if let library = peers_format_library(String(format)) {
      contenders.append(
        Contender("\(String(cString: library)), whole") {
          guard peers_format_decode(String(format), bytes, bytes.count, Int32(side)) else {
            throw PeerEnded()
          }
        }
      )
    }
    if peers_vips_load() {
      let version = String(cString: peers_vips_version())
      contenders.append(
        Contender("libvips \(version)") {
          guard peers_vips_thumbnail(bytes, bytes.count, Int32(side)) else { throw PeerEnded() }
        }
      )
    }
    if let pillow, pillow.formats.contains(format == "heic" ? "heif" : String(format)) {
      let file = try TemporaryFile(bytes, name: name)
      contenders.append(
        Contender("Pillow \(pillow.version)") { count in
          try pillow.time(file.path, side: side, count: count)
        }
      )
    }
    return contenders
  }
}
