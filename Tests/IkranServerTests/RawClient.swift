import Glibc
import IkranServer
import IkranTransport

/// A response as received.
struct Reply {
  var status: Int
  /// Of several fields of one name the last.
  var headers: [String: String]
  /// The lines of the header without the first.
  var lines: [String]
  var body: [UInt8]
  /// Whether the body is as long as its Content-Length.
  var isComplete: Bool

  var text: String { String(decoding: body, as: UTF8.self) }
}

/// Why a request got no response.
enum ClientError: Error {
  case notConnected(CInt)
  case closedBeforeAResponse
}

/// A blocking HTTP/1.1 client on one kept-alive connection, without a library's abstractions.
final class RawClient {
  private let socket: CInt
  private var buffer: [UInt8] = []
  private var isAtEnd = false

  init(_ port: Int) throws {
    socket = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var limit = timeval(tv_sec: 20, tv_usec: 0)
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

  deinit { close(socket) }

  /// Sends a request and reads its response.
  func get(
    _ path: String,
    method: String = "GET",
    headers: [String: String] = [:]
  ) throws -> Reply {
    send(path, method: method, headers: headers)
    return try reply(hasBody: method != "HEAD")
  }

  /// Sends a request without reading a response.
  func send(_ path: String, method: String = "GET", headers: [String: String] = [:]) {
    var request = "\(method) \(path) HTTP/1.1\r\nHost: localhost:1\r\n"
    for (name, value) in headers { request += "\(name): \(value)\r\n" }
    let bytes = Array((request + "\r\n").utf8)
    _ = Glibc.send(socket, bytes, bytes.count, CInt(MSG_NOSIGNAL))
  }

  /// Reads one response.
  func reply(hasBody: Bool = true) throws -> Reply {
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
  func readSome(_ count: Int) -> Int {
    while buffer.count < count, fill() {}
    shutdown(socket, CInt(SHUT_RDWR))
    return min(buffer.count, count)
  }

  /// Waits for the first `count` bytes after `text`, and leaves everything to be read; fewer when the connection
  /// ends before.
  func peek(after text: String, _ count: Int) -> [UInt8] {
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
    let piece = [UInt8](unsafeUninitializedCapacity: 64 << 10) { space, count in
      count = max(0, recv(socket, space.baseAddress, space.count, 0))
    }
    isAtEnd = piece.isEmpty
    buffer += piece
    return !isAtEnd
  }
}

/// One request on a new connection.
func fetch(
  _ origin: Origin,
  _ path: String,
  method: String = "GET",
  headers: [String: String] = [:]
) throws -> Reply {
  try RawClient(origin.port).get(path, method: method, headers: headers)
}

/// Waits for a condition set by another thread; a test's time limit ends it.
func until(_ isTrue: () -> Bool) async throws {
  while !isTrue() { try await Task.sleep(for: .milliseconds(1)) }
}
