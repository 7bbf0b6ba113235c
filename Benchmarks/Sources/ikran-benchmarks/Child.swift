import CPeers
import Glibc

/// A peer in a separate process: it responds to each line with one line.
final class Child {
  private let handle: OpaquePointer

  /// Starts a program; nil when it cannot be started.
  init?(_ arguments: [String]) {
    var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    pointers.append(nil)
    defer { for pointer in pointers { free(pointer) } }
    guard let handle = peers_child_start(pointers) else { return nil }
    self.handle = handle
  }

  deinit { peers_child_stop(handle) }

  /// The words of the response to `line`, or nil when the program has ended.
  func ask(_ line: String) -> [String]? {
    var response = [CChar](repeating: 0, count: 512)
    guard peers_child_ask(handle, line, &response, response.count) else { return nil }
    let bytes = response.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return String(decoding: bytes, as: UTF8.self)
      .split { $0 == " " || $0 == "\n" }
      .map(String.init)
  }

  /// The response to `line` as numbers.
  func numbers(_ line: String) throws(PeerEnded) -> [Double] {
    guard let words = ask(line) else { throw PeerEnded() }
    return words.compactMap(Double.init)
  }
}

/// A peer's process ended in the middle of a measurement.
struct PeerEnded: Error {}
