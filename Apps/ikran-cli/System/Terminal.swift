import Glibc
import Ikran

/// The terminals on standard error and standard output.
enum Terminal {
  /// The width in characters of the one on standard error; nil when it cannot redraw a line.
  static var width: Int? {
    guard isatty(STDERR_FILENO) == 1, !isDumb else { return nil }
    return size(of: STDERR_FILENO).columns
  }

  /// The size of the one on standard output; nil when that is no terminal, or one that can only
  /// print lines.
  static var screen: TerminalSize? {
    isatty(STDOUT_FILENO) == 1 && !isDumb ? size(of: STDOUT_FILENO) : nil
  }

  private static var isDumb: Bool { getenv("TERM").map { String(cString: $0) } == "dumb" }

  /// C function: `ioctl`, `TIOCGWINSZ`.
  private static func size(of file: CInt) -> TerminalSize {
    var window = winsize()
    guard ioctl(file, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0 else {
      return TerminalSize(columns: 80, rows: 24)
    }
    let (columns, rows) = (Int(window.ws_col), max(1, Int(window.ws_row)))
    let cell = PixelSize(
      width: Int(window.ws_xpixel) / columns,
      height: Int(window.ws_ypixel) / rows
    )
    return TerminalSize(columns: columns, rows: rows, cell: cell.isPositive ? cell : nil)
  }
}

/// A terminal's size in characters.
struct TerminalSize: Sendable, Hashable {
  var columns: Int
  var rows: Int
  /// The pixels of a character; nil when the terminal does not say.
  var cell: PixelSize?
}
