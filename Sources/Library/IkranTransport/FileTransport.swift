import IkranSystem

/// Reads `file:` URLs (RFC 8089): regular files of this machine.
public struct FileTransport: Transport {
  /// Reading blocks, so it has threads of its own.
  private let pool = Lazy { WorkerPool<Void>(name: "ikran-file", threads: 2) { _ in } }

  /// Creates the transport.
  public init() {}

  /// Reads one file.
  ///
  /// Cancelling the task returns at once; a read that is under way ends unheard.
  ///
  /// - Parameters:
  ///   - request: The URL and the most bytes to accept; the time-outs do not matter.
  ///   - progress: Called once, with everything received.
  /// - Returns: Status 200 and the file's bytes.
  /// - Throws: ``TransportError/file(path:reason:)``, ``TransportError/invalidURL(_:)``,
  ///   ``TransportError/bodyTooLarge(limit:)`` or ``TransportError/cancelled``.
  public func fetch(
    _ request: TransportRequest,
    progress: @escaping @Sendable (TransferProgress) -> Void
  ) async throws(TransportError) -> TransportResponse {
    let path = try Self.path(of: request.url)
    if Task.isCancelled { throw .cancelled }
    let outcome = OneShot<Result<[UInt8], TransportError>>()
    let readers = pool.value
    let limit = max(0, request.maximumBodyBytes)
    let body = try await withTaskCancellationHandler {
      readers.submit(id: readers.nextID(), priority: { 0 }) {
        outcome.resume(Self.read(path, limit: limit))
      } dropped: {
        outcome.resume(.failure(.cancelled))
      }
      return await outcome.value
    } onCancel: {
      outcome.resume(.failure(.cancelled))
    }.get()
    progress(TransferProgress(received: body.count, expected: body.count))
    return TransportResponse(status: 200, body: body, url: request.url)
  }

  private static func read(_ path: String, limit: Int) -> Result<[UInt8], TransportError> {
    do {
      return .success(try Files.read(path, maximumBytes: limit))
    } catch {
      // Reading fills no disk: here the error means that the file is over the limit.
      if error.isFull { return .failure(.bodyTooLarge(limit: limit)) }
      return .failure(.file(path: path, reason: reason(error)))
    }
  }

  /// The system's sentence without the path, which the error has already, and without its stop.
  private static func reason(_ error: SystemError) -> String {
    let text = error.description
    let head = "Could not \(error.operation) \(error.path.displayedPath): "
    let tail = text.hasPrefix(head) ? text.dropFirst(head.count) : Substring(text)
    return String(tail.last == "." ? tail.dropLast() : tail)
  }

  /// The path that a URL names on this machine.
  package static func path(of url: String) throws(TransportError) -> String {
    guard urlScheme(of: url) == "file" else {
      throw .invalidURL("the URL does not start with file:")
    }
    var rest = Substring(url.utf8.dropFirst("file:".utf8.count))
    if rest.hasPrefix("//") {
      let host = rest.dropFirst(2).prefix { $0 != "/" }
      guard host.isEmpty || host.lowercased() == "localhost" else {
        throw .invalidURL("the file is on the host “\(host)”; a path here is file:///…")
      }
      rest = rest.dropFirst(2 + host.count)
    }
    guard rest.hasPrefix("/") else {
      throw .invalidURL("the path in the file: URL is not absolute; write file:///…")
    }
    let encoded = rest.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    guard let bytes = percentDecoded(encoded) else {
      throw .invalidURL("the file: URL has a “%” without two hexadecimal digits")
    }
    guard !bytes.contains(0) else { throw .invalidURL("the file: URL contains a zero byte") }
    return String(path: bytes)
  }
}
