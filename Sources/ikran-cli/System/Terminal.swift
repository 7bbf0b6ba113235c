import Glibc

/// The terminal on standard error.
enum Terminal {
  /// Its width in characters; nil when standard error cannot redraw a line.
  static var width: Int? {
    guard isatty(STDERR_FILENO) == 1 else { return nil }
    if let kind = getenv("TERM"), String(cString: kind) == "dumb" { return nil }
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
}
