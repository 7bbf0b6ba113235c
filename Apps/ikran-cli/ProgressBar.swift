import Ikran
import IkranTransport

/// A progress bar on a terminal; nothing in a pipe.
struct ProgressBar {
  private let output: Output
  private let width: Int?
  private let clock = ContinuousClock()
  private var lastDrawn: ContinuousClock.Instant?

  /// Creates a bar; nothing appears before the first update, or at all where it is not shown.
  init(on output: Output, isShown: Bool = true) {
    self.output = output
    width = isShown ? Terminal.width : nil
  }

  /// Shows the state, at most ten times a second; `total` is nil when it is unknown.
  mutating func show(done: Int, of total: Int?, note: @autoclosure () -> String) {
    guard let width else { return }
    let now = clock.now
    if let lastDrawn, now - lastDrawn < .milliseconds(100) { return }
    lastDrawn = now
    output.draw(Self.line(done: done, total: total, note: note(), width: width))
  }

  /// Shows how much of a download has arrived.
  mutating func show(_ progress: TransferProgress) {
    let note = ProgressBar.bytes(progress.received)
    show(done: progress.received, of: progress.expected, note: note)
  }

  /// Clears the bar so that other lines can follow.
  mutating func clear() {
    guard lastDrawn != nil else { return }
    lastDrawn = nil
    output.draw("")
  }

  /// The text of a bar, shorter than `width` so that the terminal never wraps it.
  static func line(done: Int, total: Int?, note: String, width: Int) -> String {
    let room = max(width - 1, 0)
    guard let total, total > 0 else { return String(note.prefix(room)) }
    let share = min(max(Double(done) / Double(total), 0), 1)
    let percent = "\(Int(share * 100))"
    let tail = " \(String(repeating: " ", count: 3 - percent.count))\(percent) %  \(note)"
    let cells = min(room - tail.count, 40)
    guard cells >= 4 else { return String(tail.dropFirst().prefix(room)) }
    let filled = Int(share * Double(cells))
    return String(repeating: "█", count: filled)
      + String(repeating: "░", count: cells - filled) + tail
  }

  /// A byte count with a unit.
  static func bytes(_ count: Int) -> String {
    let units = ["B", "KB", "MB", "GB", "TB"]
    var value = Double(count)
    var unit = 0
    while value >= 999.5, unit < units.count - 1 {
      value /= 1000
      unit += 1
    }
    let isWhole = unit == 0 || value >= 99.95
    let digits = isWhole ? "\(Int(value.rounded()))" : "\((value * 10).rounded() / 10)"
    return "\(digits) \(units[unit])"
  }
}
