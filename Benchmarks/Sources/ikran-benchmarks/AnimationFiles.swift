import Glibc
import Ikran

/// Animated files that Pillow makes in a Python process, which also composes their frames.
///
/// Each has 40 frames of 320 × 240 pixels for 40 ms each; every pixel changes with each frame.
final class AnimationFiles {
  static let size = PixelSize(width: 320, height: 240)
  static let frameCount = 40

  /// Pillow's version.
  let version: String
  private let child: Child
  private let folder: String
  private var paths: [String] = []

  /// Starts Python; nil when Pillow is not installed.
  init?() throws {
    var found: (child: Child, version: String)?
    for python in ["python3", "/usr/bin/python3"] where found == nil {
      guard let child = Child([python, "Peers/animations.py"]),
        let version = child.ask("version")?.first
      else { continue }
      found = (child, version)
    }
    guard let found else { return nil }
    (child, version) = found
    folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    try write(try Photo.draw(PixelSize(width: 480, height: 360), seed: 9).encoded(as: .png))
  }

  deinit { for path in paths { unlink(path) } }

  /// Makes a file of the format `gif`, `apng` or `webp`.
  func make(_ format: String) throws -> (path: String, bytes: [UInt8]) {
    let path = newPath(format)
    let size = try child.numbers("make\t\(format)\t\(paths[0])\t\(path)").first
    guard let size, let file = fopen(path, "r") else { throw PeerEnded() }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: Int(size))
    guard fread(&bytes, 1, bytes.count, file) == bytes.count else { throw PeerEnded() }
    return (path, bytes)
  }

  /// The nanoseconds that Pillow needs to compose all frames of a file `count` times.
  func time(_ path: String, count: Int) throws(PeerEnded) -> Double {
    guard let time = try child.numbers("\(path)\t\(count)").first else { throw PeerEnded() }
    return time
  }

  private func write(_ photo: [UInt8]) throws(PeerEnded) {
    guard let file = fopen(newPath("png"), "w") else { throw PeerEnded() }
    defer { fclose(file) }
    guard fwrite(photo, 1, photo.count, file) == photo.count else { throw PeerEnded() }
  }

  private func newPath(_ suffix: String) -> String {
    paths.append("\(folder)/ikran-\(getpid())-\(paths.count).\(suffix)")
    return paths[paths.count - 1]
  }
}
