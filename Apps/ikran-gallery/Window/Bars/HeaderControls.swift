/// The bar on top: how the grid looks, a search, and buttons.
@MainActor
final class HeaderControls {
  /// What its widgets do.
  struct Actions {
    let change: @MainActor (GridSettings) -> Void
    let search: @MainActor (String) -> Void
    let leaveSearch: @MainActor () -> Void
    let back: @MainActor () -> Void
    let toggleSide: @MainActor () -> Void
    let toggleTheme: @MainActor () -> Void
    let clear: @MainActor () -> Void
    let scroll: @MainActor () -> Void
  }

  /// Changes the settings by a closure.
  private typealias Change = @MainActor (@MainActor (inout GridSettings) -> Void) -> Void

  let bar = HeaderBar()
  private let search: SearchField
  private let back: Button
  private let about: Button
  private let choices = Box.row(spacing: 6)
  /// Their names, which are only shown in the menu.
  private var names: [Label] = []
  private let tools: Box
  /// Where the choices and the tools are while there is room, and the menu where there is not.
  private let rooms = (choices: Box.row(), tools: Box.row())
  private let column = Box.column(spacing: 12)
  private let menu: MenuButton
  private var controls: [DropDown] = []
  /// What the bar and the controls needed before they were in the menu, and what the bar needed in
  /// the first frame since.
  private var folded: (needed: Int, controls: Int, bar: Int?) = (0, 0, nil)
  private var width = 0
  private(set) var isFolded = false
  /// Whether the controls of the grid are shown.
  private var isForGrid = true
  private let effects: DropDown
  private let sides: DropDown
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
    about = Button(icon: "document-properties-symbolic", name: "About the picture (I)") {
      actions.toggleSide()
    }
    tools = Self.makeTools(actions)
    menu = MenuButton(icon: "open-menu-symbolic", name: "Controls (F10)", column)
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
    add(("Pictures", modes), ("Style", outlines), ("Size", sides))
    add(("Filter", effects), ("Order", orders))
  }

  private func add(_ choices: (name: String, control: DropDown)...) {
    for (name, control) in choices {
      let label = Label(name).leading().layout(expands: (true, false))
      label.setVisible(false)
      names.append(label)
      controls.append(control)
      self.choices.append(Box.row(spacing: 18, label, control))
    }
  }

  private static func makeTools(_ actions: Actions) -> Box {
    let scroll = Button(icon: "media-playback-start-symbolic", name: "Scroll by itself") {
      actions.scroll()
    }
    let clear = Button(icon: "user-trash-symbolic", name: "Empty the caches and load again") {
      actions.clear()
    }
    return Box.row(spacing: 6, scroll, clear)
  }

  private func fill() {
    rooms.choices.append(choices)
    rooms.tools.append(tools)
    bar.addStart(back)
    // The window can become smaller than what is in the bar before it folds.
    bar.addStart(Scroller(rooms.choices, across: .cut, down: .none))
    // In the middle, the search would leave the choices half of the rest.
    bar.setTitle(title)
    let actions = actions
    bar.addEnd(menu)
    bar.addEnd(
      Button(icon: "weather-clear-night-symbolic", name: "Dark or light") { actions.toggleTheme() }
    )
    bar.addEnd(about)
    bar.addEnd(Scroller(rooms.tools, across: .cut, down: .none))
    bar.addEnd(search)
    showParts()
  }

  // MARK: - Room

  /// The bar has this width, in points: what does not fit goes into the menu.
  func fit(width: Int) {
    self.width = width
    guard !hasRightShape(width: width) else { return }
    if !isFolded { folded = (neededWidth, controlsWidth, nil) }
    fold(!isFolded)
  }

  /// Whether what is in the bar fits into this width, and no more than that is in the menu.
  ///
  /// Call it after each frame, as choices and the search have widths of their own. Cost: GTK
  /// remembers what it has measured.
  func isFit(width: Int) -> Bool {
    // Before that frame the bar is measured in other styles.
    if isForGrid, isFolded, folded.bar == nil { folded.bar = bar.widths.natural }
    return hasRightShape(width: width)
  }

  private func hasRightShape(width: Int) -> Bool {
    guard isForGrid, width > 0 else { return true }
    return (width < neededWidth) == isFolded
  }

  /// The width of the bar with room for all of its controls.
  ///
  /// While they are in the menu it is the least that it may be: the bar has as much room on the
  /// left of its middle as on the right.
  private var neededWidth: Int {
    guard isFolded else { return bar.widths.natural }
    var change = controlsWidth - folded.controls
    if let old = folded.bar { change += bar.widths.natural - old }
    return folded.needed + min(change, 2 * change)
  }

  private var controlsWidth: Int { controls.reduce(0) { $0 + $1.widths.natural } }

  private func fold(_ folds: Bool) {
    isFolded = folds
    menu.close()
    if folds {
      column.take(choices, from: rooms.choices)
      column.take(tools, from: rooms.tools)
    } else {
      rooms.choices.take(choices, from: column)
      rooms.tools.take(tools, from: column)
    }
    choices.setColumn(folds)
    for name in names { name.setVisible(folds) }
    showParts()
  }

  private func showParts() {
    back.setVisible(!isForGrid)
    about.setVisible(!isForGrid)
    title.setVisible(!isForGrid)
    search.setVisible(isForGrid)
    rooms.choices.setVisible(isForGrid && !isFolded)
    rooms.tools.setVisible(isForGrid && !isFolded)
    menu.setVisible(isForGrid && isFolded)
  }

  // MARK: - What is shown

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
    isForGrid = name == nil
    showParts()
    fit(width: width)
    if let name { title.set(name) }
  }

  func focusSearch() { search.focusAll() }
  func clearSearch() { search.clear() }
  func captureKeys(of widget: any Widget) { search.captureKeys(of: widget) }
}
