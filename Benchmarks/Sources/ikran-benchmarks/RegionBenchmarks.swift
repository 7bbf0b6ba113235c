import CPeers
import Glibc
import Ikran

/// Rectangles of JPEG and PNG files, on one thread: one of a photo, and many of a picture of
/// 20,000 × 20,000.
struct RegionBenchmarks {
  private static let names = [
    "region.crop", "region.crop.restarts", "region.pan.jpeg", "region.pan.png",
  ]

  /// Runs the benchmarks whose names begin with `prefix`.
  static func run(prefix: String, into report: inout Report) throws {
    for name in names where name.hasPrefix(prefix) {
      switch name {
      case "region.crop": try crop(name, restartRows: 0, into: &report)
      case "region.crop.restarts": try crop(name, restartRows: 1, into: &report)
      default: try pan(name, isPNG: name.hasSuffix("png"), into: &report)
      }
    }
  }

  // MARK: - One rectangle

  private static func crop(
    _ name: String,
    restartRows: Int32,
    into report: inout Report
  ) throws {
    let photo = try Photo.draw(PixelSize(width: 4_000, height: 3_000), seed: 3)
    let bytes = try tiled(photo, 1, isPNG: false, restartRows: restartRows)
    let region = PixelRectangle(x: 1_801, y: 1_203, width: 512, height: 512)
    report.note("\(name): \(region) of \(photo.size) in \(bytes.count) bytes")
    let workspace = Workspace()
    let contenders = [
      alone(bytes, region, workspace, name: "Ikran"),
      Contender("Ikran, decoded whole") {
        let whole = try CodecList.standard.decode(bytes.span, workspace: workspace).bitmap
        consume(try whole.resampled(.region(region, region.size)))
      },
      libjpeg(bytes) { region },
    ]
    report.add(name, try Harness.measure(contenders), unit: "ms", scale: 1e-6)
  }

  // MARK: - Many rectangles

  private static func pan(_ name: String, isPNG: Bool, into report: inout Report) throws {
    let side = 20_000
    let photo = try Photo.draw(PixelSize(width: 2_500, height: 2_500), seed: 1)
    let bytes = try tiled(isPNG ? posterized(photo) : photo, 8, isPNG: isPNG, restartRows: 0)
    report.note("\(name): 512×512 of \(side)×\(side) in \(bytes.count) bytes")
    _ = peers_reset_peak()
    let before = peers_peak()
    let workspace = Workspace()
    let whole = PixelRectangle(x: 0, y: 0, width: side, height: side)
    let began = peers_nanoseconds()
    var decoder = try RegionDecoder(bytes.span)
    consume(
      try decoder.decode(
        whole,
        of: bytes.span,
        size: PixelSize(width: 512, height: 512),
        workspace: workspace
      )
    )
    let overview = Double(peers_nanoseconds() - began)
    // Low enough that most of the file lies above.
    let path = (0..<16).map { step in
      let (x, y) = (step * 7_919 % (side - 512), side * 3 / 4 + step * 277)
      return PixelRectangle(x: x, y: y, width: 512, height: 512)
    }
    for region in path {
      consume(try decoder.decode(region, of: bytes.span, workspace: workspace))
    }
    report.add("\(name).overview", value: overview * 1e-6, unit: "ms")
    report.add("\(name).memory", value: Double(peers_peak() - before) / 1_048_576, unit: "MB")
    var (step, other) = (0, 0)
    var contenders = [
      Contender("Ikran") {
        step += 1
        let region = path[step % path.count]
        consume(try decoder.decode(region, of: bytes.span, workspace: workspace))
      },
      Contender("Ikran, no index") {
        step += 1
        let fitting = Fitting.region(path[step % path.count], PixelSize(width: 512, height: 512))
        consume(
          try CodecList.standard.decode(bytes.span, fitting: fitting, workspace: workspace).bitmap
        )
      },
    ]
    if !isPNG {
      contenders.append(
        libjpeg(bytes) {
          other += 1
          return path[other % path.count]
        }
      )
    }
    report.add(name, try Harness.measure(contenders, samples: 7), unit: "ms", scale: 1e-6)
  }

  // MARK: - Contenders

  private static func alone(
    _ bytes: [UInt8],
    _ region: PixelRectangle,
    _ workspace: Workspace,
    name: String
  ) -> Contender {
    Contender(name) {
      let fitting = Fitting.region(region, region.size)
      consume(
        try CodecList.standard.decode(bytes.span, fitting: fitting, workspace: workspace).bitmap
      )
    }
  }

  private static func libjpeg(
    _ bytes: [UInt8],
    _ region: @escaping () -> PixelRectangle
  ) -> Contender {
    Contender("C libjpeg-turbo") {
      let region = region()
      let (left, top) = (Int32(region.x), Int32(region.y))
      let (width, height) = (Int32(region.size.width), Int32(region.size.height))
      guard peers_jpeg_region(bytes, bytes.count, left, top, width, height) else {
        throw PeerEnded()
      }
    }
  }

  private static func consume(_ picture: Bitmap) {
    picture.withBytes { $0.withUnsafeBufferPointer { peers_consume($0.baseAddress) } }
  }

  // MARK: - Files

  private static func tiled(
    _ photo: Bitmap,
    _ count: Int32,
    isPNG: Bool,
    restartRows: Int32
  ) throws -> [UInt8] {
    var length = 0
    let (width, height) = (Int32(photo.width), Int32(photo.height))
    let file = photo.withBytes { pixels in
      pixels.withUnsafeBufferPointer { pixels -> UnsafeMutablePointer<UInt8>? in
        guard let start = pixels.baseAddress else { return nil }
        let stride = photo.bytesPerRow
        return isPNG
          ? peers_png_tiled(start, stride, width, height, count, count, &length)
          : peers_jpeg_tiled(
            start,
            stride,
            width,
            height,
            count,
            count,
            restartRows,
            &length
          )
      }
    }
    guard let file else { throw PeerEnded() }
    defer { free(file) }
    return Array(UnsafeBufferPointer(start: file, count: length))
  }

  /// Eight levels of each colour, as in a map or a drawing: a PNG of a photo would be over the limit of
  /// bytes.
  private static func posterized(_ photo: Bitmap) throws -> Bitmap {
    var canvas = try Canvas(size: photo.size, format: .bgrx)
    let stride = canvas.bytesPerRow
    for y in 0..<photo.height {
      photo.withRow(y) { row in
        canvas.withMutableBytes { bytes in
          for index in 0..<photo.width * 4 { bytes[y * stride + index] = row[index] & 0xE0 }
        }
      }
    }
    return canvas.finish()
  }
}
