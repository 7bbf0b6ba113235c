import IkranStores

/// A transport whose transfers start and end without a task.
package protocol CallbackTransport: Transport {
  /// What a transfer ends with.
  typealias Completion = @Sendable (Result<TransportResponse, TransportError>) -> Void

  /// Starts a transfer.
  ///
  /// - Parameters:
  ///   - request: What to fetch, and how much of it at most.
  ///   - progress: Called while bytes arrive, on any thread, never after `completion`; nil costs
  ///     nothing.
  ///   - completion: Called exactly once: on this thread, before this function returns, for a
  ///     request that cannot be sent, else on the transport's thread. It must return quickly.
  /// - Returns: A number to cancel the transfer by; numbers are not used again.
  @discardableResult
  func start(
    _ request: TransportRequest,
    progress: (@Sendable (TransferProgress) -> Void)?,
    completion: @escaping Completion
  ) -> UInt64

  /// Ends a transfer with ``TransportError/cancelled``, soon and on the transport's thread; one that
  /// already ended is ignored.
  func cancel(_ id: UInt64)
}

extension Transport {
  /// The same transport, with a task for each transfer if it needs one.
  package var withCallbacks: any CallbackTransport {
    self as? any CallbackTransport ?? TaskTransport(self)
  }
}

/// Runs each transfer of any other transport in a task.
final class TaskTransport: CallbackTransport {
  private struct State {
    var lastID: UInt64 = 0
    /// The transfers that have not ended; nil until the task is known.
    var tasks: [UInt64: Task<Void, Never>?] = [:]
  }

  private let transport: any Transport
  private let state = Guarded(State())

  init(_ transport: any Transport) { self.transport = transport }

  func fetch(
    _ request: TransportRequest,
    progress: @escaping @Sendable (TransferProgress) -> Void
  ) async throws(TransportError) -> TransportResponse {
    try await transport.fetch(request, progress: progress)
  }

  @discardableResult
  func start(
    _ request: TransportRequest,
    progress: (@Sendable (TransferProgress) -> Void)?,
    completion: @escaping Completion
  ) -> UInt64 {
    let id = state.withLock { state in
      state.lastID += 1
      state.tasks[state.lastID] = .some(nil)
      return state.lastID
    }
    let task = Task { [transport, state] in
      let result: Result<TransportResponse, TransportError>
      do throws(TransportError) {
        result = .success(try await transport.fetch(request, progress: progress ?? { _ in }))
      } catch {
        result = .failure(error)
      }
      state.withLock { _ = $0.tasks.removeValue(forKey: id) }
      completion(result)
    }
    state.withLock { state in
      // A task that has ended already is not stored.
      if state.tasks.keys.contains(id) { state.tasks[id] = task }
    }
    return id
  }

  func cancel(_ id: UInt64) {
    let task = state.withLock { $0.tasks[id] ?? nil }
    task?.cancel()
  }
}
