import Glibc

/// SIGINT and other signals, received by a waiting thread instead of a handler.
enum Interruption {
  /// The signals that stop a program.
  private static let signals = [SIGINT, SIGTERM, SIGHUP]

  /// Blocks the stop signals for ``wait(takingHangups:then:orElse:)``, and makes a closed pipe and
  /// a file over its limit errors of `write`.
  ///
  /// Call it before the first thread starts: threads inherit the mask.
  static func prepare() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    // The next file that is opened must not get the number of a closed standard stream.
    var file = open("/dev/null", O_RDONLY)
    while file >= 0, file <= STDERR_FILENO { file = open("/dev/null", O_RDONLY) }
    close(file)
    // Shells start background jobs with SIGINT ignored, but a signal that arrives counts. SIGHUP
    // stays ignored under nohup.
    for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
    var set = set
    sigprocmask(SIG_BLOCK, &set, nil)
  }

  /// Unblocks the calling thread's signals, for a program that replaces this one.
  static func undo() {
    for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_DFL) }
    var none = sigset_t()
    sigemptyset(&none)
    sigprocmask(SIG_SETMASK, &none, nil)
  }

  /// An element for each SIGHUP that did not stop the program; one for those that arrive while it
  /// is not waited for.
  static var hangups: AsyncStream<Void> { hangupStream.stream }

  private static let hangupStream = AsyncStream<Void>.makeStream(
    bufferingPolicy: .bufferingNewest(1)
  )

  /// Waits for signals on the calling thread; never returns.
  ///
  /// On the first one it calls `stop` and gives the job ten seconds to end the process; then, or on
  /// a second signal, it calls `tidyUp` and ends the process. With `takingHangups` SIGHUP does not
  /// count, but is an element of ``hangups``, and the job has a limit of its own.
  static func wait(
    takingHangups: Bool,
    then stop: () -> Void,
    orElse tidyUp: () -> Void
  ) -> Never {
    var set = set
    var number: CInt = 0
    while sigwait(&set, &number) != 0 || takingHangups && number == SIGHUP {
      if number == SIGHUP { hangupStream.continuation.yield() }
    }
    stop()
    if takingHangups { sigdelset(&set, SIGHUP) }
    var patience = timespec(tv_sec: takingHangups ? .max : 10, tv_nsec: 0)
    while sigtimedwait(&set, nil, &patience) < 0, errno == EINTR {}  // A debugger's signal.
    tidyUp()
    exit(exitCode)
  }

  /// The exit code of a job that was stopped: 128 + SIGINT, as in shells.
  static let exitCode: CInt = 130

  /// Ends the process without exit handlers; no output is buffered.
  ///
  /// Exit handlers of C libraries would free memory that the threads of a pipeline still use.
  static func exit(_ code: CInt) -> Never { Glibc._exit(code) }

  private static var set: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for number in signals { sigaddset(&set, number) }
    return set
  }
}
