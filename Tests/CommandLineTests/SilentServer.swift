import Glibc
import IkranStores
import Testing

/// A server that takes one connection and never ends its response, if it begins one: a download
/// that never ends.
final class SilentServer: Sendable {
  let port: Int
  private let listener: CInt
  private let arrivals: AsyncStream<CInt>

  /// Starts a server that sends `bytes` and then nothing more.
  init(sending bytes: [UInt8] = []) throws {
    let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, length) == 0 && listen(listener, 8) == 0
          && getsockname(listener, address, &length) == 0
      }
    }
    try #require(bound)
    let (arrivals, arrived) = AsyncStream.makeStream(of: CInt.self)
    BackgroundThread.start(name: "silent-server") {
      let connection = accept(listener, nil, nil)
      var rest = bytes[...]
      while !rest.isEmpty {
        let piece = Array(rest.prefix(1 << 16))
        let count = Glibc.send(connection, piece, piece.count, CInt(MSG_NOSIGNAL))
        guard count > 0 else { break }
        rest = rest.dropFirst(count)
      }
      arrived.yield(connection)
      arrived.finish()
    }
    self.listener = listener
    self.arrivals = arrivals
    port = Int(UInt16(bigEndian: address.sin_port))
  }

  deinit { close(listener) }

  var url: String { "http://127.0.0.1:\(port)/silent.jpg" }

  /// Waits until a client has connected and all bytes are sent.
  func connection() async { for await _ in arrivals {} }
}
