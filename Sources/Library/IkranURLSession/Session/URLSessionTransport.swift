import Foundation
import IkranSystem
public import IkranTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// Decision 92: redirects, limits and timeouts are ours, not URLSession's.
/// Fetches `http:` and `https:` URLs with Foundation's `URLSession`.
///
/// For programs that want what it gives them: the system's proxies, its trust in certificates, its
/// knowledge of networks (``NetworkAccess``). On Linux `CurlTransport` does more and costs less.
///
/// It has no caches, cookies and stored credentials: these are the pipeline's. Redirects are
/// followed to http and https only, and carry the fields that `CurlTransport` lets them carry.
/// What URLSession cannot do is refused by ``init(_:)``. These are otherwise than with
/// `CurlTransport`:
///
/// - A request's `connectTimeout` does not count, as URLSession does not say when it is connected.
/// - Fields have no order, and those of one name are joined by commas. Values are text.
/// - Content encodings are removed by URLSession, which does not say whether they were complete.
///   Bytes on the wire of an encoded body are not counted, only those without their encoding.
/// - A location has `%25` for a `%` that no two digits follow.
/// - The metrics are those of the last hop. On Linux there are none.
///
/// On Linux it is not for URLs of strangers: FoundationNetworking decodes what it has read before a
/// limit can stop it, so that an encoded body of some kilobytes may take gigabytes of memory, and
/// keeps the body of a redirect, however long it is.
public final class URLSessionTransport: IdentifyingTransport {
  private let options: URLSessionOptions
  private let session: URLSession
  private let delegate = SessionDelegate()
  private let thread = Lazy { SessionThread() }
  private let isShutDown = Guarded(false)

  /// Creates a transport with the default options.
  public convenience init() { self.init(checked: URLSessionOptions()) }

  /// Creates a transport.
  ///
  /// - Parameter options: How it uses the network.
  /// - Throws: ``TransportError/unsupported(_:)`` when URLSession cannot keep an option.
  public convenience init(_ options: URLSessionOptions) throws(TransportError) {
    try options.validate()
    self.init(checked: options)
  }

  private init(checked options: URLSessionOptions) {
    self.options = options
    session = Self.session(options, delegate)
  }

  deinit { session.finishTasksAndInvalidate() }

