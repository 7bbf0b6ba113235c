/// The bar on top: how the grid looks, a search, and buttons.
@MainActor
final class HeaderControls {
  /// What its widgets do.
  struct Actions {
    let change: @MainActor (GridSettings) -> Void
    let search: @MainActor (String) -> Void
    let leaveSearch: @MainActor () -> Void
    let back: @MainActor () -> Void
    let toggleTheme: @MainActor () -> Void
    let clear: @MainActor () -> Void
    let scroll: @MainActor () -> Void
  }

  /// Changes the settings by a closure.
  private typealias Change = @MainActor (@MainActor (inout GridSettings) -> Void) -> Void

  let bar = HeaderBar()
  private let search: SearchField
  private let back: Button
  private let clear: Button
  private let scroll: Button
  private let choices: Box
  private let effects: DropDown
  private let sides: DropDown
  private let titles = Stack(fades: false)
  private let title = Label().ellipsized().cssClasses("title")
  private var settings: GridSettings
  private let actions: Actions

  init(_ settings: GridSettings, _ actions: Actions) {
    (self.settings, self.actions) = (settings, actions)
    let shared = Shared()
    search = SearchField(hint: "Search by name") {
      actions.search($0)
    } onLeave: { clears in
      if clears { shared.controls?.search.clear() }
      actions.leaveSearch()
    }
    back = Button(icon: "go-previous-symbolic", name: "Back (Escape)") { actions.back() }
    clear = Button(icon: "user-trash-symbolic", name: "Empty the caches and load again") {
      actions.clear()
    }
    scroll = Button(icon: "media-playback-start-symbolic", name: "Scroll by itself") {
      actions.scroll()
    }
    let change: Change = { body in shared.controls?.change(body) }
    effects = DropDown(
      Effect.allCases.map(\.title),
      selected: Effect.allCases.firstIndex(of: settings.effect) ?? 0,
      name: "Filter"
    ) { index in change { $0.effect = Effect.allCases[index] } }
    sides = DropDown(
      GridSettings.sides.map { "\($0) pt" },
      selected: GridSettings.sides.firstIndex(of: settings.side) ?? 0,
      name: "Size"
    ) { index in change { $0.side = GridSettings.sides[index] } }
    choices = Box.row(spacing: 6)
    fill()
    shared.controls = self
    addChoices(change)
    setEffects()
  }

  /// Lets closures that are made before the controls find them.
  @MainActor
  private final class Shared {
    weak var controls: HeaderControls?
  }

  private func addChoices(_ change: @escaping Change) {
    let modes = DropDown(
      Mode.offered.map(\.title),
      selected: Mode.offered.firstIndex(of: settings.mode) ?? 0,
      name: "Where pictures come from"
    ) { index in change { $0.mode = Mode.offered[index] } }
    let outlines = DropDown(
      Outline.allCases.map(\.title),
      selected: Outline.allCases.firstIndex(of: settings.outline) ?? 0,
      name: "Style"
    ) { index in change { $0.outline = Outline.allCases[index] } }
    let orders = DropDown(
      ItemOrder.allCases.map(\.title),
      selected: ItemOrder.allCases.firstIndex(of: settings.order) ?? 0,
      name: "Order"
    ) { index in change { $0.order = ItemOrder.allCases[index] } }
    for choice in [modes, outlines, sides, effects, orders] { choices.append(choice) }
  }

  private func fill() {
    search.sizeRequest(width: 240)
    bar.addStart(back)
    bar.addStart(choices)
    titles.add(search, name: "search")
    titles.add(title, name: "title")
    bar.setTitle(titles)
    bar.addEnd(clear)
    let actions = actions
    bar.addEnd(
      Button(icon: "weather-clear-night-symbolic", name: "Dark or light") { actions.toggleTheme() }
    )
    bar.addEnd(scroll)
    back.setVisible(false)
  }

  private func change(_ body: @MainActor (inout GridSettings) -> Void) {
    let before = settings
    body(&settings)
    guard settings != before else { return }
    setEffects()
    actions.change(settings)
  }

  /// Shows another size of cells, which the grid has already.
  func set(side: Int) {
    settings.side = side
    if let place = GridSettings.sides.firstIndex(of: side) { sides.select(place) }
  }

  /// Programs without Ikran have no filters.
  private func setEffects() { effects.setSensitive(settings.mode != .conventional) }

  /// Shows what belongs to the grid, or to the picture with this name.
  func show(picture name: String?) {
    back.setVisible(name != nil)
    for widget in [choices, clear, scroll] as [any Widget] { widget.setVisible(name == nil) }
    titles.shown = name == nil ? "search" : "title"
    if let name { title.set(name) }
  }

  func focusSearch() { search.focusAll() }
  func clearSearch() { search.clear() }
  func captureKeys(of widget: any Widget) { search.captureKeys(of: widget) }
}
