import Ikran
import IkranGTK
import IkranPixels

/// The window, and everything in it.
@MainActor
final class Gallery {
  let application: Application
  let window: Window
  let pipelines: Pipelines
  let originals: Originals
  let binder: CellBinder
  private(set) var grid: GridView
  private(set) var frameTimes = FrameTimes(capacity: 240)
  /// Called before each frame, and after it with its time in milliseconds.
  var beforeFrame: (@MainActor () -> Void)?
  var afterFrame: (@MainActor (Double) -> Void)?

  let pages = Stack()
  private let empty = EmptyPage()
  let files = FileActions()
  private(set) lazy var slideShow = SlideShow { [weak self] in
    self?.detail?.isShown == true
  } next: { [weak self] in
    self?.showNext()
  }
  private let status: StatusBar
  private(set) var detail: DetailPage?
  private(set) var header: HeaderControls?
  let arrangement: Arrangement
  /// Those that the search leaves.
  private(set) var shown: [Int] = []
  private var search = ""
  /// The 99th percentile of frame times in modes that were left.
  private var earlier: [(mode: Mode, milliseconds: Double)] = []
  var opened: Int?
  private var gridWidth = 0
  private var barWidth = 0
  /// Where the grid was in the last frame.
  private var lastOffset = 0.0
  private var isEnding = false
  private(set) var reader: SourceReader?

  /// In points.
  let size: PixelSize
  nonisolated static let usualSize = PixelSize(width: 1100, height: 800)

  init(
    _ application: Application,
    _ source: GallerySource,
    _ settings: GridSettings,
    _ pipelines: Pipelines,
    size: PixelSize = Gallery.usualSize
  ) {
    (self.application, self.pipelines, self.size) = (application, pipelines, size)
    originals = Originals(pipelines)
    let items = source.found.items
    let binder = CellBinder(items, settings, pipelines, originals)
    self.binder = binder
    arrangement = Arrangement(binder)
    status = StatusBar(pipelines.counts)
    window = Window(title: "Ikran Gallery", width: size.width, height: size.height)
    let opening = Opening()
    grid = GridView(
      .init(
        bind: { binder.bind($0, $1) },
        unbind: { binder.unbind($0) },
        open: { opening.gallery?.open($0) },
        enlarge: { opening.gallery?.enlargeCells($0) }
      )
    )
    opening.gallery = self
    fill(settings)
    followTheme()
    fitBars(size.width)
    setColumns(size.width)
    show(search: "")
    arrangement.onArrange = { [weak self] in self?.showArranged($0) }
    arrangement.sort(by: settings.order)
    reader = SourceReader(source) { [weak self] in self?.update($0) }
  }

  // GTK keeps a window until it is closed.
  isolated deinit {
    detail?.leave()
    // A menu that ends while it is open leaves GTK with its grab of the mouse.
    files.closeMenus()
    window.destroy()
  }

  /// Lets the grid's closures, which are made first, find the gallery.
  @MainActor
  private final class Opening {
    weak var gallery: Gallery?
  }

  // MARK: - Widgets

  private func fill(_ settings: GridSettings) {
    application.addStyle(GalleryStyle.css)
    let header = HeaderControls(
      settings,
      .init(
        change: { [weak self] in self?.change($0) },
        search: { [weak self] in self?.show(search: $0) },
        leaveSearch: { [weak self] in self?.focusGrid() },
        back: { [weak self] in self?.close() },
        toggleSide: { [weak self] in self?.detail?.frame.change { $0.toggle() } },
        toggleTheme: { [weak self] in self?.toggleTheme() },
        clear: { [weak self] in self?.emptyCaches() },
        scroll: { [weak self] in self?.scroll() }
      )
    )
    self.header = header
    let detail = DetailPage(pipelines) { [weak self] in self?.step($0) }
    self.detail = detail
    grid.accessibleLabel("Pictures").layout(expands: (true, true))
    pages.add(grid, name: "grid")
    pages.add(empty.box, name: "empty")
    pages.add(detail.frame.box, name: "detail")
    window.setHeader(header.bar)
    window.setChild(Box.column(pages.layout(expands: (true, true)), files.bar.box, status.box))
    header.captureKeys(of: grid)
    window.onDrop { [weak self] in self?.add($0) }
    files.begin(self)
    addKeys()
  }

  // MARK: - Showing

  /// Shows the window, and keeps its numbers up to date.
  func present(showsNumbers: Bool = true) {
    window.present()
    window.frames?.onFrame { [weak self] in
      self?.beforeFrame?()
    } after: { [weak self] in
      self?.frameDidEnd($0)
    }
    focusGrid()
    guard showsNumbers else { return }
    Timer.repeating(milliseconds: 250) { [weak self] in
      guard let self, !isEnding else { return false }
      updateNumbers()
      return true
    }
  }

  /// Shows the present numbers at the bottom.
  func updateNumbers() {
    status.update(frameTimes, decodes: decodes, isDark: application.isDark)
  }

  /// How many files were decoded so far, however.
  var decodes: Int {
    pipelines.withoutTables.statistics.decodes + pipelines.withTables.statistics.decodes
      + originals.decodes
  }

  /// Whether everything that is to be seen is shown.
  var isSettled: Bool {
    guard arrangement.isSettled else { return false }
    if opened != nil { return detail?.isSettled == true }
    return shown.isEmpty || binder.isSettled(where: grid.isVisible)
  }

  /// How many of the cells in sight show a picture, and how many do not.
  var filled: (yes: Int, no: Int) { binder.filled(where: grid.isVisible) }

