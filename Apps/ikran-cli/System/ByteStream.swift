import Glibc
import IkranSystem

/// Bytes that arrive until they end: of standard input, `-`, or of a pipe with a name.
enum ByteStream: Sendable {
  case standardInput
  case pipe(String)

  private var name: String {
    switch self {
    case .standardInput: "standard input"
    case .pipe(let path): "“\(path)”"
    }
  }

  /// Reads to the end on a separate thread, so that a cancelled caller does not wait for more.
  ///
  /// - Throws: ``Failure``, also for more bytes than the limit; `CancellationError` at once when
  ///   the task is cancelled.
  func bytes(upTo limit: Int) async throws -> [UInt8] {
    let (results, sender) = AsyncStream<Result<[UInt8], Failure>>.makeStream()
    let started = BackgroundThread.start(name: "ikran-stdin") {
      sender.yield(Result { () throws(Failure) in try readAll(upTo: limit) })
      sender.finish()
    }
    guard started else { throw Failure("\(name) cannot be read: no thread is available") }
    for await result in results { return try result.get() }
    throw CancellationError()
  }

  private func readAll(upTo limit: Int) throws(Failure) -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    let descriptor = try open()
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    while true {
      let count = Glibc.read(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure() }
      if count == 0 { return bytes }
      guard bytes.count + count <= limit else {
        throw Failure("\(name) has more than \(limit) bytes, the limit")
      }
      bytes += piece.prefix(count)
    }
  }

  /// Opens a pipe, for which it waits for who writes.
  private func open() throws(Failure) -> CInt {
    guard case .pipe(let path) = self else { return STDIN_FILENO }
    while true {
      let descriptor = path.withPath { Glibc.open($0, O_RDONLY | O_CLOEXEC) }
      if descriptor >= 0 { return descriptor }
      guard errno == EINTR else { throw failure() }
    }
  }

  private func failure() -> Failure {
    Failure("\(name) cannot be read (\(String(cString: strerror(errno))))")
  }
}
