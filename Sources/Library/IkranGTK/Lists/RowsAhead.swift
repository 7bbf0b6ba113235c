import Ikran
import IkranViews

// Decision 82: what is ahead of the rows in sight.
/// Prefetches the images of items whose rows come next.
@MainActor
final class RowsAhead {
  private struct Row {
    let item: ListItemHandle
    weak var layer: PictureLayer?
  }

  private struct Load {
    /// The item, compared by its address.
    let object: UnsafeMutableRawPointer
    let list: PrefetchList
  }

  /// For so many frames a row without a size is waited for.
  private static let mostLooks = 30

  private let model: ListModelHandle
  private let count: Int
  private let prefetcher: Prefetcher
  private let makeRequest: @MainActor (ImageListFactory.Item) -> ImageRequest?

  /// The rows that stand for an item.
  private var rows: [OpaquePointer: Row] = [:]
  /// The position of the first row in sight.
  private var first = 0
  private var isBackward = false
  private var loads: [Int: Load] = [:]
  private var ticks: TickCallback?
  /// The window whose frames those are.
  private var window: WidgetHandle?
  private var isPosted = false
  /// How often rows without a size have been looked at since they changed.
  private var looks = 0
  /// Whether rows have changed since the last frame began, and in the frame before it.
  private var hasChanged = (now: false, before: false)

  init(
    _ model: ListModelHandle,
    count: Int,
    _ prefetcher: Prefetcher,
    request: @escaping @MainActor (ImageListFactory.Item) -> ImageRequest?
  ) {
    (self.model, self.prefetcher, makeRequest) = (model, prefetcher, request)
    self.count = max(0, count)
  }

  isolated deinit { end() }

  func didBind(_ item: ListItemHandle, _ layer: PictureLayer) {
    rows[item.pointer] = Row(item: item, layer: layer)
    didChange()
  }

  func didUnbind(_ item: ListItemHandle) {
    rows[item.pointer] = nil
    didChange()
  }

  func end() {
    for load in loads.values { load.list.cancel() }
    (loads, rows) = ([:], [:])
    ticks?.cancel()
  }

  /// All rows that one frame binds are one change, looked at when they have been laid out.
  private func didChange() {
    looks = 0
    look()
  }

  private func look() {
    hasChanged.now = true
    guard let view = rows.values.lazy.compactMap({ $0.layer?.window }).first else { return post() }
    if let window, window.pointer != view.pointer { ticks?.cancel() }
    guard ticks?.isRunning != true else { return }
    window = view
    ticks = TickCallback(view) { [weak self] _ in self?.frameBegins() ?? false }
  }

  /// Without a window there are no frames.
  private func post() {
    guard !isPosted else { return }
    isPosted = true
    MainQueue.shared.post(afterMilliseconds: 0) { [weak self] in
      self?.isPosted = false
      self?.update()
    }
  }

  /// A frame lays out what was changed before it.
  private func frameBegins() -> Bool {
    let isDue = hasChanged.before
    hasChanged = (now: false, before: hasChanged.now)
    if isDue { update() }
    if hasChanged == (false, false) { ticks = nil }
    return ticks != nil
  }

  private func update() {
    guard let run = rowsAroundSight else { return keepLoads { _ in false } }
    let next =
      isBackward
      ? max(0, run.lowerBound - count)..<run.lowerBound
      : run.upperBound..<max(run.upperBound, min(model.count, run.upperBound + count))
    // A row that has come goes on with what was begun.
    keepLoads { next.contains($0) || run.contains($0) }
    start(isBackward ? next.reversed() : Array(next))
  }

  /// The positions of rows without a gap around those in sight; of all, where none is.
  ///
  /// A list also keeps the rows that have the focus or are selected, however far away.
  private var rowsAroundSight: Range<Int>? {
    let bound = Set(rows.values.map(\.item.position))
    let inSight = rows.values.filter { $0.layer?.isInSight == true }.map(\.item.position)
    guard var low = inSight.min() ?? bound.min(), var high = inSight.max() ?? bound.max() else {
      return nil
    }
    if !inSight.isEmpty, low != first { (isBackward, first) = (low < first, low) }
    while bound.contains(low - 1) { low -= 1 }
    while bound.contains(high + 1) { high += 1 }
    return low..<high + 1
  }

  /// Cancels the loads of other positions, and of those that have another item by now.
  private func keepLoads(where isWanted: (Int) -> Bool) {
    for (position, load) in loads {
      let object = model.withObject(at: position) { $0 }
      guard !isWanted(position) || object != load.object else { continue }
      load.list.cancel()
      loads[position] = nil
    }
  }

  private func start(_ positions: [Int]) {
    let layers = rows.values.compactMap(\.layer)
    let place = layers.lazy.compactMap(\.laidOutPlace).first
    guard let scale = layers.first?.scale else { return }
    for position in positions where loads[position] == nil {
      guard let (object, request) = wanted(at: position, scale, place) else { continue }
      if request.style.isAutomatic {
        // The rows have no size yet.
        if looks < Self.mostLooks, layers.contains(where: \.awaitsPlace) {
          looks += 1
          look()
        }
        return
      }
      loads[position] = Load(object: object, list: prefetcher.start([request]))
    }
  }

  /// An item and its request as its row will make it; nil for one without an image.
  private func wanted(
    at position: Int,
    _ scale: Double,
    _ place: ViewPlace?
  ) -> (object: UnsafeMutableRawPointer, request: ImageRequest)? {
    let made = model.withObject(at: position) { object in
      (object, makeRequest(ImageListFactory.Item(position: position, object: object)))
    }
    guard let (object, found) = made, var request = found?.withResource.resolved(at: scale) else {
      return nil
    }
    if request.style.isAutomatic, let place {
      request.style = place.style.filtered(request.style.filters)
    }
    return (object, request)
  }
}
