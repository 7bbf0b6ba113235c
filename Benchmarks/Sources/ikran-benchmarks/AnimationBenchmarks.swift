import CPeers
import Ikran

/// The frames of animated files: composed, played and sought.
struct AnimationBenchmarks {
  private typealias Peer = (name: String, compose: Compose)
  /// Composes all frames and leaves the last one in the given memory; false when it cannot.
  private typealias Compose = (_ bytes: [UInt8], _ pixels: inout [UInt8]) -> Bool

  private static let formats = ["gif", "apng", "webp"]
  private static let playing = ["animation.play", "animation.play.64mb", "animation.seek"]

  /// Runs the benchmarks whose names begin with `prefix`.
  static func run(prefix: String, into report: inout Report) throws {
    let wanted = formats.filter { "animation.\($0)".hasPrefix(prefix) }
    let plays = playing.filter { $0.hasPrefix(prefix) }
    guard !wanted.isEmpty || !plays.isEmpty else { return }
    guard let files = try AnimationFiles() else {
      return report.note("Pillow is not installed: animations are neither made nor measured")
    }
    for format in wanted { try compose(format, files, into: &report) }
    guard !plays.isEmpty else { return }
    let bytes = try files.make("gif").bytes
    if plays.contains(playing[0]) {
      try AnimationPlayback.play(playing[0], bytes, byteLimit: nil, into: &report)
    }
    if plays.contains(playing[1]) {
      try AnimationPlayback.play(playing[1], bytes, byteLimit: 64 << 20, into: &report)
    }
    if plays.contains(playing[2]) { try AnimationPlayback.seek(playing[2], bytes, into: &report) }
  }

  /// Bytes to a bitmap for each frame.
  ///
  /// The peers in C draw on one canvas and copy nothing.
  private static func compose(
    _ format: String,
    _ files: AnimationFiles,
    into report: inout Report
  ) throws {
    let (path, bytes) = try files.make(format)
    let name = "animation.\(format)"
    report.note("\(name): \(AnimationFiles.frameCount) frames in \(bytes.count) bytes")
    var contenders = [Contender("Ikran") { try ikran(bytes) }]
    if let peer = peer(for: format, &report) {
      let area = AnimationFiles.size.width * AnimationFiles.size.height
      var pixels = [UInt8](repeating: 0, count: area * 4)
      guard peer.compose(bytes, &pixels) else { throw PeerEnded() }
      let isEqual = try isLastFrame(pixels, of: bytes)
      report.note("\(name): \(peer.name) has \(isEqual ? "the same" : "another") last frame")
      contenders.append(
        Contender(peer.name) { guard peer.compose(bytes, &pixels) else { throw PeerEnded() } }
      )
    }
    contenders.append(
      Contender("Pillow \(files.version)") { count in try files.time(path, count: count) }
    )
    report.add(name, try Harness.measure(contenders, samples: 15), unit: "ms", scale: 1e-6)
  }

  private static func peer(for format: String, _ report: inout Report) -> Peer? {
    switch format {
    case "webp":
      return ("WebPAnimDecoder", { peers_webp_compose($0, $0.count, &$1, $1.count) })
    case "gif" where peers_gif_load():
      return ("giflib", { peers_gif_compose($0, $0.count, &$1, $1.count) })
    case "gif":
      report.note("giflib is not installed: not compared")
      return nil
    default: return nil
    }
  }

  private static func ikran(_ bytes: [UInt8]) throws {
    guard let source = try CodecList.standard.frames(of: bytes) else { throw PeerEnded() }
    let composer = source.makeComposer()
    let workspace = Workspace()
    for frame in source.info.frames.indices {
      let bitmap = try composer.compose(frame, workspace: workspace)
      bitmap.withBytes { $0.withUnsafeBufferPointer { peers_consume($0.baseAddress) } }
    }
  }

  /// Whether rows of four bytes per pixel without padding are a file's last frame.
  private static func isLastFrame(_ pixels: [UInt8], of bytes: [UInt8]) throws -> Bool {
    guard let source = try CodecList.standard.frames(of: bytes) else { throw PeerEnded() }
    let last = try source.makeComposer().compose(source.info.frames.count - 1)
    let row = last.width * 4
    guard pixels.count == row * last.height else { return false }
    return (0..<last.height).allSatisfy { y in
      last.withRow(y) { bytes in bytes.indices.allSatisfy { bytes[$0] == pixels[y * row + $0] } }
    }
  }
}
