import FoundationEssentials
import Glibc

/// What systemd does for a service: a socket that it has opened, and word of how things stand
/// (sd_listen_fds(3), sd_notify(3)).
enum ServiceManager {
  /// The listening socket that systemd has opened for this process; nil without one.
  static var socket: CInt? {
    let variables = ProcessInfo.processInfo.environment
    guard let owner = variables["LISTEN_PID"].flatMap({ pid_t($0) }), owner == getpid(),
      let count = variables["LISTEN_FDS"].flatMap({ Int($0) }), count >= 1
    else { return nil }
    // The first one after the standard streams; decoders do not get it.
    let first: CInt = 3
    guard fcntl(first, F_SETFD, FD_CLOEXEC) == 0 else { return nil }
    let flags = fcntl(first, F_GETFL)
    _ = fcntl(first, F_SETFL, flags | O_NONBLOCK)
    return first
  }

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
