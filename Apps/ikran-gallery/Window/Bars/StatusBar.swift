import Ikran

/// The bar at the bottom: where pictures came from, and how long frames took.
@MainActor
final class StatusBar {
  let box: Scroller
  private let numbers: Box
  private let drawn: Box
  private let counts: SourceCounts
  private let mixBar: DrawingArea
  private let plot: DrawingArea
  private let mixLabels: [Label]
  private let decodes = Label().leading().ellipsized().cssClasses("dim-label", "caption", "numeric")
  private let frames = Label().leading().cssClasses("caption", "numeric")
  private let more = Label().leading().cssClasses("dim-label", "caption", "numeric")
  private let compared = Label().leading().cssClasses("dim-label", "caption", "numeric")
  private let shown = Shown()

  /// What the drawings show.
  @MainActor
  private final class Shown {
    var mix = SourceCounts.Snapshot()
    var decodes = 0
    var times = FrameTimes(capacity: 1)
    var isDark = false
  }

  private static let titles = ["memory", "table", "disk", "network"]
  private static let colors = [
    Color(red: 53, green: 132, blue: 228), Color(red: 46, green: 194, blue: 126),
    Color(red: 229, green: 165, blue: 10), Color(red: 192, green: 97, blue: 203),
  ]
  /// How many frames the plot shows, one in a point.
  static let plottedFrames = 240
  /// The least widths of bars with the plot and with the times of frames, in points.
  private static let plotWidth = 880
  private static let numbersWidth = 570
  private static let late = Color(red: 224, green: 27, blue: 36)
  /// The time at the top of the plot, in milliseconds.
  private static let highest = 2 * FrameTimes.budget

  init(_ counts: SourceCounts) {
    self.counts = counts
    let shown = shown
    mixBar = DrawingArea { Self.drawMix(on: $0, shown) }.sizeRequest(height: 8)
      .accessibleLabel("Where pictures came from")
    plot = DrawingArea { Self.drawPlot(on: $0, shown) }.sizeRequest(
      width: Self.plottedFrames,
      height: 40
    )
    .accessibleLabel("Times of the last frames that scrolled")
    mixLabels = Self.titles.map { Label("\($0) 0").cssClasses("caption", "numeric") }
    let legend = Box.row(spacing: 5)
    for (title, label) in zip(Self.titles, mixLabels) {
      legend.append(Label("●").cssClasses("caption", "source-\(title)"))
      legend.append(label)
      legend.append(Label().sizeRequest(width: 6))
    }
    legend.append(decodes.layout(expands: (true, false)))
    let mix = Box.column(spacing: 6, legend, mixBar)
      .layout(expands: (true, false), vertical: .center)
    numbers = Box.column(spacing: 2, frames.widthChars(25), more, compared)
      .layout(vertical: .center)
    // Next to the line in the middle of the plot.
    let axis = Label("16.7 ms").cssClasses("dim-label", "caption", "numeric").layout(
      vertical: .center
    )
    drawn = Box.row(spacing: 6, plot.layout(vertical: .center), axis)
    let row = Box.row(spacing: 18, mix, numbers, drawn)
    box = Scroller(row, across: .cut, down: .none).cssClasses("status")
    compared.setVisible(false)
    update(FrameTimes(capacity: 1), decodes: 0, isDark: false)
  }

  /// The bar has this width, in points: it shows what there is room for.
  func fit(width: Int) {
    drawn.setVisible(width >= Self.plotWidth)
    numbers.setVisible(width >= Self.numbersWidth)
  }

  /// Shows the present numbers.
  ///
  /// - Returns: Whether they are others than before.
  @discardableResult
  func update(_ times: FrameTimes, decodes count: Int, isDark: Bool) -> Bool {
    let mix = counts.snapshot
    // The bar's own frame is no news.
    let isNew =
      times.count > shown.times.count + 1 || mix.mix.map(\.count) != shown.mix.mix.map(\.count)
      || count != shown.decodes
    guard isNew || isDark != shown.isDark || times.count < 2 else { return false }
    (shown.mix, shown.times, shown.isDark, shown.decodes) = (mix, times, isDark, count)
    for (index, part) in mix.mix.enumerated() {
      mixLabels[index].set("\(Self.titles[index]) \(NumberText.count(part.count))")
    }
    let failures = mix.failures == 0 ? "" : " · \(NumberText.count(mix.failures)) failed"
    decodes.set("\(NumberText.count(count)) decoded\(failures)")
    setFrames(times)
    mixBar.redraw()
    plot.redraw()
    return true
  }

  private func setFrames(_ times: FrameTimes) {
    guard !times.recent.isEmpty else {
      frames.set("no frames yet")
      return more.set("scroll to measure them")
    }
    let parts = [0.5, 0.99].map { NumberText.tenths(times.percentile($0)) }
    frames.set("frame p50 \(parts[0]) · p99 \(parts[1]) ms")
    more.set("\(times.overBudget) of the last \(times.recent.count) over 16.7 ms")
  }

  /// Shows the 99th percentile of frame times in modes that were tried before; nothing without any.
  func compare(_ earlier: [(mode: Mode, milliseconds: Double)]) {
    let words = earlier.map { "\($0.mode.title) \(NumberText.tenths($0.milliseconds))" }
    compared.set("p99 before: \(words.joined(separator: ", "))")
    compared.setVisible(!earlier.isEmpty)
  }

  private static func drawMix(on drawing: Drawing, _ shown: Shown) {
    let (width, height) = (drawing.width, drawing.height)
    drawing.clip(x: 0, y: 0, width: width, height: height, radius: height / 2)
    drawing.setColor(shown.isDark ? .white : .black, alpha: 0.1)
    drawing.fill(x: 0, y: 0, width: width, height: height)
    let mix = shown.mix.mix
    let all = mix.reduce(0) { $0 + $1.count }
    guard all > 0 else { return }
    var left = 0.0
    for (part, color) in zip(mix, colors) {
      let share = Double(part.count) / Double(all) * width
      drawing.setColor(color)
      drawing.fill(x: left, y: 0, width: share, height: height)
      left += share
    }
  }

  private static func drawPlot(on drawing: Drawing, _ shown: Shown) {
    let (width, height) = (drawing.width, drawing.height)
    let ink: Color = shown.isDark ? .white : .black
    drawing.clip(x: 0, y: 0, width: width, height: height, radius: 5)
    drawing.setColor(ink, alpha: 0.06)
    drawing.fill(x: 0, y: 0, width: width, height: height)
    let times = shown.times.times.suffix(Int(width))
    var left = width - Double(times.count)
    for time in times {
      let bar = max(1, min(time / highest, 1) * height)
      drawing.setColor(time > FrameTimes.budget ? late : colors[0])
      drawing.fill(x: left, y: height - bar, width: 1, height: bar)
      left += 1
    }
    drawing.setColor(ink, alpha: 0.35)
    drawing.line(y: height / 2)
    for mark in shown.times.marks {
      drawing.line(x: width - Double(shown.times.count - mark))
    }
  }
}