  private func frameDidEnd(_ milliseconds: Double) {
    // Frames in which only an animation moves on would make every mode look alike.
    if grid.offset != lastOffset {
      lastOffset = grid.offset
      frameTimes.add(milliseconds)
    }
    afterFrame?(milliseconds)
    if opened != nil {
      let (width, height) = pageSize
      detail?.fit(width: width, height: height)
    }
    fitWidths()
  }

  private func fitWidths() {
    let bars = header?.bar.width ?? 0
    if bars > 0, bars != barWidth || header?.isFit(width: bars) == false {
      barWidth = bars
      MainLoop.post { [weak self] in self?.fitBars(bars) }
    }
    let width = grid.width
    guard width != gridWidth, width > 0 else { return }
    gridWidth = width
    MainLoop.post { [weak self] in self?.setColumns(width) }
  }

  private func fitBars(_ width: Int) {
    header?.fit(width: width)
    status.fit(width: width)
  }

  private func setColumns(_ width: Int) {
    let cell = binder.settings.side + (binder.settings.side > 48 ? 32 : 20)
    grid.setColumns((width - 24) / cell)
  }

  private func show(search: String) {
    self.search = search
    filter()
    grid.set(shown)
    if opened == nil { showGrid() }
  }

  private func filter() {
    let words = search.lowercased().split(separator: " ").map(String.init)
    let items = binder.items
    shown = arrangement.order.filter { items[$0].matches(words) }
  }

  func showGrid() {
    empty.set(search: search)
    pages.shown = shown.isEmpty ? "empty" : "grid"
  }

  func focusGrid() { if !shown.isEmpty { grid.focusCells() } }

  // MARK: - What the user does

  /// Shows the grid with other settings.
  func change(_ settings: GridSettings) {
    if settings.mode != binder.settings.mode { compare(to: settings.mode) }
    var before = binder.settings
    before.order = settings.order
    binder.set(settings, showsAgain: before != settings)
    setColumns(gridWidth > 0 ? gridWidth : size.width)
    arrangement.sort(by: settings.order)
  }

  /// Makes the cells so many steps larger, or smaller.
  func enlargeCells(_ steps: Int) {
    var settings = binder.settings
    settings.enlarge(steps)
    header?.set(side: settings.side)
    if settings != binder.settings { change(settings) }
  }

  /// Keeps what frames took in the mode that ends, to be compared with those of the next.
  private func compare(to mode: Mode) {
    // A few frames say nothing.
    if frameTimes.recent.count >= 30 {
      earlier.removeAll { $0.mode == binder.settings.mode }
      earlier.append((binder.settings.mode, frameTimes.percentile(0.99)))
    }
    frameTimes.mark()
    status.compare(earlier.filter { $0.mode != mode })
  }

  /// Scrolls for some seconds, so that there is something to measure.
  private func scroll() {
    guard opened == nil, beforeFrame == nil, !shown.isEmpty else { return }
    // Two modes have room in the plot.
    Task { _ = await Scroll.run(self, frames: StatusBar.plottedFrames / 2, step: 40) }
  }

  /// Ends a search; false where there is none.
  func leaveSearch() -> Bool {
    guard !search.isEmpty else { return false }
    // The field says that it is empty.
    header?.clearSearch()
    focusGrid()
    return true
  }

  /// Adds dropped files in front.
  private func add(_ paths: [String]) {
    let items = ItemList.dropped(paths)
    guard !items.isEmpty else { return }
    close()
    header?.clearSearch()
    search = ""
    arrangement.add(items)
  }

  /// Shows other pictures instead.
  func use(_ source: GallerySource) {
    reader = SourceReader(source) { [weak self] in self?.update($0) }
    close()
    header?.clearSearch()
    search = ""
    arrangement.replace(with: source.found.items)
  }

  /// Shows the files that are there now.
  private func update(_ found: ItemList.Found) { arrangement.update(found.items) }

  /// Shows the items as they are arranged now; what is in sight stays in its place unless the order
  /// is another one.
  private func showArranged(_ changes: Set<Arrangement.Change>) {
    let place = opened.flatMap { shown.firstIndex(of: $0) }
    filter()
    grid.update(shown)
    if changes.contains(.order) { grid.scroll(to: 0) }
    if changes.contains(.files) {
      // Files that have changed are loaded again.
      originals.removeAll()
      binder.set(binder.settings)
    }
    guard let opened else { return showGrid() }
    if shown.contains(opened) {
      if changes.contains(.files) { detail?.loadAgain() }
    } else if shown.isEmpty {
      close()
    } else if let place {
      open(shown[min(place, shown.count - 1)])
    }
  }

  private func toggleTheme() {
    application.isDark.toggle()
    followTheme()
    binder.reload()
  }

  private func followTheme() {
    binder.setTheme(isDark: application.isDark)
    detail?.setTheme(isDark: application.isDark)
  }

  private func emptyCaches() {
    originals.removeAll()
    Task {
      await pipelines.removeAll()
      binder.reload()
    }
  }

  /// Hides the window, stores what has arrived, and ends the program.
  func end() {
    guard !isEnding else { return }
    isEnding = true
    slideShow.stop()
    window.setVisible(false)
    Timer.repeating(milliseconds: 3000) { [application] in
      application.quit()
      return false
    }
    Task {
      await pipelines.withTables.cancelAllAndFinishWriting()
      await pipelines.withoutTables.cancelAllAndFinishWriting()
      application.quit()
    }
  }
}
