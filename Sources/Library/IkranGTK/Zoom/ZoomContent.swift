import FoundationEssentials
import Ikran
import IkranSystem
import IkranViews

/// A picture that is zoomed and panned: its file, what is decoded of it, and what is seen.
///
/// It is attached to the widget as GObject data and ends with it.
@MainActor
final class ZoomContent: PaintableContent {
  /// What tiles may take in a view of any size; the rest of what it takes is the overview's.
  private static let tileBytes = ZoomView.maximumMemoryBytes - ZoomOptions.mostOverviewBytes
  /// How many neighbours are decoded or wait for it: what left the view is not decoded.
  private static let jobs = 2

  // It takes any place as it is.
  let width = 0
  let height = 0
  let aspect = 0.0

  /// nil once the widget has ended.
  private(set) var widget: WidgetHandle?
  private let target: WidgetKind?
  private var paintable: PaintableHandle?
  private(set) var state = ZoomView.State.empty
  private var options = ZoomOptions()
  /// nil before the picture is there.
  private(set) var geometry: ZoomGeometry?
  /// The whole picture, with fewer pixels if it is large.
  private(set) var overview: DrawableBitmap?
  var cache = TileCache(byteLimit: tileBytes)
  /// What tiles may take where a pixel for a pixel needs no more.
  var leastTileBytes = tileBytes

  /// Of its window, on X without a graphics card.
  private var frames: FrameMemory?

  private var room = ZoomGeometry.Size.zero
  private var scale = 1.0
  /// Made for the first picture, so that pictures that follow each other are never decoded at once.
  private var worker: TileWorker?
  /// nil before the file is there.
  private var source: TileSource?
  private var task: Task<Void, Never>?
  private var name = "the picture"
  /// Counts the pictures: what an earlier one brings is ignored.
  private var generation = 0
  private var pending: [ZoomTiles: UInt64] = [:]
  /// They could not be decoded; each is tried again, without its neighbours.
  private var failed: Set<ZoomTile> = []
  /// They could not be decoded the second time either.
  private var broken: Set<ZoomTile> = []

  /// Where a gesture began: the offset of the mouse so far, and the factor, which is nil without a
  /// pinch.
  var dragged = (x: 0.0, y: 0.0)
  var pinched: Double?
  /// Where the mouse was last, in points; nil before it came.
  var mouse: (x: Double, y: Double)?

  /// Attaches itself to a widget that has no zoomed picture yet.
  init(_ widget: WidgetHandle) {
    (self.widget, target) = (widget, WidgetKind(widget))
    paintable = PaintableHandle(self)
    widget.attach(self)
    widget.addZoomInput(self)
  }

  /// The widget has ended; calling it again does nothing.
  func end() {
    widget = nil
    empty()
    worker = nil
    paintable?.release()
    paintable = nil
  }

  // MARK: - Pictures

  func show(_ file: ZoomFile, _ options: ZoomOptions) {
    guard begin(options, "the picture") else { return }
    open(file)
    set(.loading(nil))
  }

  func show(_ request: ImageRequest, from pipeline: ImagePipeline, _ options: ZoomOptions) {
    var options = options
    options.rules = request.decoding.changing(options.rules)
    guard begin(options, Self.name(of: request)) else { return }
    let generation = generation
    task = ZoomFile.load(request.withResource, from: pipeline) { [weak self] step in
      MainLoop.post {
        guard let self, generation == self.generation else { return }
        switch step {
        case .progress(let progress): self.set(.loading(progress))
        case .file(let file): self.open(file)
        case .failed(let error): self.set(.failed(error))
        }
      }
    }
    set(.loading(nil))
  }

  /// Without what may be secret.
  private static func name(of request: ImageRequest) -> String {
    guard let url = request.url else { return "the picture" }
    return String("\(url.host() ?? "")\(url.path())".prefix(200))
  }

  func clear() {
    let onChange = options.onChange
    empty()
    paintable?.invalidateContents()
    onChange?(ZoomView(content: self))
  }

  /// Lets go of the last picture; false where the widget can show none.
  private func begin(_ options: ZoomOptions, _ name: String) -> Bool {
    guard let widget, let paintable else { return false }
    empty()
    (self.options, self.name) = (options, name)
    scale = Double(widget.scale)
    guard let target else {
      set(.failed(.invalidRequest("\(widget.typeName) shows no pictures")))
      return false
    }
    target.set(paintable.pointer, on: widget)
    paintable.invalidateContents()
    return true
  }

