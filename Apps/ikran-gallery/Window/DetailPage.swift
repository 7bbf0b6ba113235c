import Ikran
import IkranGTK

/// One picture, large, and what is known of it.
@MainActor
final class DetailPage {
  let box: Box
  private let picture = Picture().layout(expands: (true, true), margin: margin)
  private let name = Label().leading().wrapped(characters: 24).cssClasses("title-2")
  private let message = Label().leading().wrapped(characters: 34).cssClasses("error")
  private let values: [Label]
  private let next: Button
  private let pipelines: Pipelines
  private var description: Task<Void, Never>?
  private var shown: (item: Item, mode: Mode)?
  /// The room for the picture, in points.
  private var area: PixelSize?
  private var isDescribing = false
  private var failure: Bitmap?

  private static let sideWidth = 336
  private static let margin = 24

  private static let titles = [
    "Address", "Format", "Size", "Frames", "File", "From", "Total", "Queue", "Connection",
    "First byte", "Transfer", "Decoding", "Style",
  ]
  /// The first of the times.
  private static let firstTime = 6

  init(_ pipelines: Pipelines, step: @escaping @MainActor (Int) -> Void) {
    self.pipelines = pipelines
    values = Self.titles.map { _ in
      Label("–").leading().ellipsized(inMiddle: true, characters: 26)
        .layout(expands: (true, false)).cssClasses("numeric")
    }
    let (about, times) = (Rows(), Rows())
    for (index, title) in Self.titles.enumerated() {
      let label = Label(title).leading().widthChars(10).cssClasses("dim-label")
      let isTime = index >= Self.firstTime
      (isTime ? times : about)
        .set(isTime ? index - Self.firstTime : index, label, values[index])
    }
    next = Button(icon: "go-next-symbolic", name: "Next (Right)") { step(1) }
    let previous = Button(icon: "go-previous-symbolic", name: "Previous (Left)") { step(-1) }
    let steps = Box.row(spacing: 6, previous, next)
    let heading = Label("Times").leading().cssClasses("heading")
    let side = Box.column(spacing: 14, name, message, about, heading, times)
    let column = Box.column(spacing: 14, side.layout(expands: (false, true)), steps)
      .layout(margin: 18).sizeRequest(width: 300)
    box = Box.row(picture, Box.column(column).cssClasses("side"))
    message.setVisible(false)
  }

  /// Chooses what is shown where there is no picture.
  func setTheme(isDark: Bool) { failure = AppIcon.failure(isDark: isDark) }

  /// Loads an item's picture as large as there is room, and tells about it.
  ///
  /// - Parameters:
  ///   - item: What is shown.
  ///   - mode: Where it comes from.
  ///   - width: Of the page, in points.
  ///   - height: Of the page, in points.
  func show(_ item: Item, _ mode: Mode, width: Int, height: Int) {
    for value in values { value.set("–") }
    values[0].set(item.location)
    values[0].setTooltip(item.location)
    name.set(item.name)
    picture.accessibleLabel(item.name)
    picture.imageTarget.clearImage()
    shown = (item, mode)
    load(width, height, placeholder: nil)
  }

  /// The page has another size: the picture stays until it is there as large as there is room now.
  func fit(width: Int, height: Int) {
    guard shown != nil, area != Self.area(width, height) else { return }
    load(width, height, placeholder: picture.imageTarget.image)
  }

  private static func area(_ width: Int, _ height: Int) -> PixelSize {
    PixelSize(
      width: max(64, width - sideWidth - 2 * margin),
      height: max(64, height - 2 * margin)
    )
  }

  private func load(_ width: Int, _ height: Int, placeholder: Bitmap?) {
    guard let (item, mode) = shown else { return }
    let area = Self.area(width, height)
    self.area = area
    let (across, down) = (Double(area.width), Double(area.height))
    let style = Style.fit(width: across, height: down, enlarges: false)
    let request = ImageRequest(location: item.location, style: style, priority: .high)
    let pipeline = pipelines[mode]
    message.setVisible(false)
    description?.cancel()
    isDescribing = true
    pipelines.counts.watch(item.location)
    var options = DisplayOptions(
      placeholder: placeholder.map { .picture($0) },
      failure: failure.map { .picture($0) },
      indicator: .progress,
      transition: placeholder == nil ? .fade(.milliseconds(150)) : nil,
      contentMode: .scaleDown,
      onChange: { [weak self] in self?.follow($0, request, pipeline) }
    )
    options.transition?.runsForCachedImages = true
    picture.imageTarget.setImage(request, from: pipeline, options: options)
  }

  private func follow(
    _ state: ImageTarget.State,
    _ request: ImageRequest,
    _ pipeline: ImagePipeline
  ) {
    switch state {
    case .empty, .loading: break
    case .failed(let error):
      isDescribing = false
      message.set("\(error)")
      message.setVisible(true)
    case .shown(let source):
      values[5].set(source.rawValue)
      showTimes()
      description?.cancel()
      description = Task {
        await describe(request, pipeline)
        if !Task.isCancelled { isDescribing = false }
      }
    }
  }

  /// Takes the keyboard.
  func focus() { next.focus() }

  /// Whether the picture is shown, or why there is none, and what is known of it.
  var isSettled: Bool {
    switch picture.imageTarget.state {
    case .shown, .failed: !isDescribing
    case .empty, .loading: false
    }
  }

  /// Shows nothing any more.
  func leave() {
    shown = nil
    description?.cancel()
    picture.imageTarget.clearImage()
  }

  /// Tells about the file, which the caches have now.
  private func describe(_ request: ImageRequest, _ pipeline: ImagePipeline) async {
    guard let bytes = try? await pipeline.data(for: request), !Task.isCancelled,
      let info = try? CodecList.isolatedStandard.probe(bytes.span)
    else { return }
    values[1].set(info.format.rawValue.uppercased() + (info.hasAlpha ? ", with alpha" : ""))
    values[2].set("\(info.size.width) × \(info.size.height)")
    values[3].set(NumberText.count(info.frames))
    values[4].set(NumberText.bytes(bytes.count))
  }

  private func showTimes() {
    let metrics = pipelines.counts.snapshot.watched?.metrics ?? RequestMetrics()
    let times: [Duration] = [
      metrics.total, metrics.queue, metrics.transfer?.connect ?? .zero,
      metrics.transfer?.firstByte ?? .zero, metrics.transfer?.total ?? .zero, metrics.decode,
      metrics.style,
    ]
    for (value, time) in zip(values[Self.firstTime...], times) {
      value.set(NumberText.milliseconds(time))
    }
  }
}