  /// Makes a session without connections.
  private static func session(
    _ options: URLSessionOptions,
    _ delegate: SessionDelegate
  ) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.urlCredentialStorage = nil
    configuration.httpCookieStorage = nil
    configuration.httpCookieAcceptPolicy = .never
    configuration.httpShouldSetCookies = false
    configuration.httpMaximumConnectionsPerHost = max(1, options.connectionsPerHost)
    SessionPlatform.configure(configuration, options)
    return URLSession(
      configuration: configuration,
      delegate: delegate,
      delegateQueue: delegate.queue
    )
  }

  /// Fetches one body.
  ///
  /// The response comes with any status. The timeout counts from the call. Cancelling the task
  /// closes the transfer and returns at once.
  ///
  /// - Parameters:
  ///   - request: What to fetch, and how much of it at most.
  ///   - progress: Called on the session's queue: first with nothing received when the header is
  ///     complete, then after each chunk. It must return quickly.
  /// - Returns: The response after redirects.
  /// - Throws: ``TransportError``.
  public func fetch(
    _ request: TransportRequest,
    progress: @escaping @Sendable (TransferProgress) -> Void
  ) async throws(TransportError) -> TransportResponse {
    var hop = HTTPHop(request, address: try address(of: request))
    let start = ContinuousClock.now
    var headerBytes = 0
    while true {
      let left = request.timeout - start.duration(to: .now)
      guard left > .zero else { throw .timedOut(after: request.timeout) }
      let message = try SessionMessage(request, at: hop, options, within: left)
      let order = SessionTransfer.Order(
        request: request,
        hop: hop,
        addedFields: message.addedFields,
        maximumHeaderBytes: options.limits.maximumHeaderBytes - headerBytes,
        headerLimit: options.limits.maximumHeaderBytes,
        progress: progress
      )
      var reply = try await send(message, order, within: left).get()
      guard let location = reply.location else { return reply.response }
      let target = try address(of: location, from: hop)
      guard !request.reportsRedirects else {
        reply.response.redirectTarget = target.url
        return reply.response
      }
      hop = hop.following(target, status: reply.response.status)
      headerBytes += reply.headerByteCount
    }
  }

  /// Checks a request.
  private func address(of request: TransportRequest) throws(TransportError) -> HTTPAddress {
    if Task.isCancelled { throw .cancelled }
    let address = try HTTPAddress(request.url)
    try options.validate(address)
    if let reason = request.whyItCannotBeSent {
      throw .failed(code: URLError.unknown.rawValue, reason: reason)
    }
    guard request.signature == nil else {
      throw .unsupported("URLSession signs no requests to S3; use CurlTransport")
    }
    return address
  }

  /// The address of a redirect's target, if it may be gone to.
  private func address(
    of location: String,
    from hop: HTTPHop
  ) throws(TransportError) -> HTTPAddress {
    let limit = max(0, options.limits.maximumRedirects)
    guard hop.redirects < limit else { throw .tooManyRedirects(limit: limit) }
    guard let address = try? HTTPAddress(hop.address.url(ofLocation: location)),
      options.allows(address)
    else { throw .forbiddenRedirect(redacted(location)) }
    return address
  }

  /// Sends a message and waits for what comes of it, until the time is up or the task is cancelled.
  private func send(
    _ message: SessionMessage,
    _ order: SessionTransfer.Order,
    within time: Duration
  ) async -> SessionTransfer.Ending {
    let transfer = SessionTransfer(order, on: delegate.queue, thread.value)
    let timer = Task {
      guard (try? await Task.sleep(for: min(time, .seconds(1 << 20)))) != nil else { return }
      transfer.interrupt(.timedOut(after: order.request.timeout))
    }
    defer { timer.cancel() }
    return await withTaskCancellationHandler {
      thread.value.run { [self] in start(transfer, message) }
      return await transfer.end
    } onCancel: {
      transfer.interrupt(.cancelled)
    }
  }

  /// Starts a transfer, on the thread of the sessions.
  private func start(_ transfer: SessionTransfer, _ message: SessionMessage) {
    guard !transfer.isOver else { return }
    guard !isShutDown.withLock({ $0 }) else { return transfer.interrupt(.cancelled) }
    delegate.start(transfer, task(message, transfer.order.hop))
    // It may have been shut down before the delegate had the transfer.
    if isShutDown.withLock({ $0 }) { transfer.interrupt(.cancelled) }
  }

  /// Makes the task that sends a message.
  private func task(_ message: SessionMessage, _ hop: HTTPHop) -> URLSessionTask {
    var (session, isOwn) = (session, false)
    if !HTTPMethod.isIdempotent(hop.method) {
      // A request is sent again when a reused connection turns out to be closed: only one that
      // changes nothing more may be.
      (session, isOwn) = (Self.session(options, delegate), true)
    }
    defer {
      if isOwn { session.finishTasksAndInvalidate() }
    }
    // Of a body in the request FoundationNetworking guesses the type.
    return hop.body.map { session.uploadTask(with: message.request, from: Data($0)) }
      ?? session.dataTask(with: message.request)
  }

  /// Ends every transfer with ``TransportError/cancelled``; later fetches end the same way.
  public func shutDown() {
    isShutDown.withLock { $0 = true }
    delegate.interruptAll(.cancelled)
  }

  package var hasCredential: Bool { options.identity.credential != nil }

  package var addsFields: Bool { hasCredential }

  package func addedFields(to url: String) -> [HeaderField] {
    guard let address = try? HTTPAddress(url) else { return [] }
    return options.identity.addedFields(for: address)
  }
}
