import Ikran
import IkranGTK

/// Shows items in the cells of the grid, as the settings say.
@MainActor
final class CellBinder {
  /// What a cell shows.
  struct Bound {
    let number: Int
    /// Whether its picture, or the sign of a failure, is shown; views of Ikran know that
    /// themselves.
    var isSettled = false
    /// Whether a view of Ikran shows it.
    var isView = false
  }

  /// The cells that show items.
  private(set) var bound: [GridView.Cell: Bound] = [:]
  private let pipelines: Pipelines
  private let originals: Originals
  /// All items by their numbers.
  private(set) var items: [Item]
  private(set) var settings: GridSettings
  private var options = DisplayOptions()
  private var failure: Bitmap?

  init(_ items: [Item], _ settings: GridSettings, _ pipelines: Pipelines, _ originals: Originals) {
    (self.items, self.settings) = (items, settings)
    (self.pipelines, self.originals) = (pipelines, originals)
    setTheme(isDark: false)
  }

  /// Adds items and returns their numbers.
  func add(_ more: [Item]) -> [Int] {
    items += more
    return Array(items.count - more.count..<items.count)
  }

  /// The numbers of items, of which those that are not there yet are added.
  func numbers(of wanted: [Item], except others: [Int]) -> [Int] {
    // A list may have an item more than once.
    var known: [Item: [Int]] = [:]
    let taken = Set(others)
    for number in items.indices.reversed() where !taken.contains(number) {
      known[items[number], default: []].append(number)
    }
    return wanted.map { item in
      if let number = known[item]?.popLast() { return number }
      items.append(item)
      return items.count - 1
    }
  }

  /// Chooses what is shown where there is no picture.
  func setTheme(isDark: Bool) {
    let gray: UInt8 = isDark ? 62 : 226
    failure = AppIcon.failure(isDark: isDark)
    options = DisplayOptions(
      placeholder: .color(Color(red: gray, green: gray, blue: gray)),
      failure: failure.map { .picture($0) },
      transition: .fade(.milliseconds(150))
    )
  }

  // MARK: - Cells

  func bind(_ cell: GridView.Cell, _ number: Int) {
    guard items.indices.contains(number) else { return }
    let item = items[number]
    cell.picture.sizeRequest(width: settings.side, height: settings.side)
    cell.caption.setVisible(settings.side > 48)
    cell.caption.set(item.name)
    name(cell, item)
    show(number, in: cell)
  }

  func unbind(_ cell: GridView.Cell) {
    guard let old = bound.removeValue(forKey: cell) else { return }
    if old.isView { cell.picture.imageTarget.cancelImage() } else { cell.picture.show(nil) }
  }

  /// Shows every bound item again, as new settings say, unless they change no cell.
  func set(_ settings: GridSettings, showsAgain: Bool = true) {
    self.settings = settings
    guard showsAgain else { return }
    for (cell, old) in bound { bind(cell, old.number) }
  }

  /// Loads everything that is shown again.
  func reload() {
    for (cell, old) in bound {
      cell.picture.imageTarget.clearImage()
      bind(cell, old.number)
    }
  }

  /// Whether those of the bound cells that count show their pictures, or why there is none; false
  /// before there are any.
  func isSettled(where counts: (GridView.Cell) -> Bool) -> Bool {
    let found = filled(where: counts, isFilled: isSettled)
    return found.yes > 0 && found.no == 0
  }

  /// How many of the bound cells that count show a picture, or why there is none, and how many do
  /// not: of an animated one the first frame is enough.
  func filled(where counts: (GridView.Cell) -> Bool) -> (yes: Int, no: Int) {
    filled(where: counts) { cell, bound in
      bound.isView && cell.picture.imageTarget.image != nil || isSettled(cell, bound)
    }
  }

  private func filled(
    where counts: (GridView.Cell) -> Bool,
    isFilled: (GridView.Cell, Bound) -> Bool
  ) -> (yes: Int, no: Int) {
    let counted = bound.filter { counts($0.key) }
    let yes = counted.count(where: isFilled)
    return (yes, counted.count - yes)
  }

  /// How many cells are bound.
  var boundCount: Int { bound.count }

  private func isSettled(_ cell: GridView.Cell, _ bound: Bound) -> Bool {
    guard bound.isView else { return bound.isSettled }
    return switch cell.picture.imageTarget.state {
    case .shown, .loaded, .failed: true
    case .empty, .loading: false
    }
  }

  // MARK: - Names

  /// Names a cell for assistive technologies, and in a tooltip where it has no caption; both say
  /// why there is no picture.
  private func name(_ cell: GridView.Cell, _ item: Item, failure: String? = nil) {
    let name = failure.map { "\(item.name): \($0)" } ?? item.name
    cell.setTooltip(failure == nil && settings.side > 48 ? nil : name)
    cell.setName(name)
  }

  /// The cell that is to be seen and has the item of a number; nil where there is none.
  func cell(of number: Int) -> GridView.Cell? {
    bound.first { $0.value.number == number && $0.key.box.isMapped }?.key
  }

  private func follow(_ state: ImageTarget.State, _ number: Int, in cell: GridView.Cell) {
    // Most cells show a picture: they are named already.
    guard case .failed(let error) = state, bound[cell]?.number == number else { return }
    name(cell, items[number], failure: "\(error)")
  }

  // MARK: - Pictures

  private func show(_ number: Int, in cell: GridView.Cell) {
    switch settings.mode {
    case .pipeline, .tables:
      bound[cell] = Bound(number: number, isView: true)
      cell.picture.clip(nil)
      var options = options
      options.onChange = { [weak self] in self?.follow($0, number, in: cell) }
      cell.picture.imageTarget.setImage(
        settings.request(for: items[number]),
        from: pipelines[settings.mode],
        options: options
      )
    case .conventional, .thumbnails:
      if bound[cell]?.isView != false { cell.picture.imageTarget.clearImage() }
      bound[cell] = Bound(number: number)
      cell.picture.clip(settings.outline)
      if settings.mode == .conventional, !originals.has(number) {
        cell.picture.show(nil)
        fetch(number, for: cell)
      } else {
        decode(number, in: cell)
      }
    }
  }

  private func fetch(_ number: Int, for cell: GridView.Cell) {
    let item = items[number]
    Task {
      var failure: ImageError?
      do throws(ImageError) {
        try await originals.fetch(item, number)
      } catch {
        failure = error
      }
      guard let now = bound[cell], now.number == number, !now.isView else { return }
      decode(number, in: cell)
      if let failure { name(cell, item, failure: "\(failure)") }
    }
  }

  /// As a program without Ikran does it: here and now.
  private func decode(_ number: Int, in cell: GridView.Cell) {
    let side = settings.side * cell.picture.scale
    let texture = originals.texture(number, settings.mode, side: side)
    cell.picture.show(texture ?? failure.flatMap { Texture($0) })
    if texture == nil {
      name(cell, items[number], failure: "The file has no picture that can be decoded.")
    }
    bound[cell]?.isSettled = true
  }
}
