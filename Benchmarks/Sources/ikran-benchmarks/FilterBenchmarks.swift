import CPeers
import Glibc
import Ikran

/// Filters of a photo of 1024 × 1024 pixels, on one thread.
///
/// The bitmap is not shared, as in the pipeline: filters of single pixels change it in place.
struct FilterBenchmarks {
  private static let side = 1024
  /// The names of the peers' filters, and ours.
  private static let rows: [(name: String, filters: [Filter])] = [
    ("brightness", [.brightness(0.1)]), ("contrast", [.contrast(1.2)]), ("gamma", [.gamma(0.8)]),
    ("posterize", [.posterize(levels: 7)]), ("saturation", [.saturation(0.5)]),
    ("grayed", [.grayed()]), ("sepia", [.sepia()]), ("vibrance", [.vibrance(0.5)]),
    ("vignette", [.vignette()]), ("whiteBalance", [.whiteBalance(5555)]),
    ("chain5", chain), ("blur1", [.blur(radius: 1)]), ("blur10", [.blur(radius: 10)]),
    ("blur100", [.blur(radius: 100)]), ("mean10", [.meanBlur(radius: 10)]),
    ("sharpen", [.sharpen(1)]), ("soulOut", [.soulOut(0.75)]), ("storyboard", [.storyboard(2)]),
  ]
  private static let chain: [Filter] = [
    .brightness(0.05), .contrast(1.1), .saturation(0.8), .temperature(0.2), .sepia(0.3),
  ]

  /// Runs the filters whose rows begin with `prefix`.
  static func run(prefix: String, into report: inout Report) throws {
    let names = (rows.map(\.name) + ["lookup", "chain5.single"]).map { "filter.\($0)" }
    guard names.contains(where: { $0.hasPrefix(prefix) }) else { return }
    let photo = try Photo.draw(PixelSize(width: side, height: side), seed: 9)
    let pillow = try PillowFilters(photo)
    if pillow == nil { report.note("Pillow is not installed: filters are not compared with it") }
    var wanted = rows
    wanted.append(("lookup", [.lookup(try table())]))
    for row in wanted where "filter.\(row.name)".hasPrefix(prefix) {
      try run(row.name, photo, row.filters, pillow, into: &report)
    }
    if "filter.chain5.single".hasPrefix(prefix) {
      let contenders = [
        ours(photo, [chain]), ours(photo, chain.map { [$0] }, name: "five passes"),
      ]
      let times = try Harness.measure(contenders, samples: 15)
      report.add("filter.chain5.single", times, unit: "ms", scale: 1e-6)
    }
  }

  private static func run(
    _ name: String,
    _ photo: Bitmap,
    _ filters: [Filter],
    _ pillow: PillowFilters?,
    into report: inout Report
  ) throws {
    var contenders = [ours(photo, [filters])]
    let rgb = photo.rgb
    if peers_vips_filter(name, rgb, Int32(side), Int32(side)) {
      let version = String(cString: peers_vips_version())
      contenders.append(
        Contender("libvips \(version)") {
          guard peers_vips_filter(name, rgb, Int32(side), Int32(side)) else { throw PeerEnded() }
        }
      )
    }
    if let pillow, pillow.names.contains(name) {
      contenders.append(
        Contender("Pillow \(pillow.version)") { count in try pillow.time(name, count: count) }
      )
    }
    let times = try Harness.measure(contenders, samples: 15)
    report.add("filter.\(name)", times, unit: "ms", scale: 1e-6)
  }

  /// Chains one after the other, each in passes of its own.
  private static func ours(
    _ photo: Bitmap,
    _ chains: [[Filter]],
    name: String = "Ikran"
  ) -> Contender {
    let styles = chains.map { Style.original.filtered($0) }
    let workspace = Workspace()
    var picture: Bitmap? = photo
    return Contender(name) {
      for style in styles {
        guard let taken = picture.take() else { throw PeerEnded() }
        picture = try style.applyFiltersAndEdges(consume taken, scale: 1, workspace: workspace)
      }
      picture?.withBytes { $0.withUnsafeBufferPointer { peers_consume($0.baseAddress) } }
    }
  }

  /// Channels in another order, as a cube of 64 colours a side.
  private static func table() throws -> LookupTable {
    var text = "LUT_3D_SIZE 64\n"
    for blue in 0..<64 {
      for green in 0..<64 {
        for red in 0..<64 {
          text += "\(Double(blue) / 63) \(Double(red) / 63) \(Double(green) / 63)\n"
        }
      }
    }
    return try LookupTable(cube: text.utf8)
  }
}

/// Filters of Pillow in a Python process that times itself.
private final class PillowFilters {
  let version: String
  let names: Set<String>
  private let child: Child

  /// Sends a photo; nil without Pillow.
  init?(_ photo: Bitmap) throws {
    let pythons = ["python3", "/usr/bin/python3"]
    for python in pythons {
      guard let child = Child([python, "Peers/filters.py"]),
        let version = child.ask("version")?.first
      else { continue }
      let path = "/tmp/ikran-\(getpid())-filters.rgb"
      guard let file = fopen(path, "w") else { throw PeerEnded() }
      defer { unlink(path) }
      let bytes = photo.rgb
      let isWritten = fwrite(bytes, 1, bytes.count, file) == bytes.count
      guard fclose(file) == 0, isWritten,
        let names = child.ask("\(path)\t\(photo.width)\t\(photo.height)")
      else { throw PeerEnded() }
      (self.version, self.names, self.child) = (version, Set(names), child)
      return
    }
    return nil
  }

  func time(_ name: String, count: Int) throws(PeerEnded) -> Double {
    guard let time = try child.numbers("\(name)\t\(count)").first else { throw PeerEnded() }
    return time
  }
}

extension Bitmap {
  /// Rows of three bytes without padding, as the peers take them.
  var rgb: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(width * height * 3)
    for y in 0..<height {
      withRow(y) { row in
        for x in 0..<width { bytes += [row[x * 4 + 2], row[x * 4 + 1], row[x * 4]] }
      }
    }
    return bytes
  }
}
