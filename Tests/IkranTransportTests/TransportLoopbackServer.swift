import Glibc
import IkranStores

@testable import IkranTransport

/// A scripted HTTP/1.1 server on the loopback address; tests decide every byte it sends.
final class LoopbackServer: Sendable {
  /// Answers one request; false closes the connection afterwards.
  typealias Answer = @Sendable (_ request: Request, _ connection: Connection) -> Bool

  struct Request: Sendable {
    let path: String
    let head: String
    /// The bytes of ``head``, which need not be UTF-8.
    let headBytes: [UInt8]
    /// As long as Content-Length says.
    let body: [UInt8]

    /// The value of a header field, or nil.
    func header(_ name: String) -> String? {
      let start = name.lowercased() + ": "
      let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(start) }
      return line.map { String($0.dropFirst(start.count)) }
    }
  }

  /// What the server has seen.
  struct Record: Sendable {
    var connections = 0
    var requests: [String] = []
    var isStopped = false
    var open: Set<CInt> = []
  }

  struct Failure: Error {
    let call: String
    let code: CInt
  }

  let port: Int
  private let listener: CInt
  private let record = Guarded(Record())
  private let answer: Answer

  var url: String { "http://127.0.0.1:\(port)" }
  var connections: Int { record.withLock { $0.connections } }
  var requests: [String] { record.withLock { $0.requests } }

  init(_ answer: @escaping Answer) throws {
    (listener, port) = try Self.listen()
    self.answer = answer
    BackgroundThread.start(name: "test-listen") { [listener, record] in
      while true {
        let socket = accept(listener, nil, nil)
        guard socket >= 0 else {
          if record.withLock({ $0.isStopped }) { break }
          continue
        }
        let isWelcome = record.withLock { record in
          record.connections += 1
          if !record.isStopped { record.open.insert(socket) }
          return !record.isStopped
        }
        guard isWelcome else {
          close(socket)
          continue
        }
        BackgroundThread.start(name: "test-serve") {
          Self.serve(socket, record, answer)
          record.withLock { _ = $0.open.remove(socket) }
          close(socket)
        }
      }
      // Not before: its number would be another's, of which this thread would accept.
      close(listener)
    }
  }

  deinit {
    record.withLock { record in
      record.isStopped = true
      for socket in record.open { shutdown(socket, CInt(SHUT_RDWR)) }
      shutdown(listener, CInt(SHUT_RDWR))
    }
  }

  /// A listening socket of which nobody accepts; its port is any, unless one is named.
  static func listen(port: Int = 0) throws -> (socket: CInt, port: Int) {
    let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    guard listener >= 0 else { throw Failure(call: "socket", code: errno) }
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    var port = port
    let isListening = withAddress(port: port) { address in
      let isListening =
        bind(listener, address, length) == 0 && Glibc.listen(listener, 1024) == 0
        && getsockname(listener, address, &length) == 0
      port = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        Int(UInt16(bigEndian: $0.pointee.sin_port))
      }
      return isListening
    }
    guard isListening else {
      let code = errno
      close(listener)
      throw Failure(call: "bind", code: code)
    }
    return (listener, port)
  }

  /// A port where nobody listens, below those that the system gives out by itself: it is likely to
  /// stay so.
  static func deadPort() throws -> Int {
    while true {
      do {
        let (socket, port) = try listen(port: .random(in: 10_240..<32_768))
        close(socket)
        return port
      } catch let failure as Failure where failure.code == EADDRINUSE {}
    }
  }

  /// Whether somebody listens at a port.
  static func isListening(at port: Int) -> Bool {
    let caller = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    defer { close(caller) }
    return withAddress(port: port) {
      connect(caller, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
    }
  }

  private static func withAddress<Result>(
    port: Int,
    _ body: (UnsafeMutablePointer<sockaddr>) -> Result
  ) -> Result {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    return withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
    }
  }

  private static func serve(_ socket: CInt, _ record: Guarded<Record>, _ answer: Answer) {
    let connection = Connection(socket: socket)
    var received: [UInt8] = []
    while true {
      guard let end = received.firstRange(of: Array("\r\n\r\n".utf8)) else {
        guard let more = connection.receive() else { return }
        received += more
        continue
      }
      let headBytes = Array(received[..<end.lowerBound])
      let head = String(decoding: headBytes, as: UTF8.self)
      received.removeSubrange(..<end.upperBound)
      let path = head.split(separator: " ").dropFirst().first.map(String.init) ?? ""
      record.withLock { $0.requests.append(path) }
      let bare = Request(path: path, head: head, headBytes: headBytes, body: [])
      let length = bare.header("Content-Length").flatMap { Int($0) } ?? 0
      while received.count < length {
        guard let more = connection.receive() else { return }
        received += more
      }
      let body = Array(received[..<length])
      let request = Request(path: path, head: head, headBytes: headBytes, body: body)
      received.removeSubrange(..<length)
      guard answer(request, connection) else { return }
    }
  }

  /// The server's end of one connection.
  struct Connection: Sendable {
    fileprivate let socket: CInt

    /// Sends bytes; false when the other end is gone.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
      var sent = 0
      while sent < bytes.count {
        let count = bytes[sent...].withUnsafeBytes { buffer in
          Glibc.send(socket, buffer.baseAddress, buffer.count, CInt(MSG_NOSIGNAL))
        }
        guard count > 0 else { return false }
        sent += count
      }
      return true
    }

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Sends a complete answer.
    @discardableResult
    func send(status: Int = 200, _ fields: [String] = [], body: [UInt8] = []) -> Bool {
      let lines = ["HTTP/1.1 \(status) Text", "Content-Length: \(body.count)"] + fields
      return send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
    }

    /// Sends one chunk of a chunked answer; an empty one ends it.
    @discardableResult
    func send(chunk: [UInt8]) -> Bool {
      send(Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Array("\r\n".utf8))
    }

    /// Waits until the other end sends something or closes.
    func receive() -> [UInt8]? {
      var buffer = [UInt8](repeating: 0, count: 65_536)
      let count = recv(socket, &buffer, buffer.count, 0)
      return count > 0 ? Array(buffer[..<count]) : nil
    }
  }
}

/// Bytes that repeat after a prime number of them, so that a lost or doubled piece shows.
func pattern(_ count: Int) -> [UInt8] {
  let period = (0..<251).map { UInt8(251 - $0) }
  var bytes: [UInt8] = []
  bytes.reserveCapacity(count + period.count)
  while bytes.count < count { bytes.append(contentsOf: period) }
  bytes.removeLast(bytes.count - count)
  return bytes
}
