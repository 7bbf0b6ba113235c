import Glibc
import IkranSystem

/// The bytes of `-`, standard input.
enum StandardInput {
  /// Reads to the end on a separate thread, so that a cancelled caller does not wait for more.
  ///
  /// - Throws: ``Failure``, and `CancellationError` at once when the task is cancelled.
  static func read(maximumBytes: Int) async throws -> [UInt8] {
    let (results, sender) = AsyncStream<Result<[UInt8], Failure>>.makeStream()
    let started = BackgroundThread.start(name: "ikran-stdin") {
      sender.yield(Result { () throws(Failure) in try readAll(maximumBytes) })
      sender.finish()
    }
    guard started else { throw Failure("standard input cannot be read: no thread is available") }
    for await result in results { return try result.get() }
    throw CancellationError()
  }

  private static func readAll(_ maximumBytes: Int) throws(Failure) -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(STDIN_FILENO, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        throw Failure("standard input cannot be read (\(String(cString: strerror(errno))))")
      }
      if count == 0 { return bytes }
      guard bytes.count + count <= maximumBytes else {
        throw Failure("standard input has more than \(maximumBytes) bytes, the limit")
      }
      bytes += piece.prefix(count)
    }
  }
}
