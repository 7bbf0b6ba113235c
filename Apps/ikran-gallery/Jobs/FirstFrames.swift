/// How soon the first pictures of a new process are drawn.
@MainActor
final class FirstFrames {
  private let gallery: Gallery
  private let output: Output
  private var start: Double?
  private var frames = 0
  /// The pictures in the first frame, and its time.
  private var first: (shown: Int, missing: Int, time: Double)?
  private var end: Double?

  init(_ gallery: Gallery, _ output: Output) {
    (self.gallery, self.output) = (gallery, output)
    gallery.window.onMap { self.start = FrameClock.now }
    gallery.afterFrame = { _ in self.recordFrame() }
  }

  private func recordFrame() {
    guard start != nil, end == nil else { return }
    frames += 1
    let filled = gallery.filled
    if first == nil { first = (filled.yes, filled.no, FrameClock.now) }
    if filled.yes > 0, filled.no == 0 { end = FrameClock.now }
  }

  /// Waits for them and prints a JSON object; false when they do not come within half a minute.
  func run() async -> Bool {
    let limit = FrameClock.now + 30_000
    while end == nil, FrameClock.now < limit {
      // A grid that is loading draws no frames by itself.
      gallery.window.frames?.requestFrame()
      try? await Task.sleep(for: .milliseconds(5))
    }
    guard let start, let first, let end else {
      output.complain("the first pictures have not arrived within half a minute")
      return false
    }
    let report: JSON = [
      "shownInFirstFrame": .integer(first.shown),
      "missingInFirstFrame": .integer(first.missing),
      "firstFrameMs": .rounded(first.time - start), "framesUntilComplete": .integer(frames),
      "completeMs": .rounded(end - start),
    ]
    try? output.line(report.text)
    return true
  }
}
