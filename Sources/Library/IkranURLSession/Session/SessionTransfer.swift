import Foundation
import IkranSystem
import IkranTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One request to one address, and what has come of its response.
///
/// The session's delegate feeds it, and it ends once. All that the caller hears is called on the
/// delegate's queue, one after the other, and nothing after the end.
final class SessionTransfer: Sendable {
  /// What the caller wants.
  struct Order: Sendable {
    let request: TransportRequest
    let hop: HTTPHop
    let addedFields: [HeaderField]
    /// What the headers may have that are still to come.
    let maximumHeaderBytes: Int
    /// Of all hops together, for the error.
    let headerLimit: Int
    let progress: @Sendable (TransferProgress) -> Void
  }

  /// A response, and whether it sends the client elsewhere.
  struct Reply: Sendable {
    var response: TransportResponse
    let location: String?
    let headerByteCount: Int
  }

  typealias Ending = Result<Reply, TransportError>

  private struct State: Sendable {
    var task: URLSessionTask?
    var head: SessionHead?
    var body: [UInt8] = []
    /// Of the headers so far, interim ones included.
    var headerByteCount = 0
    var metrics: TransferMetrics?
    /// Whether the session says nothing more of the task.
    var isTaskOver = false
    var isOver = false
  }

  /// A length that the sender names reserves at most this much.
  private static let trust = 1 << 20

  let order: Order
  private let queue: OperationQueue
  private let thread: SessionThread
  private let state = Guarded(State())
  private let ending = OneShot<Ending>()

  init(_ order: Order, on queue: OperationQueue, _ thread: SessionThread) {
    (self.order, self.queue, self.thread) = (order, queue, thread)
  }

  /// Takes the task, before it is started.
  func begin(_ task: URLSessionTask) { state.withLock { $0.task = task } }

  /// Waits for the end.
  var end: Ending {
    get async { await ending.value }
  }

  var isOver: Bool { state.withLock { $0.isOver } }

  /// Bytes of the body so far.
  var receivedByteCount: Int { state.withLock { $0.body.count } }

  /// What the body is encoded with; empty as long as there is no header.
  var encodings: [String] { state.withLock { $0.head?.encodings ?? [] } }

  /// Ends it from another thread, before what waits in the delegate's queue.
  func interrupt(_ error: TransportError) {
    let operation = BlockOperation { [self] in fail(error) }
    operation.queuePriority = .veryHigh
    queue.addOperation(operation)
  }
}

// MARK: - What the session says

extension SessionTransfer {
  /// Takes a header.
  ///
  /// - Returns: Whether a body may come.
  @discardableResult
  func receive(_ received: URLResponse) -> Bool {
    guard !isOver else { return false }
    guard let received = received as? HTTPURLResponse else { return true }
    let head: SessionHead
    do throws(TransportError) {
      head = try SessionHead(received, to: order.hop.method)
      try check(head)
    } catch {
      finish(.failure(error))
      return false
    }
    // An interim response: another one follows.
    guard head.status >= 200 else { return true }
    state.withLock { state in
      (state.head, state.body) = (head, [])
      if head.location == nil, let expected = head.expected {
        state.body.reserveCapacity(min(expected, Self.trust))
      }
    }
    guard head.location == nil else {
      finish(.success(reply(isComplete: true)))
      return false
    }
    if let onHead = order.request.onHead { onHead(reply(isComplete: false).response) }
    report()
    return true
  }

  /// Refuses a header that is too long, or whose body is.
  private func check(_ head: SessionHead) throws(TransportError) {
    let count = state.withLock { state in
      state.headerByteCount += head.byteCount
      return state.headerByteCount
    }
    guard count <= order.maximumHeaderBytes else {
      throw .headersTooLarge(limit: order.headerLimit)
    }
    let limit = max(0, order.request.maximumBodyBytes)
    guard head.length ?? 0 <= limit else { throw .bodyTooLarge(limit: limit) }
  }

  /// Takes bytes of the body.
  func receive(_ bytes: Data) {
    let limit = max(0, order.request.maximumBodyBytes)
    let isTaken = state.withLock { state in
      guard !state.isOver else { return false }
      guard bytes.count <= limit - state.body.count else { return false }
      state.body.append(contentsOf: bytes)
      return true
    }
    guard isTaken else { return finish(.failure(.bodyTooLarge(limit: limit))) }
    report()
    guard let head = state.withLock({ $0.head }), head.isUseful else { return }
    if let onBytes = order.request.onBytes { onBytes(state.withLock { $0.body }) }
    guard let shouldStop = order.request.shouldStop, head.expected != receivedByteCount,
      shouldStop(state.withLock { $0.body })
    else { return }
    finish(.success(reply(isComplete: false)))
  }

  /// Takes what the transfer has cost.
  func receive(_ metrics: TransferMetrics) { state.withLock { $0.metrics = metrics } }

  /// Takes the session's word that nothing more comes.
  func complete(_ error: (any Error)?, _ response: URLResponse?) {
    state.withLock { $0.isTaskOver = true }
    guard !isOver else { return }
    if let error { return fail(reason(error)) }
    // Some redirects are the response, and were not named before.
    if state.withLock({ $0.head == nil }), let response {
      guard receive(response) else { return }
    }
    guard let head = state.withLock({ $0.head }) else {
      return fail(.invalidResponse("it has no header"))
    }
    guard receivedByteCount >= head.expected ?? 0 else {
      return fail(.connectionLost(received: receivedByteCount))
    }
    finish(.success(reply(isComplete: true)))
  }
}

// MARK: - What the caller hears

extension SessionTransfer {
  private func report() {
    let (received, expected) = state.withLock { ($0.body.count, $0.head?.expected) }
    order.progress(TransferProgress(received: received, expected: expected))
  }

  /// Ends it, and hands over what had arrived.
  private func fail(_ error: TransportError) {
    guard !isOver else { return }
    let isResumable = state.withLock { $0.head.map { $0.isUseful && $0.encodings.isEmpty } }
    if isResumable ?? false, let onInterruption = order.request.onInterruption {
      onInterruption(reply(isComplete: false).response)
    }
    finish(.failure(error))
  }

  /// Ends it, once.
  private func finish(_ end: Ending) {
    let (isFirst, isTaskOver) = state.withLock { state in
      defer { state.isOver = true }
      return (!state.isOver, state.isTaskOver)
    }
    guard isFirst else { return }
    ending.resume(end)
    guard !isTaskOver else { return }
    // After the command that starts it.
    thread.run { [self] in
      let task = state.withLock { state in
        defer { state.task = nil }
        return state.task
      }
      task?.cancel()
    }
  }

  private func reply(isComplete: Bool) -> Reply {
    let state = state.withLock { $0 }
    let (request, hop) = (order.request, order.hop)
    var response = TransportResponse(
      status: state.head?.status ?? 0,
      headers: state.head?.fields ?? [],
      body: state.body,
      url: hop.redirects > 0 ? hop.address.url : request.url,
      isComplete: isComplete,
      metrics: isComplete ? state.metrics : nil
    )
    response.addedFields = order.addedFields
    return Reply(
      response: response,
      location: state.head?.location,
      headerByteCount: state.headerByteCount
    )
  }
}