  private func empty() {
    generation &+= 1
    task?.cancel()
    withdraw { _ in true }
    if let source { worker?.close(source) }
    frames?.release()
    frames = nil
    (task, source, geometry, overview, pinched) = (nil, nil, nil, nil, nil)
    cache = TileCache(byteLimit: cache.byteLimit)
    (failed, broken, state) = ([], [], .empty)
    // What its closure holds may hold the widget.
    options = ZoomOptions()
  }

  private func open(_ file: ZoomFile) {
    let (worker, generation) = (worker ?? TileWorker(), generation)
    self.worker = worker
    source = worker.open(file, with: options) { [weak self] result in
      MainLoop.post {
        if let self, generation == self.generation { self.receive(result) }
      }
    }
  }

  private func receive(_ result: Result<TileWorker.Opened, DecodeError>) {
    switch result {
    case .success(let opened):
      var geometry = ZoomGeometry(opened.size)
      geometry.resize(room)
      geometry.set(options.factor)
      if options.factor != nil {
        geometry.center(
          x: Double(geometry.picture.width) / 2,
          y: Double(geometry.picture.height) / 2
        )
      }
      do throws(BitmapError) { overview = try DrawableBitmap(opened.overview) } catch {
        return fail(.bitmap(error))
      }
      self.geometry = geometry
      requestTiles()
      paintable?.invalidateContents()
      set(.shown(opened.info))
    case .failure(let error): fail(error)
    }
  }

  private func fail(_ error: DecodeError) { set(.failed(.decode(error, url: name))) }

  private func set(_ state: ZoomView.State) {
    self.state = state
    options.onChange?(ZoomView(content: self))
  }

  // MARK: - Zoom

  /// Changes what is seen; false where it stays as it is.
  @discardableResult
  func change(_ body: (inout ZoomGeometry) -> Void) -> Bool {
    guard var geometry else { return false }
    body(&geometry)
    guard geometry != self.geometry else { return false }
    self.geometry = geometry
    requestTiles()
    paintable?.invalidateContents()
    options.onChange?(ZoomView(content: self))
    return true
  }

  /// Scrolls by so many points; false where there is nothing more to see.
  @discardableResult
  func scroll(x: Double, y: Double) -> Bool {
    change { _ = $0.scroll(by: pixels((x, y))) }
  }

  /// Points as pixels of the screen.
  func pixels(_ point: (x: Double, y: Double)) -> ZoomGeometry.Point {
    ZoomGeometry.Point(x: point.x * scale, y: point.y * scale)
  }

  /// What is seen in all of the widget, in points.
  var roomInPoints: (width: Double, height: Double) { (room.width / scale, room.height / scale) }

  /// The widget is drawn in this size from now on.
  func place(width: Double, height: Double) {
    guard let widget else { return }
    scale = Double(widget.scale)
    let room = ZoomGeometry.Size(width: width * scale, height: height * scale)
    keepFrames(of: widget, width: Int(room.width), height: Int(room.height))
    guard room != self.room else { return }
    self.room = room
    cache.limit(to: max(leastTileBytes, ZoomGeometry.tileBytes(in: room)))
    guard geometry != nil else { return }
    geometry?.resize(room)
    requestTiles()
    // Nothing may change while a frame is drawn.
    MainLoop.post { [weak self] in if let self { self.options.onChange?(ZoomView(content: self)) } }
  }

  /// Keeps the memory of frames as long as a picture is shown.
  private func keepFrames(of widget: WidgetHandle, width: Int, height: Int) {
    guard geometry != nil, frames?.hasRoom(width: width, height: height) != true else { return }
    frames?.release()
    frames = FrameMemory(widget, width: width, height: height)
  }

  // MARK: - Tiles

  var memoryBytes: Int { cache.byteCount + (overview?.bitmap.byteCount ?? 0) }

  /// The tiles that are seen; nil where the overview has enough pixels.
  var grid: ZoomGrid? {
    guard let geometry, let overview else { return nil }
    let (picture, bitmap) = (geometry.picture, overview.bitmap)
    let factor =
      picture.width > picture.height
      ? Double(bitmap.width) / Double(picture.width)
      : Double(bitmap.height) / Double(picture.height)
    return geometry.tiles(overview: factor, bytes: cache.byteLimit)
  }

