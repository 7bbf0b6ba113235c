public import IkranFoundation
import IkranSystem
public import IkranTransport

/// A transport that responds from a script and records what was requested.
///
/// ```swift
/// let transport = FakeTransport()
/// transport.respond(to: face, with: .failure(.cannotConnect("example.test")), .body(png))
/// transport.respond(with: .status(404))
/// ```
/// The responses to a URL are given in order, the last one for every further request. A request for
/// which there is none fails with ``/IkranTransport/TransportError/invalidURL(_:)``, which names
/// its URL.
public final class FakeTransport: Transport {
  /// A custom script, for what a list of responses cannot say.
  public typealias Handler =
    @Sendable (
      TransportRequest, @Sendable (TransferProgress) -> Void
    ) async throws(TransportError) -> TransportResponse

  private struct State {
    var requests: [TransportRequest] = []
    var scripts: [String: [FakeResponse]] = [:]
    var others: [FakeResponse] = []

    /// The next response to a URL; the last one stays.
    mutating func next(for url: String) -> FakeResponse? {
      var script = scripts[url] ?? others
      guard let response = script.first else { return nil }
      if script.count > 1 { script.removeFirst() }
      if scripts[url] == nil { others = script } else { scripts[url] = script }
      return response
    }
  }

  /// The clock on which delays pass.
  public let clock: ManualClock
  private let handler: Handler?
  private let state = Guarded(State())

  /// Creates a transport without a response to anything.
  public init(clock: ManualClock = ManualClock()) {
    self.clock = clock
    handler = nil
  }

  /// Creates a transport whose responses a closure makes, unless there is one in the script.
  public init(clock: ManualClock = ManualClock(), _ handler: @escaping Handler) {
    self.clock = clock
    self.handler = handler
  }

  /// Creates a transport that responds to every request with one body, fresh for a week.
  public convenience init(body: [UInt8], status: Int = 200) {
    self.init()
    respond(with: FakeResponse(status: status, body: body))
  }

  /// The requests so far, in order, without their closures.
  public var requests: [TransportRequest] { state.withLock { $0.requests } }

  /// The URLs requested so far, in order.
  public var urls: [String] { requests.map(\.url) }

  /// Sets the responses to one URL, in place of those that are left.
  public func respond(to url: URL, with responses: FakeResponse...) {
    state.withLock { $0.scripts[url.absoluteString] = responses }
  }

  /// Sets the responses to all URLs that have none of their own, in place of those that are left.
  public func respond(with responses: FakeResponse...) { respond(with: responses) }

  /// Sets the responses to all URLs that have none of their own, in place of those that are left.
  public func respond(with responses: [FakeResponse]) {
    state.withLock { $0.others = responses }
  }

  /// Records the request, then responds to it.
  public func fetch(
    _ request: TransportRequest,
    progress: @escaping @Sendable (TransferProgress) -> Void
  ) async throws(TransportError) -> TransportResponse {
    var recorded = request
    // What the closures hold may hold this transport.
    (recorded.onHead, recorded.onBytes) = (nil, nil)
    (recorded.shouldStop, recorded.onInterruption) = (nil, nil)
    let response = state.withLock { [recorded] state in
      state.requests.append(recorded)
      return state.next(for: recorded.url)
    }
    if let response { return try await deliver(response, to: request, progress) }
    if let handler { return try await handler(request, progress) }
    throw .invalidURL("no response to \(request.url); add one with respond(to:with:)")
  }

  private func deliver(
    _ response: FakeResponse,
    to request: TransportRequest,
    _ progress: @Sendable (TransferProgress) -> Void
  ) async throws(TransportError) -> TransportResponse {
    guard response.body.count <= request.maximumBodyBytes else {
      throw .bodyTooLarge(limit: request.maximumBodyBytes)
    }
    let (began, chunks) = (clock.now, max(1, response.chunks))
    for chunk in 1...chunks {
      let arrived = response.body.count * (chunk - 1) / chunks
      let due = response.delay * chunk / chunks
      do throws(TransportError) {
        try await wait(until: began, plus: min(due, request.timeout))
        if due > request.timeout { throw .timedOut(after: request.timeout) }
      } catch {
        interrupt(response, request, arrived)
        throw error
      }
      if chunk == 1 { request.onHead?(response.received(0, of: request)) }
      let received = response.body.count * chunk / chunks
      let expected = response.failure == nil ? response.body.count : nil
      if received > 0 { progress(TransferProgress(received: received, expected: expected)) }
      if received > 0, (200..<300).contains(response.status) {
        request.onBytes?(Array(response.body.prefix(received)))
        if chunk < chunks, request.shouldStop?(Array(response.body.prefix(received))) == true {
          return response.received(received, of: request, isComplete: false)
        }
      }
    }
    guard let failure = response.failure else {
      return response.received(response.body.count, of: request)
    }
    interrupt(response, request, response.body.count)
    throw failure
  }

  private func wait(
    until began: ManualClock.Instant,
    plus duration: Duration
  ) async throws(TransportError) {
    guard duration > .zero else { return }
    do { try await clock.sleep(until: began.advanced(by: duration)) } catch { throw .cancelled }
  }

  /// Hands over what has arrived of a transfer that ends early.
  private func interrupt(_ response: FakeResponse, _ request: TransportRequest, _ arrived: Int) {
    guard arrived > 0, (200..<300).contains(response.status) else { return }
    request.onInterruption?(response.received(arrived, of: request, isComplete: false))
  }
}

extension FakeResponse {
  /// The first `count` bytes of the response, as a transport hands them over.
  fileprivate func received(
    _ count: Int,
    of request: TransportRequest,
    isComplete: Bool = true
  ) -> TransportResponse {
    TransportResponse(
      status: status,
      headers: headers,
      body: Array(body.prefix(count)),
      url: request.url,
      isComplete: isComplete
    )
  }
}
