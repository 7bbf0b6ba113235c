import Glibc

/// Ctrl-C and its relatives, received in order instead of in a handler.
enum Interruption {
  /// The signals that ask a program to stop.
  private static let signals = [SIGINT, SIGTERM, SIGHUP]

  /// Holds the stop signals back for ``wait(then:)``, and makes a closed pipe and a file over its
  /// limit errors of `write`.
  ///
  /// Call it before the first thread starts: threads inherit the mask.
  static func prepare() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    // A stream that is closed must not become the number of the next file that is opened.
    var file = open("/dev/null", O_RDONLY)
    while file >= 0, file <= STDERR_FILENO { file = open("/dev/null", O_RDONLY) }
    close(file)
    // Shells start background jobs deaf to Ctrl-C, but whoever sends the signal means it. SIGHUP
    // stays as it is: nohup's doing.
    for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
    var set = set
    sigprocmask(SIG_BLOCK, &set, nil)
  }

  /// Gives the calling thread's signals back, for a program that takes this one's place.
  static func undo() {
    for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_DFL) }
    var none = sigset_t()
    sigemptyset(&none)
    sigprocmask(SIG_SETMASK, &none, nil)
  }

  /// Keeps the calling thread for signals; never returns.
  ///
  /// At the first one it calls `stop` and leaves the job ten seconds to end the process itself;
  /// then, or at a second signal, it ends the process.
  static func wait(then stop: () -> Void) -> Never {
    var set = set
    var number: CInt = 0
    while sigwait(&set, &number) != 0 {}
    stop()
    var patience = timespec(tv_sec: 10, tv_nsec: 0)
    while sigtimedwait(&set, nil, &patience) < 0, errno == EINTR {}  // A debugger passed by.
    exit(exitCode)
  }

  /// The exit code of a job that was stopped: 128 and SIGINT, as shells count.
  static let exitCode: CInt = 130

  /// Ends the process; nothing here is buffered.
  ///
  /// Exit handlers of C libraries would free what the threads of a pipeline still use.
  static func exit(_ code: CInt) -> Never { Glibc._exit(code) }

  private static var set: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for number in signals { sigaddset(&set, number) }
    return set
  }
}
