import CPeers

/// The minimal cost of a body for which a task waits.
///
/// libcurl in C on a separate thread, and one continuation per body: nothing is checked, limited,
/// stored or cancelled.
struct TaskFloor {
  private typealias Continuation = UnsafeContinuation<Int, Never>

  /// A continuation in a form that C can pass on.
  private final class Waiter {
    let continuation: Continuation

    init(_ continuation: Continuation) { self.continuation = continuation }
  }

  /// Nil when there is a fetcher already, or no thread for one.
  init?(connections: Int) {
    let isRunning = peers_fetcher_start(CInt(connections)) { context, length in
      let waiter = Unmanaged<Waiter>.fromOpaque(context).takeRetainedValue()
      waiter.continuation.resume(returning: length)
    }
    guard isRunning else { return nil }
  }

  /// Downloads all bodies at once, a task each.
  func downloadAll(_ url: String, count: Int) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<count {
        group.addTask {
          let address = "\(url)/\(index).bin"
          let length = await withUnsafeContinuation { (continuation: Continuation) in
            let waiter = Unmanaged.passRetained(Waiter(continuation))
            peers_fetcher_fetch(address, waiter.toOpaque())
          }
          guard length > 0 else { throw PeerEnded() }
        }
      }
      try await group.waitForAll()
    }
  }
}
