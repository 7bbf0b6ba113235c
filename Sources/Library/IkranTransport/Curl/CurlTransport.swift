#if CLibraries
import IkranSystem
import Synchronization

/// Fetches `http:` and `https:` URLs with libcurl: HTTP/1.1 and HTTP/2, connections kept alive.
///
/// All transfers of one transport run on one thread, which sleeps while nothing moves. Unless
/// ``CurlOptions`` say otherwise, certificates are verified, cookies are ignored, and the proxy
/// comes from the environment; `.netrc` is never read. Redirects are followed to http and https
/// only. When one leads to another scheme, host or port, only these of the request's own fields go
/// along: `Accept`, `Accept-Encoding`, `Accept-Language`, `Cache-Control`, `Content-Type`,
/// `Pragma`, `Range`, `User-Agent` and the conditions (`If-…`); credentials and cookies stay
/// behind. Content encodings that the installed libcurl knows, such as gzip, Brotli and Zstandard,
/// are accepted and removed; requests with a `Range` accept none. Names that are not registered as
/// an encoding, such as `utf-8`, `base64` or `aws-chunked`, which object stores pass on, are
/// ignored where libcurl permits that choice after the header (7.88 does). Releasing the transport
/// ends its thread.
public final class CurlTransport: BuiltInTransport {
  private let options: CurlOptions
  private let loop: Lazy<CurlLoop?>
  private let lastID = Atomic<UInt64>(0)

  /// Creates a transport; libcurl and the thread are started by the first fetch.
  public init(_ options: CurlOptions = CurlOptions()) {
    self.options = options
    loop = Lazy { CurlLoop.started(options) }
  }

  deinit { loop.existing??.stop() }

  /// Fetches one body.
  ///
  /// The response comes with any status. The timeouts count from the moment the transfer gets one
  /// of the host's connections. Cancelling the task closes the transfer and returns at once.
  ///
  /// - Parameters:
  ///   - request: What to fetch, and how much of it at most.
  ///   - progress: Called on the transport's thread: first with nothing received when the header
  ///     is complete, then after each chunk. It must return quickly.
  /// - Returns: The response after redirects.
  /// - Throws: ``TransportError``.
  public func fetch(
    _ request: TransportRequest,
    progress: @escaping @Sendable (TransferProgress) -> Void
  ) async throws(TransportError) -> TransportResponse {
    if Task.isCancelled { throw .cancelled }
    let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
    return try await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        start(id, request, progress) { continuation.resume(returning: $0) }
        // The handler below may have run before the loop knew the job.
        if Task.isCancelled { cancel(id) }
      }
    } onCancel: {
      cancel(id)
    }.get()
  }

  private func start(
    _ id: UInt64,
    _ request: TransportRequest,
    _ progress: @escaping @Sendable (TransferProgress) -> Void,
    _ completion: @escaping CurlJob.Completion
  ) {
    do throws(TransportError) {
      let address = try HTTPAddress(request.url)
      try CurlHeaderList.validate(request)
      try options.validate(address)
      try request.signature?.validate()
      guard let loop = loop.value else {
        throw .failed(code: 0, reason: "the system has no thread to give")
      }
      loop.start(CurlJob(id, request, address, progress, completion))
    } catch {
      completion(.failure(error))
    }
  }

  /// Ends a transfer with ``TransportError/cancelled``, soon; one that already ended is ignored.
  private func cancel(_ id: UInt64) { loop.existing??.cancel(id) }

  /// Whether some requests carry a credential that redirected ones do not.
  package var hasCredential: Bool { options.identity.credential != nil }

  /// Whether fields that say who asks are added to requests: a credential, or cookies.
  package var addsFields: Bool { hasCredential || options.identity.keepsCookies }

  /// The fields that say who asks, as they would be added to a request for a URL now; `Vary` may
  /// name them.
  package func addedFields(to url: String) -> [HeaderField] {
    guard let address = try? HTTPAddress(url) else { return [] }
    let cookies = loop.existing??.knownCookies.withLock { $0 }
    return options.identity.addedFields(for: address, cookies ?? CookieList())
  }

  /// Ends every transfer with ``TransportError/cancelled``; later fetches end the same way.
  public func shutDown() { loop.value?.stop() }

  /// Connections opened since the start: reuse keeps it below the number of transfers.
  package var openedConnections: Int { loop.existing??.openedConnections ?? 0 }

  /// How often the transport's thread was woken for a command: not for those of its own
  /// completions.
  package var wakeUps: Int { loop.existing??.wakeUps ?? 0 }
}

/// One transfer on its way to the loop, which completes it exactly once.
///
/// A class, as it is handed on several times and has a dozen references in it.
final class CurlJob: Sendable {
  typealias Completion = @Sendable (Result<TransportResponse, TransportError>) -> Void

  let id: UInt64
  let request: TransportRequest
  let address: HTTPAddress
  let progress: @Sendable (TransferProgress) -> Void
  private let completion: Completion

  init(
    _ id: UInt64,
    _ request: TransportRequest,
    _ address: HTTPAddress,
    _ progress: @escaping @Sendable (TransferProgress) -> Void,
    _ completion: @escaping Completion
  ) {
    self.id = id
    self.request = request
    self.address = address
    self.progress = progress
    self.completion = completion
  }

  func complete(_ result: Result<TransportResponse, TransportError>) { completion(result) }
}
#endif
