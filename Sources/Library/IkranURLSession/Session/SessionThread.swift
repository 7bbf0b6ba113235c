import IkranSystem

/// The thread that gives sessions their commands.
///
/// Each command of FoundationNetworking waits for a queue that may be busy with bytes. On a
/// cooperative thread, or on the delegate's, a few of them would leave no thread to any other task
/// of the program.
final class SessionThread: Sendable {
  private let pool = WorkerPool<Void>(name: "ikran-session", threads: 1) { _ in () }

  /// Runs a command after those before it; it runs even when the transport is released.
  func run(_ command: @escaping @Sendable () -> Void) {
    pool.submit(id: pool.nextID(), priority: { 0 }) { _ in
      withExtendedLifetime(self) { command() }
    } dropped: {
    }
  }
}
