import Ikran
import IkranGTK

/// One picture, large, and what is known of it.
@MainActor
final class DetailPage {
  let box: Box
  private let picture = Picture().placed(expands: (true, true), margin: 24)
  private let name = Label().leading().wrapped(characters: 24).styled("title-2")
  private let message = Label().leading().wrapped(characters: 34).styled("error")
  private let values: [Label]
  private let next: Button
  private let pipelines: Pipelines
  private var load: Task<Void, Never>?
  private var isDescribing = false
  private var failure: Bitmap?

  private static let titles = [
    "Address", "Format", "Size", "Frames", "File", "From", "Total", "Queue", "Connection",
    "First byte", "Transfer", "Decoding", "Style",
  ]
  /// The first of the times.
  private static let firstTime = 6

  init(_ pipelines: Pipelines, step: @escaping @MainActor (Int) -> Void) {
    self.pipelines = pipelines
    values = Self.titles.map { _ in
      Label("–").leading().shortened(inMiddle: true, characters: 26)
        .placed(expands: (true, false)).styled("numeric")
    }
    let (about, times) = (Rows(), Rows())
    for (index, title) in Self.titles.enumerated() {
      let label = Label(title).leading().wide(10).styled("dim-label")
      let isTime = index >= Self.firstTime
      (isTime ? times : about)
        .set(isTime ? index - Self.firstTime : index, label, values[index])
    }
    next = Button(icon: "go-next-symbolic", name: "Next (Right)") { step(1) }
    let previous = Button(icon: "go-previous-symbolic", name: "Previous (Left)") { step(-1) }
    let steps = Box.row(spacing: 6, previous, next)
    let heading = Label("Times").leading().styled("heading")
    let side = Box.column(spacing: 14, name, message, about, heading, times)
    let column = Box.column(spacing: 14, side.placed(expands: (false, true)), steps)
      .placed(margin: 18).sized(width: 300)
    box = Box.row(picture, Box.column(column).styled("side"))
    message.setVisible(false)
  }

  /// Chooses what is shown where there is no picture.
  func setTheme(isDark: Bool) { failure = AppIcon.failure(isDark: isDark) }

  /// Loads an item's picture as it is, and tells about it.
  func show(_ item: Item, _ mode: Mode) {
    let pipeline = pipelines[mode]
    let request = ImageRequest(location: item.location, style: .original, priority: .high)
    for value in values { value.set("–") }
    values[0].set(item.location)
    values[0].setTooltip(item.location)
    name.set(item.name)
    message.setVisible(false)
    picture.named(item.name)
    var options = ViewOptions(
      failure: failure.map { .picture($0) },
      indicator: .progress,
      transition: .fade(.milliseconds(150)),
      contentMode: .scaleDown
    )
    options.animatesCacheHits = true
    picture.imageView.clearImage()
    picture.imageView.setImage(request, from: pipeline, options: options)
    load?.cancel()
    isDescribing = true
    load = Task {
      await describe(request, pipeline)
      if !Task.isCancelled { isDescribing = false }
    }
  }

  /// Takes the keyboard.
  func focus() { next.focus() }

  /// Whether the picture is shown, or why there is none, and what is known of it.
  var isSettled: Bool {
    switch picture.imageView.state {
    case .shown, .failed: !isDescribing
    case .empty, .loading: false
    }
  }

  /// Shows nothing any more.
  func leave() {
    load?.cancel()
    picture.imageView.clearImage()
  }

  private func describe(_ request: ImageRequest, _ pipeline: ImagePipeline) async {
    do throws(ImageError) {
      let response = try await pipeline.response(for: request)
      guard !Task.isCancelled else { return }
      show(response)
      let bytes = try await pipeline.data(for: request)
      guard !Task.isCancelled, let info = try? CodecList.standard.probe(bytes.span) else { return }
      values[1].set(info.format.rawValue.uppercased() + (info.hasAlpha ? ", with alpha" : ""))
      values[4].set(NumberText.bytes(bytes.count))
    } catch {
      if case .cancelled = error { return }
      message.set("\(error)")
      message.setVisible(true)
    }
  }

  private func show(_ response: ImageResponse) {
    let (size, metrics) = (response.image.size, response.metrics)
    values[2].set("\(size.width) × \(size.height)")
    values[3].set(NumberText.count(response.frames))
    values[5].set(response.source.rawValue)
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
