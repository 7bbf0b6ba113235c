import CPeers
import Ikran

/// A photo of 1024 × 1024 pixels with a profile of Display P3, and without, on one thread.
struct ColorBenchmarks {
  private static let size = PixelSize(width: 1024, height: 1024)
  private static let thumbnail = Fitting.cover(PixelSize(width: 96, height: 96))
  private static let names = ["color.p3.1024-to-96", "color.p3.1024", "color.p3.convert"]

  /// Runs the rows whose names begin with `prefix`.
  static func run(prefix: String, into report: inout Report) throws {
    guard names.contains(where: { $0.hasPrefix(prefix) }) else { return }
    let plain = try Photo.draw(size, seed: 2).encoded(as: .jpeg(quality: 85))
    let managed = try withProfile(plain)
    report.note("color: \(size) in \(managed.count) bytes, the profile's included")
    if names[0].hasPrefix(prefix) {
      var contenders = [
        ikran("Ikran", managed, thumbnail), ikran("without profile", plain, thumbnail),
        ikran("untouched", managed, thumbnail, colors: .untouched),
      ]
      contenders += vips(managed, side: 96)
      report.add(names[0], try Harness.measure(contenders), unit: "µs", scale: 1e-3)
    }
    guard names[1...].contains(where: { $0.hasPrefix(prefix) }) else { return }
    let version = Double(peers_lcms_version()) / 1000
    var contenders = [
      ikran("Ikran", managed, .original), ikran("without profile", plain, .original),
      Contender("libjpeg-turbo, LittleCMS \(version)") {
        guard peers_lcms_decode(managed, managed.count) else { throw PeerEnded() }
      },
    ]
    contenders += vips(managed, side: size.width)
    let times = try Harness.measure(contenders, samples: 15)
    report.add(names[1], times, unit: "ms", scale: 1e-6)
    try compareConversion(times[0].median - times[1].median, version, into: &report)
  }

  /// What the profile costs, and LittleCMS's loop on as many pixels.
  private static func compareConversion(
    _ ours: Double,
    _ version: Double,
    into report: inout Report
  ) throws {
    var pixels = [UInt8](repeating: 0, count: size.width * size.height * 4)
    try Photo.draw(size, seed: 2).withBytes { bytes in
      for index in bytes.indices { pixels[index] = bytes[index] }
    }
    let theirs = try Harness.measure(
      [
        Contender("LittleCMS") {
          guard peers_lcms_convert(&pixels, pixels.count / 4) else { throw PeerEnded() }
        }
      ],
      samples: 15
    )
    guard ours > 0 else { return report.note("color.p3.convert: no difference to measure") }
    report.add(
      names[2],
      value: ours * 1e-6,
      unit: "ms",
      peer: "LittleCMS \(version)",
      ratio: theirs[0].median / ours
    )
  }

  private static func ikran(
    _ name: String,
    _ bytes: [UInt8],
    _ fitting: Fitting,
    colors: ColorHandling = .sRGB
  ) -> Contender {
    let (codecs, workspace) = (CodecList.standard, Workspace())
    let rules = DecodeRules(colors: colors)
    return Contender(name) {
      let decoded = try codecs.decode(
        bytes.span,
        fitting: fitting,
        rules: rules,
        workspace: workspace
      )
      decoded.bitmap.withBytes { $0.withUnsafeBufferPointer { peers_consume($0.baseAddress) } }
    }
  }

  private static func vips(_ bytes: [UInt8], side: Int) -> [Contender] {
    guard peers_vips_load() else { return [] }
    let version = String(cString: peers_vips_version())
    return [
      Contender("libvips \(version)") {
        guard peers_vips_color(bytes, bytes.count, Int32(side)) else { throw PeerEnded() }
      }
    ]
  }

  /// The file with a profile in an APP2 segment after its first marker (ICC.1:2010, B.4).
  private static func withProfile(_ file: [UInt8]) throws(PeerEnded) -> [UInt8] {
    var profile = [UInt8](repeating: 0, count: 4096)
    let count = peers_color_profile(&profile, profile.count)
    guard count > 0 else { throw PeerEnded() }
    let body = Array("ICC_PROFILE\0".utf8) + [1, 1] + profile[..<count]
    let length = body.count + 2
    let segment = [0xFF, 0xE2, UInt8(length >> 8), UInt8(length & 255)] + body
    return file[..<2] + segment + file[2...]
  }
}
