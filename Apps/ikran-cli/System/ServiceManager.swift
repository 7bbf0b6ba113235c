import FoundationEssentials
import Glibc

/// Where systemd waits for word of how things stand (sd_notify(3)).
enum ServiceManager {
  /// Tells it a state, such as `READY=1`; does nothing where it has not asked for that.
  static func tell(_ state: String) {
    guard let path = ProcessInfo.processInfo.environment["NOTIFY_SOCKET"] else { return }
    var bytes = Array(path.utf8)
    var address = sockaddr_un()
    guard let first = bytes.first, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
      return
    }
    // The name of an abstract socket begins with a zero byte, which is written as an @.
    if first == UInt8(ascii: "@") { bytes[0] = 0 }
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let descriptor = Glibc.socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
    let text = Array(state.utf8)
    withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = sendto(descriptor, text, text.count, CInt(MSG_NOSIGNAL), $0, length)
      }
    }
  }
}