  var isSharp: Bool {
    guard geometry != nil, !room.isEmpty else { return false }
    return grid?.tiles.allSatisfy { cache.contains($0) || broken.contains($0) } ?? true
  }

  /// Lets the tiles be decoded that are seen and missing, and then those around them.
  private func requestTiles() {
    guard let geometry, let worker, let source, let grid else { return withdraw { _ in true } }
    let around = geometry.surroundings(of: grid, bytes: cache.byteLimit)
    withdraw { tiles in !tiles.tiles.contains { around.contains($0) } }
    let middle = geometry.middle(inTilesOf: grid.level)
    for wanted in around == grid ? [grid] : [grid, around] {
      for tile in wanted.tiles(aroundColumn: middle.x, row: middle.y) where isMissing(tile) {
        guard pending.count < Self.jobs else { return }
        decode(row(around: tile, in: wanted, geometry.picture), of: source, with: worker)
      }
    }
  }

  private func isMissing(_ tile: ZoomTile) -> Bool {
    !cache.contains(tile) && !broken.contains(tile)
      && !pending.keys.contains {
        $0.level == tile.level && $0.row == tile.row && $0.columns.contains(tile.column)
      }
  }

  /// A tile with its missing neighbours.
  private func row(around tile: ZoomTile, in grid: ZoomGrid, _ picture: PixelSize) -> ZoomTiles {
    var tiles = ZoomTiles(tile)
    guard ZoomTiles.isWhole(tile, in: picture), !failed.contains(tile) else { return tiles }
    func joins(_ column: Int) -> Bool {
      let other = ZoomTile(level: tile.level, column: column, row: tile.row)
      return tiles.columns.count < ZoomTiles.most && grid.contains(other) && isMissing(other)
        && ZoomTiles.isWhole(other, in: picture) && !failed.contains(other)
    }
    while joins(tiles.columns.upperBound) {
      tiles.columns = tiles.columns.lowerBound..<tiles.columns.upperBound + 1
    }
    while joins(tiles.columns.lowerBound - 1) {
      tiles.columns = tiles.columns.lowerBound - 1..<tiles.columns.upperBound
    }
    return tiles
  }

  private func decode(_ tiles: ZoomTiles, of source: TileSource, with worker: TileWorker) {
    let generation = generation
    pending[tiles] = worker.decode(tiles, of: source) { [weak self] result in
      MainLoop.post {
        if let self, generation == self.generation { self.receive(result, of: tiles) }
      }
    }
  }

  /// Takes tiles that were decoded, or were not.
  func receive(_ result: Result<[ZoomTile: Bitmap], DecodeError>, of tiles: ZoomTiles) {
    pending[tiles] = nil
    let pictures = (try? result.get()) ?? [:]
    for tile in tiles.tiles where !store(pictures[tile], as: tile) {
      if !failed.insert(tile).inserted { broken.insert(tile) }
    }
    paintable?.invalidateContents()
    requestTiles()
  }

  private func store(_ bitmap: Bitmap?, as tile: ZoomTile) -> Bool {
    guard let bitmap, let picture = try? DrawableBitmap(bitmap) else { return false }
    return cache.insert(picture, as: tile)
  }

  private func withdraw(where isUnwanted: (ZoomTiles) -> Bool) {
    for (tiles, id) in pending where isUnwanted(tiles) {
      worker?.withdraw(id)
      pending[tiles] = nil
    }
  }
}

extension ZoomFile {
  /// What happens to a file on its way.
  enum Step: Sendable {
    case progress(TransferProgress)
    case file(ZoomFile)
    case failed(ImageError)
  }

  /// Loads the file of a request.
  ///
  /// - Parameters:
  ///   - request: What to load.
  ///   - pipeline: What loads it.
  ///   - receive: Called with each step, on any thread.
  /// - Returns: The load.
  static func load(
    _ request: ImageRequest,
    from pipeline: ImagePipeline,
    _ receive: @escaping @Sendable (Step) -> Void
  ) -> Task<Void, Never> {
    Task {
      do throws(ImageError) {
        let file = try await pipeline.data(for: request) { receive(.progress($0)) }
        receive(.file(.bytes(file)))
      } catch { receive(.failed(error)) }
    }
  }
}
