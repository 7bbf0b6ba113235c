import Glibc
import IkranSystem

/// The settings of the terminal that the program was started from, as they were then.
struct TerminalMode: Sendable {
  private let file: CInt
  private let settings: termios

  /// Opens the terminal; nil when the program has none.
  init?() {
    let file = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard file >= 0 else { return nil }
    var settings = termios()
    guard tcgetattr(file, &settings) == 0 else {
      close(file)
      return nil
    }
    (self.file, self.settings) = (file, settings)
  }

  /// Lets keys arrive at once, without showing them; of those that send a signal, only Ctrl-C still
  /// does.
  ///
  /// C function: `tcsetattr`.
  func takeKeys() {
    var keys = settings
    keys.c_lflag &= ~tcflag_t(ICANON | ECHO)
    (keys.c_cc.1, keys.c_cc.10) = (0, 0)  // VQUIT and VSUSP: they would leave the terminal so.
    (keys.c_cc.5, keys.c_cc.6) = (0, 1)  // VTIME and VMIN: a read waits for one byte.
    tcsetattr(file, TCSANOW, &keys)
  }

  /// Puts the settings back, and drops keys that were not read.
  ///
  /// It does not wait for output, which the user may have stopped with Ctrl-S.
  func restore() {
    var settings = settings
    tcflush(file, TCIFLUSH)
    tcsetattr(file, TCSANOW, &settings)
  }

  /// Puts the settings and the cursor back when ``takeKeys()`` is in force, in a program that ends
  /// before its job does.
  func restoreIfTaken() {
    var now = termios()
    guard settings.c_lflag & tcflag_t(ICANON) != 0, tcgetattr(file, &now) == 0,
      now.c_lflag & tcflag_t(ICANON) == 0
    else { return }
    // Output that waits is dropped, and not waited for.
    tcflush(file, TCOFLUSH)
    _ = fcntl(file, F_SETFL, O_NONBLOCK)
    restore()
    _ = Output.send(Array("\u{1B}[0m\u{1B}[?25h\r\n".utf8), to: file)
  }

  /// Waits for a key, or the end of the terminal.
  ///
  /// Cancellation: it returns at once.
  func key() async {
    let (keys, sender) = AsyncStream.makeStream(of: Never.self)
    let file = file
    let started = BackgroundThread.start(name: "ikran-keys") {
      var byte: UInt8 = 0
      while read(file, &byte, 1) < 0, errno == EINTR {}
      sender.finish()
    }
    // Without a thread, signals and the end of the animation are left.
    withExtendedLifetime(started) {}
    for await _ in keys {}
  }
}
