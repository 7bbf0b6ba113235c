import IkranPOSIX

/// A detached thread, for work that blocks or polls and so must not occupy a cooperative thread.
package enum BackgroundThread {
  /// The arguments of the new thread; retained once by `start`, released once by the thread.
  private final class Start: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }

  /// Yields the processor to other threads.
  ///
  /// C function: `sched_yield`.
  package static func yield() { sched_yield() }

  /// Lets other threads run for a tenth of a millisecond.
  ///
  /// C function: `usleep`.
  package static func pause() { usleep(100) }

  /// Lets other threads run for so long, or a little longer.
  ///
  /// C function: `nanosleep`.
  package static func sleep(nanoseconds: Int64) {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(rest))
    var left = timespec()
    // A signal ends it early, and leaves the rest.
    while nanosleep(&time, &left) != 0 && errno == EINTR { time = left }
  }

  /// Starts a detached thread that runs `body` once and ends.
  ///
  /// It receives no signals: the program's threads handle them, and a write to a closed connection
  /// fails with `EPIPE` here instead of killing the process.
  ///
  /// - Parameters:
  ///   - name: What debuggers show; the system keeps its first 15 bytes.
  ///   - body: What the thread does.
  /// - Returns: False when the system has no thread to give; `body` then never runs.
  @discardableResult
  package static func start(name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
    let start = Unmanaged.passRetained(Start(name: name, body: body))
    // A new thread inherits the signal mask of the thread that creates it.
    var everySignal = sigset_t()
    var previous = sigset_t()
    sigfillset(&everySignal)
    // Faults stay unblocked: sanitizers and crash reporters handle them on the faulting thread.
    for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT] {
      sigdelset(&everySignal, fault)
    }
    pthread_sigmask(SIG_BLOCK, &everySignal, &previous)
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }

    guard Platform.startThread(start.toOpaque()) else {
      start.release()
      return false
    }
    return true
  }

  /// The first function on the new thread.
  fileprivate static func run(_ context: UnsafeMutableRawPointer) {
    let start = Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
    Platform.nameThread(start.name)
    start.body()
  }
}

/// The function that ``Platform/startThread(_:)`` gives the system.
func runBackgroundThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let context { BackgroundThread.run(context) }
  return nil
}
