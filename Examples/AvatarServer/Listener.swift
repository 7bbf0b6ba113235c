import Dispatch
import Glibc

/// As much HTTP as a program without a framework needs: one GET for each connection.
struct Listener {
  struct Failure: Error {
    let call: String
    let code: CInt
  }

  /// Blocking calls wait here, not on the threads that tasks share.
  private let blocking = DispatchQueue(label: "connections", attributes: .concurrent)

  /// Serves until the process ends.
  ///
  /// - Parameters:
  ///   - ready: Called once, with the port.
  ///   - respond: Makes the response to a request's target.
  /// - Throws: When there is no socket or no port.
  func run(
    ready: (UInt16) -> Void,
    respond: @escaping @Sendable (String) async -> AvatarServer.Response
  ) throws {
    let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard listener >= 0 else { throw Failure(call: "socket", code: errno) }
    ready(try bind(listener))
    while true {
      let connection = accept(listener, nil, nil)
      guard connection >= 0 else {
        // Out of descriptors: those in use become free.
        usleep(10_000)
        continue
      }
      blocking.async { serve(connection, respond) }
    }
  }

  /// Binds to a free port of the loopback.
  private func bind(_ listener: CInt) throws -> UInt16 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutableBytes(of: &address) { bytes -> CInt in
      guard let start = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return -1 }
      guard Glibc.bind(listener, start, length) == 0, listen(listener, 64) == 0 else { return -1 }
      return getsockname(listener, start, &length)
    }
    guard status == 0 else { throw Failure(call: "bind", code: errno) }
    return UInt16(bigEndian: address.sin_port)
  }

  private func serve(
    _ connection: CInt,
    _ respond: @escaping @Sendable (String) async -> AvatarServer.Response
  ) {
    // A client that says nothing, or reads nothing, is left after five seconds.
    var limit = timeval(tv_sec: 5, tv_usec: 0)
    let length = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, length)
    setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &limit, length)
    guard let target = target(of: connection) else {
      close(connection)
      return
    }
    Task {
      let response = await respond(target)
      blocking.async {
        send(response, to: connection)
        close(connection)
      }
    }
  }

  /// The target of the request; nil when there is none within 8 KB.
  private func target(of connection: CInt) -> String? {
    var head: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1024)
    while head.count < 8192 {
      let count = recv(connection, &chunk, chunk.count, 0)
      guard count > 0 else { return nil }
      head += chunk[..<count]
      guard let end = head.firstIndex(of: 13) else { continue }
      let words = String(decoding: head[..<end], as: UTF8.self).split(separator: " ")
      return words.count == 3 && words[0] == "GET" ? String(words[1]) : nil
    }
    return nil
  }

  private func send(_ response: AvatarServer.Response, to connection: CInt) {
    let head =
      "HTTP/1.1 \(response.status)\r\nContent-Type: \(response.type)\r\n"
      + "Content-Length: \(response.body.count)\r\nConnection: close\r\n\r\n"
    var bytes = (Array(head.utf8) + response.body)[...]
    while !bytes.isEmpty {
      let sent = bytes.withUnsafeBytes {
        Glibc.send(connection, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
      }
      guard sent > 0 else { return }
      bytes = bytes.dropFirst(sent)
    }
  }
}
