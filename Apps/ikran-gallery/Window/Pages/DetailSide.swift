import Ikran

/// What is known of the picture that is shown large, in a column.
@MainActor
final class DetailSide {
  /// As wide as ``width`` where there is so much room.
  let panel: Scroller
  private let name = Label().leading().wrapped(characters: 24).cssClasses("title-2")
  private let message = Label().leading().wrapped(characters: 34).cssClasses("error")
  private let values: [Line: Label]
  private let camera = CameraRows()
  private let next: Button

  /// In points.
  static let width = 336

  /// A line of a name and a value.
  enum Line: String, CaseIterable {
    case address = "Address"
    case format = "Format"
    case size = "Size"
    case frames = "Frames"
    case file = "File"
    case source = "From"
    case total = "Total"
    case queue = "Queue"
    case connection = "Connection"
    case firstByte = "First byte"
    case transfer = "Transfer"
    case decoding = "Decoding"
    case style = "Style"

    static let times: [Line] = [
      .total, .queue, .connection, .firstByte, .transfer, .decoding, .style,
    ]
  }

  /// Makes a column with buttons for other pictures, so many places after the present one.
  init(step: @escaping @MainActor (Int) -> Void) {
    var values: [Line: Label] = [:]
    let (about, times) = (Rows(), Rows())
    for (row, line) in Line.allCases.enumerated() {
      let value = Label("–").leading().ellipsized(inMiddle: true, characters: 26)
        .layout(expands: (true, false)).cssClasses("numeric")
      let label = Label(line.rawValue).leading().widthChars(10).cssClasses("dim-label")
      (Line.times.contains(line) ? times : about).set(row, label, value)
      values[line] = value
    }
    self.values = values
    next = Button(icon: "go-next-symbolic", name: "Next (Right)") { step(1) }
    let previous = Button(icon: "go-previous-symbolic", name: "Previous (Left)") { step(-1) }
    let steps = Box.row(spacing: 6, previous, next)
    let heading = Label("Times").leading().cssClasses("heading")
    let lines = Box.column(spacing: 14, name, message, about, camera.box, heading, times)
    let column = Box.column(spacing: 14, lines.layout(expands: (false, true)), steps)
      .layout(margin: 18).sizeRequest(width: 300)
    panel = Scroller(column, across: .cut, down: .scrolled).cssClasses("side")
    message.setVisible(false)
  }

  /// Shows what is known of an item before it is loaded.
  func begin(_ item: Item) {
    forget()
    set(.address, item.location)
    values[.address]?.setTooltip(item.location)
    name.set(item.name)
  }

  /// Shows nothing of the file but its address.
  func forget() {
    for (line, value) in values where line != .address { value.set("–") }
    camera.show(nil)
  }

  func set(_ line: Line, _ text: String) { values[line]?.set(text) }

  /// Shows what the camera wrote; nil is nothing.
  func set(camera facts: ExifFacts?) { camera.show(facts) }

  /// What is shown of the camera.
  var cameraValues: [CameraLines.Line: String] { camera.shown }

  /// Says why there is no picture; nil says nothing.
  func set(error: String?) {
    if let error { message.set(error) }
    message.setVisible(error != nil)
  }

  /// Shows how long the parts of a request took.
  func set(_ metrics: RequestMetrics) {
    let times: [Duration] = [
      metrics.total, metrics.queue, metrics.transfer?.connect ?? .zero,
      metrics.transfer?.firstByte ?? .zero, metrics.transfer?.total ?? .zero, metrics.decode,
      metrics.style,
    ]
    for (line, time) in zip(Line.times, times) { set(line, NumberText.milliseconds(time)) }
  }

  /// Takes the keyboard.
  func focus() { next.focus() }
}
