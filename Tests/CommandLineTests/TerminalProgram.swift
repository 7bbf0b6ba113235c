import Glibc
import IkranStores
import Support
import Testing

/// A running `ikran` in a pseudo-terminal, which is its controlling terminal.
final class TerminalProgram {
  /// How a run ended.
  struct Ending: Sendable {
    let code: Int32
    /// Whether the terminal's settings are those from before.
    let isRestored: Bool
  }

  /// What it has drawn so far, as far as it was waited for.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  private var bytes: [UInt8] = []
  private let process: pid_t
  /// The side of the screen and the keyboard.
  private let screen: CInt
  private let pieces: AsyncStream<[UInt8]>
  private let endings: AsyncStream<Ending>

  /// Starts the program; when its output is not read, it has to wait as soon as the terminal is full.
  init(
    _ words: [String],
    in folder: TemporaryDirectory,
    columns: Int = 60,
    rows: Int = 20,
    isRead: Bool = true
  ) throws {
    let executable = try Program.executable()
    // A program started between `openpty` and `FD_CLOEXEC` would keep the terminal open.
    let (screen, terminal, process, before) = try oneAtATime.withLock { started in
      started += 1
      let (screen, terminal, path) = try Self.open(columns, rows)
      let before = Self.settings(terminal)
      let process = try RunningProgram.spawn(
        [executable] + words,
        folder,
        variables: ["TERM=xterm-256color"],
        flags: 0x80  // POSIX_SPAWN_SETSID: the first terminal that it opens is its own.
      ) { actions in
        posix_spawn_file_actions_addopen(&actions, 0, path, O_RDWR, 0)
        for number in 1...2 as ClosedRange<CInt> {
          posix_spawn_file_actions_adddup2(&actions, 0, number)
        }
      }
      return (screen, terminal, process, before)
    }
    self.screen = screen
    self.process = process
    let (endings, ended) = AsyncStream.makeStream(of: Ending.self)
    self.endings = endings
    BackgroundThread.start(name: "wait") {
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
      let isRestored = Self.settings(terminal) == before
      // Now nothing has the terminal open, and reading its screen ends.
      close(terminal)
      let code = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
      ended.yield(Ending(code: code, isRestored: isRestored))
      ended.finish()
    }
    pieces = isRead ? Self.read(screen) : AsyncStream { $0.finish() }
  }

  deinit { close(screen) }

  /// Whether keys arrive at once and are not shown.
  var takesKeys: Bool {
    Self.withSettings(screen) { $0.c_lflag & tcflag_t(ICANON | ECHO) == 0 }
  }

  /// Whether the program has drawn what is not read.
  var hasUnread: Bool {
    var count: CInt = 0
    return ioctl(screen, UInt(FIONREAD), &count) == 0 && count > 0
  }

  func resize(columns: Int, rows: Int) {
    var size = Self.size(columns, rows)
    _ = ioctl(screen, UInt(TIOCSWINSZ), &size)
  }

  func send(_ signal: Int32) { kill(process, signal) }

  /// Presses keys.
  func type(_ keys: String) {
    let bytes = Array(keys.utf8)
    _ = write(screen, bytes, bytes.count)
  }

  /// Waits until it has drawn `mark` so many times.
  func waits(for mark: String, times: Int = 1) async throws {
    for await piece in pieces {
      bytes += piece
      if text.occurrences(of: mark) >= times { return }
    }
    Issue.record("The program ended after: \(text.debugDescription)")
  }

  /// Waits for its end and for everything it draws.
  func ending() async throws -> Ending {
    var ending: Ending?
    for await value in endings { ending = value }
    for await piece in pieces { bytes += piece }
    return try #require(ending)
  }

  private static func open(
    _ columns: Int,
    _ rows: Int
  ) throws -> (screen: CInt, terminal: CInt, path: String) {
    var (screen, terminal): (CInt, CInt) = (-1, -1)
    var name = [CChar](repeating: 0, count: 64)
    var size = Self.size(columns, rows)
    let isOpen = openpty(&screen, &terminal, &name, nil, &size) == 0
    try #require(isOpen)
    for file in [screen, terminal] { _ = fcntl(file, F_SETFD, FD_CLOEXEC) }
    let path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
    return (screen, terminal, path)
  }

  private static func size(_ columns: Int, _ rows: Int) -> winsize {
    var size = winsize()
    (size.ws_col, size.ws_row) = (UInt16(columns), UInt16(rows))
    return size
  }

  private static func read(_ screen: CInt) -> AsyncStream<[UInt8]> {
    let (pieces, sender) = AsyncStream.makeStream(of: [UInt8].self)
    BackgroundThread.start(name: "read") {
      var piece = [UInt8](repeating: 0, count: 1 << 12)
      while true {
        let count = Glibc.read(screen, &piece, piece.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        sender.yield(Array(piece.prefix(count)))
      }
      sender.finish()
    }
    return pieces
  }

  /// Every byte of a terminal's settings.
  private static func settings(_ file: CInt) -> [UInt8] {
    withSettings(file) { settings in withUnsafeBytes(of: settings) { Array($0) } }
  }

  private static func withSettings<R>(_ file: CInt, _ body: (termios) -> R) -> R {
    var settings = termios()
    tcgetattr(file, &settings)
    return body(settings)
  }
}

extension String {
  /// How often `mark` occurs.
  func occurrences(of mark: String) -> Int {
    var (count, rest) = (0, self[...])
    while let range = rest.firstRange(of: mark) {
      count += 1
      rest = rest[range.upperBound...]
    }
    return count
  }
}
