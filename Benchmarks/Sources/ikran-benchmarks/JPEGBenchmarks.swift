import CPeers
import Glibc
import Ikran

/// JPEG bytes to a 96 × 96 square with rounded corners, on one thread.
struct JPEGBenchmarks {
  private static let side = 96
  private static let radius = 12.0
  private static let photos: [(name: String, size: PixelSize)] = [
    ("jpeg.400-to-96", PixelSize(width: 400, height: 400)),
    ("jpeg.1024-to-96", PixelSize(width: 1024, height: 1024)),
    ("jpeg.12mp-to-96", PixelSize(width: 4000, height: 3000)),
    ("jpeg.progressive.400-to-96", PixelSize(width: 400, height: 400)),
    ("jpeg.progressive.1024-to-96", PixelSize(width: 1024, height: 1024)),
    ("jpeg.progressive.12mp-to-96", PixelSize(width: 4000, height: 3000)),
  ]

  /// Runs the photos whose names begin with `prefix`.
  static func run(prefix: String, into report: inout Report) throws {
    guard photos.contains(where: { $0.name.hasPrefix(prefix) }) else { return }
    let pillow = Pillow()
    if !peers_vips_load() { report.note("libvips is not installed: not compared") }
    if pillow == nil { report.note("Pillow is not installed: not compared") }
    for (index, photo) in photos.enumerated() where photo.name.hasPrefix(prefix) {
      let drawn = try Photo.draw(photo.size, seed: UInt32(index % 3 + 1))
      var bytes = try drawn.encoded(as: .jpeg(quality: 85))
      if photo.name.hasPrefix("jpeg.progressive.") { bytes = try progressive(bytes) }
      report.note("\(photo.name): \(photo.size) in \(bytes.count) bytes")
      try run(photo.name, bytes, pillow, into: &report)
    }
  }

  /// The same picture with progressive scans.
  static func progressive(_ bytes: [UInt8]) throws(PeerEnded) -> [UInt8] {
    var count = 0
    guard let file = peers_jpeg_progressive(bytes, bytes.count, &count) else { throw PeerEnded() }
    defer { free(file) }
    return Array(UnsafeBufferPointer(start: file, count: count))
  }

  private static func run(
    _ name: String,
    _ bytes: [UInt8],
    _ pillow: Pillow?,
    into report: inout Report
  ) throws {
    let reference = Reference.square(try CodecList.standard.decode(bytes.span).bitmap, side: side)
    var contenders = [Contender("Ikran", job: try ikran(bytes))]
    contenders.append(Contender("C libjpeg-turbo", job: try conventional(bytes)))
    if peers_vips_load() {
      let version = String(cString: peers_vips_version())
      contenders.append(Contender("libvips \(version)", job: vips(bytes)))
    }
    if let pillow {
      let file = try TemporaryFile(bytes, name: name)
      contenders.append(
        Contender("Pillow \(pillow.version)") { count in
          try pillow.time(file.path, side: side, count: count)
        }
      )
    }
    report.add(name, try Harness.measure(contenders), unit: "µs", scale: 1e-3)
    let ours = try CodecList.standard.decode(
      bytes.span,
      fitting: .cover(PixelSize(width: side, height: side))
    ).bitmap
    let quality = Reference.peakSignalToNoise(ours, reference)
    let peerQuality = try conventionalQuality(bytes, reference)
    report.add(
      "\(name).psnr",
      value: quality,
      unit: "dB",
      peer: "C libjpeg-turbo",
      ratio: quality / peerQuality
    )
  }

  /// Decode at the size that is needed, then the corners: what the pipeline does for each miss.
  private static func ikran(_ bytes: [UInt8]) throws -> () throws -> Void {
    let style = Style.rounded(width: Double(side), height: Double(side), cornerRadius: radius)
    let fitting = try style.fitting(scale: 1)
    let workspace = Workspace()
    let codecs = CodecList.standard
    return {
      let decoded = try codecs.decode(bytes.span, fitting: fitting, workspace: workspace).bitmap
      let styled = try style.applyFiltersAndEdges(decoded, scale: 1, workspace: workspace)
      styled.withBytes { $0.withUnsafeBufferPointer { peers_consume($0.baseAddress) } }
    }
  }

  private static func conventional(_ bytes: [UInt8]) throws -> () throws -> Void {
    let peer = try ConventionalPeer()
    return { try peer.thumbnail(bytes, side: side, radius: radius) }
  }

  private static func conventionalQuality(
    _ bytes: [UInt8],
    _ reference: [Double]
  ) throws -> Double {
    let peer = try ConventionalPeer()
    try peer.thumbnail(bytes, side: side, radius: -1)
    return Reference.peakSignalToNoise(try peer.bitmap(side: side), reference)
  }

  private static func vips(_ bytes: [UInt8]) -> () throws -> Void {
    { guard peers_vips_thumbnail(bytes, bytes.count, Int32(side)) else { throw PeerEnded() } }
  }
}

/// The thumbnailer in C with the memory it reuses.
private final class ConventionalPeer {
  private let handle: OpaquePointer
  private var pixels: [UInt8] = []

  init() throws(PeerEnded) {
    guard let handle = peers_jpeg_create() else { throw PeerEnded() }
    self.handle = handle
  }

  deinit { peers_jpeg_destroy(handle) }

  func thumbnail(_ bytes: [UInt8], side: Int, radius: Double) throws(PeerEnded) {
    if pixels.count != side * side * 4 { pixels = Array(repeating: 0, count: side * side * 4) }
    let done = peers_jpeg_thumbnail(
      handle,
      bytes,
      bytes.count,
      Int32(side),
      2,
      radius,
      &pixels
    )
    guard done else { throw PeerEnded() }
  }

  func bitmap(side: Int) throws(BitmapError) -> Bitmap {
    var canvas = try Canvas(size: PixelSize(width: side, height: side), format: .bgrx)
    let stride = canvas.bytesPerRow
    canvas.withMutableBytes { bytes in
      for y in 0..<side {
        for x in 0..<side * 4 { bytes[y * stride + x] = pixels[y * side * 4 + x] }
      }
    }
    return canvas.finish()
  }
}

/// Pillow in a Python process that times itself.
final class Pillow {
  let version: String
  /// The formats that it reads, with the plugins that are installed, by its names.
  let formats: Set<String>
  private let child: Child

  init?() {
    let script = "Peers/pillow.py"
    for python in ["python3", "/usr/bin/python3"] {
      guard let child = Child([python, script]), let version = child.ask("version")?.first,
        let formats = child.ask("formats")
      else { continue }
      self.formats = Set(formats.map { String($0) })
      self.child = child
      self.version = version
      return
    }
    return nil
  }

  func time(_ path: String, side: Int, count: Int) throws(PeerEnded) -> Double {
    guard let time = try child.numbers("\(path)\t\(side)\t\(count)").first else {
      throw PeerEnded()
    }
    return time
  }
}

/// A file that lives as long as this object.
final class TemporaryFile {
  let path: String

  init(_ bytes: [UInt8], name: String) throws(PeerEnded) {
    path = "/tmp/ikran-\(getpid())-\(name)"
    guard let file = fopen(path, "w") else { throw PeerEnded() }
    defer { fclose(file) }
    guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw PeerEnded() }
  }

  deinit { unlink(path) }
}
