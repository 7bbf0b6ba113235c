import Glibc

/// A response as received.
package struct Reply: Sendable {
  package var status: Int
  /// Of several fields of one name the last.
  package var headers: [String: String]
  /// The lines of the header without the first.
  package var lines: [String]
  package var body: [UInt8]
  /// Whether the body is as long as its Content-Length.
  package var isComplete: Bool

  package var text: String { String(decoding: body, as: UTF8.self) }
}

/// Why a request got no response.
package enum ClientError: Error {
  case notConnected(CInt)
  case closedBeforeAResponse
}

/// A blocking HTTP/1.1 client on one kept-alive connection, without a library's abstractions.
package final class RawClient: @unchecked Sendable {  // one caller at a time
  private let socket: CInt
  private var buffer: [UInt8] = []
  private var isAtEnd = false
  private var hasTimedOut = false

  /// Connects to a port of this machine.
  package init(_ port: Int) throws {
    socket = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var limit = timeval(tv_sec: 100, tv_usec: 0)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    let result = withUnsafeBytes(of: &address) { bytes in
      connect(
        socket,
        bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
        socklen_t(bytes.count)
      )
    }
    // The deinitialiser closes the socket also when this throws.
    guard result == 0 else { throw ClientError.notConnected(errno) }
  }

  /// Connects to the Unix socket at a path.
  package init(path: String) throws {
    socket = Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let result = withUnsafeBytes(of: &address) { bytes in
      connect(
        socket,
        bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
        socklen_t(bytes.count)
      )
    }
    guard result == 0 else { throw ClientError.notConnected(errno) }
  }

  deinit { close(socket) }

  /// Sends a request and reads its response.
  package func get(
    _ path: String,
    method: String = "GET",
    headers: [String: String] = [:]
  ) throws -> Reply {
    send(path, method: method, headers: headers)
    return try reply(hasBody: method != "HEAD")
  }

  /// Sends a request without reading a response.
  package func send(_ path: String, method: String = "GET", headers: [String: String] = [:]) {
    var request = "\(method) \(path) HTTP/1.1\r\nHost: localhost:1\r\n"
    for (name, value) in headers { request += "\(name): \(value)\r\n" }
    write(request + "\r\n")
  }

  /// Sends a text as it is; false when the connection is closed.
  @discardableResult package func write(_ text: String) -> Bool { write(Array(text.utf8)) }

  /// Sends bytes as they are; false when the connection is closed.
  @discardableResult package func write(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { bytes in
        Glibc.send(
          socket,
          bytes.baseAddress.map { $0 + sent },
          bytes.count - sent,
          CInt(MSG_NOSIGNAL)
        )
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// Reads all until the server closes the connection; nil when it stays open.
  package func readToEnd() -> [UInt8]? {
    while fill() {}
    return hasTimedOut ? nil : take(buffer.count)
  }

  /// Waits a moment; true when the server has closed the connection.
  package func isClosedSoon(after milliseconds: Int) -> Bool {
    var waiting = pollfd(fd: socket, events: CShort(POLLIN), revents: 0)
    guard Glibc.poll(&waiting, 1, CInt(milliseconds)) > 0 else { return false }
    return !fill()
  }

  /// Sends no more.
  package func endWriting() { shutdown(socket, CInt(SHUT_WR)) }

  /// Reads a part of what has arrived, without waiting for more than a moment, and forgets it.
  package func readPart() -> Int {
    var waiting = pollfd(fd: socket, events: CShort(POLLIN), revents: 0)
    guard Glibc.poll(&waiting, 1, 20) > 0 else { return 0 }
    var part = [UInt8](repeating: 0, count: 16 << 10)
    return max(0, recv(socket, &part, part.count, 0))
  }

  /// Disconnects.
  package func leave() { shutdown(socket, CInt(SHUT_RDWR)) }

  /// Reads one response.
  package func reply(hasBody: Bool = true) throws -> Reply {
    guard let head = take(through: [13, 10, 13, 10]) else {
      throw ClientError.closedBeforeAResponse
    }
    let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count >= 2, let status = Int(words[1]) else {
      throw ClientError.closedBeforeAResponse
    }
    var reply = Reply(status: status, headers: [:], lines: [], body: [], isComplete: true)
    reply.lines = lines.dropFirst().map(String.init)
    for line in reply.lines {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      reply.headers[line[..<colon].lowercased()] = String(value)
    }
    guard hasBody, status != 304, status != 204 else { return reply }
    if reply.headers["transfer-encoding"] == "chunked" {
      readChunks(into: &reply)
    } else {
      let length = reply.headers["content-length"].flatMap { Int($0) } ?? Int.max
      reply.body = take(length)
      reply.isComplete = reply.body.count == length || length == Int.max
    }
    return reply
  }

  /// Reads at least one and at most `count` bytes, then disconnects.
  package func readSome(_ count: Int) -> Int {
    while buffer.count < count, fill() {}
    shutdown(socket, CInt(SHUT_RDWR))
    return min(buffer.count, count)
  }

  /// Waits for the first `count` bytes after `text`, and leaves everything to be read; fewer when
  /// the connection ends before.
  package func peek(after text: String, _ count: Int) -> [UInt8] {
    let text = Array(text.utf8)
    while true {
      let start = buffer.indices.first { buffer[$0...].starts(with: text) }
      if let start, buffer.count >= start + text.count + count || isAtEnd {
        return Array(buffer[(start + text.count)...])
      }
      guard fill() else { return [] }
    }
  }

  private func readChunks(into reply: inout Reply) {
    while let line = take(through: [13, 10]) {
      let digits = String(decoding: line.dropLast(2), as: UTF8.self)
      guard let count = Int(digits, radix: 16) else { break }
      if count > 0 { reply.body += take(count) }
      _ = take(2)
      if count == 0 { return }
    }
    reply.isComplete = false
  }

  private func take(_ count: Int) -> [UInt8] {
    while buffer.count < count, fill() {}
    let taken = Array(buffer.prefix(count))
    buffer.removeFirst(taken.count)
    return taken
  }

  private func take(through end: [UInt8]) -> [UInt8]? {
    var searched = 0
    while true {
      if buffer.count >= end.count {
        for start in searched...(buffer.count - end.count)
        where buffer[start..<start + end.count].elementsEqual(end) {
          return take(start + end.count)
        }
        searched = buffer.count - end.count + 1
      }
      guard fill() else { return nil }
    }
  }

  private func fill() -> Bool {
    guard !isAtEnd else { return false }
    var count = 0
    let piece = [UInt8](unsafeUninitializedCapacity: 64 << 10) { space, initialized in
      count = recv(socket, space.baseAddress, space.count, 0)
      initialized = max(0, count)
    }
    if piece.isEmpty { (isAtEnd, hasTimedOut) = (true, count < 0 && errno == EAGAIN) }
    buffer += piece
    return !isAtEnd
  }
}
