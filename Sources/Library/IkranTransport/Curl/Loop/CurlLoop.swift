#if CLibraries
import CCurl
import IkranSystem
import Synchronization

// Decision 8: libcurl's multi interface on a thread of its own.
/// The thread that moves all bytes, and the inbox through which other threads send it commands.
///
/// Only the loop's thread touches transfers; it alone calls completions, so that each is called
/// once and no progress is reported afterwards.
final class CurlLoop: Sendable {
  enum Command: Sendable {
    case start(CurlJob)
    case cancel(UInt64)
  }

  private struct Inbox {
    var commands: [Command] = []
    /// The thread sleeps or is about to: the next command must wake it.
    var isAsleep = false
    var isStopped = false
  }

  private let inbox = Guarded(Inbox())
  private let multi: CurlMultiHandle
  private let options: CurlOptions
  private let connectionCount = Atomic<Int>(0)
  /// The cookies that are kept now.
  let knownCookies = Guarded(CookieList())
  private let wakeUpCount = Atomic<Int>(0)

  private init(_ options: CurlOptions, multi: CurlMultiHandle) {
    self.options = options
    self.multi = multi
  }

  /// A loop whose thread runs, or nil when the system has no memory or thread to give.
  static func started(_ options: CurlOptions) -> CurlLoop? {
    guard let multi = CurlMultiHandle(options) else { return nil }
    let loop = CurlLoop(options, multi: multi)
    return BackgroundThread.start(name: "ikran-curl") { loop.run() } ? loop : nil
  }

  /// The number of wake-ups so far; each is a system call.
  var wakeUps: Int { wakeUpCount.load(ordering: .relaxed) }

  var openedConnections: Int { connectionCount.load(ordering: .relaxed) }

  /// Takes a job over; it ends as cancelled when the loop has stopped.
  func start(_ job: CurlJob) {
    if !send(.start(job)) { job.complete(.failure(.cancelled)) }
  }

  /// Ends a job; one that already ended, or never came, is ignored.
  func cancel(_ id: UInt64) { _ = send(.cancel(id)) }

  /// Ends the thread, and every job it has as cancelled.
  func stop() {
    inbox.withLock { $0.isStopped = true }
    multi.wakeUp()
  }

  /// One wake-up serves all commands that arrive before the thread reads them; the thread itself,
  /// in a completion, sends without one.
  private func send(_ command: Command) -> Bool {
    let (isAccepted, mustWake) = inbox.withLock { inbox in
      guard !inbox.isStopped else { return (false, false) }
      inbox.commands.append(command)
      let wasAsleep = inbox.isAsleep
      inbox.isAsleep = false
      return (true, wasAsleep)
    }
    if mustWake {
      wakeUpCount.add(1, ordering: .relaxed)
      multi.wakeUp()
    }
    return isAccepted
  }

  private var hasCommands: Bool { inbox.withLock { !$0.commands.isEmpty } }

  private func run() {
    ikran_curl_keep_freed_memory()
    let worker = CurlWorker(multi: multi, options: options, knownCookies: knownCookies)
    while true {
      let (commands, isStopped) = inbox.withLock { inbox in
        inbox.isAsleep = false
        let commands = inbox.commands
        inbox.commands = []
        return (commands, inbox.isStopped)
      }
      for command in commands {
        switch command {
        case .start(let job): worker.accept(job)
        case .cancel(let id): worker.cancel(id)
        }
      }
      if isStopped { return worker.cancelAll() }
      let hasNewTransfers = worker.moveBytes()
      connectionCount.store(worker.openedConnections, ordering: .relaxed)
      // What completions have just started runs before the sockets are polled.
      if hasNewTransfers || hasCommands || worker.mayDelay() { continue }
      let maySleep = inbox.withLock { inbox in
        inbox.isAsleep = inbox.commands.isEmpty && !inbox.isStopped
        return inbox.isAsleep
      }
      if maySleep { multi.sleep() }
    }
  }
}
#endif
