import Ikran

/// Prefetches the images of items whose rows come next.
@MainActor
final class RowsAhead {
  private let model: ListModelHandle
  private let count: Int
  private let prefetcher: Prefetcher
  private let makeRequest: @MainActor (ImageListFactory.Item) -> ImageRequest?

  private struct Row {
    let position: Int
    weak var layer: PictureLayer?
  }

  /// The rows that stand for an item.
  private var boundRows: [OpaquePointer: Row] = [:]
  private var rows = 0..<0
  private var isBackward = false
  private var loads: [Int: PrefetchList] = [:]
  private var isDue = false

  init(
    _ model: ListModelHandle,
    count: Int,
    _ prefetcher: Prefetcher,
    request: @escaping @MainActor (ImageListFactory.Item) -> ImageRequest?
  ) {
    (self.model, self.prefetcher, makeRequest) = (model, prefetcher, request)
    self.count = max(0, count)
  }

  func didBind(_ row: OpaquePointer, to position: Int, _ layer: PictureLayer) {
    boundRows[row] = Row(position: position, layer: layer)
    // All rows that one frame binds are one change.
    schedule(afterMilliseconds: 0)
  }

  private func schedule(afterMilliseconds delay: CUnsignedInt) {
    guard !isDue else { return }
    isDue = true
    MainQueue.shared.post(afterMilliseconds: delay) { [weak self] in self?.update() }
  }

  func didUnbind(_ row: OpaquePointer) { boundRows[row] = nil }

  func end() {
    for load in loads.values { load.cancel() }
    (loads, boundRows) = ([:], [:])
  }

  private func update() {
    isDue = false
    let positions = boundRows.values.map(\.position)
    guard let first = positions.min(), let last = positions.max() else { return }
    let rows = first..<last + 1
    if rows.lowerBound != self.rows.lowerBound {
      isBackward = rows.lowerBound < self.rows.lowerBound
    }
    self.rows = rows
    let next =
      isBackward
      ? max(0, first - count)..<first
      : last + 1..<max(last + 1, min(model.count, last + 1 + count))
    for (position, load) in loads where !next.contains(position) {
      // A row that has come goes on with it.
      if !rows.contains(position) { load.cancel() }
      loads[position] = nil
    }
    start(isBackward ? next.reversed() : Array(next))
  }

  private func start(_ positions: [Int]) {
    let layers = boundRows.values.compactMap(\.layer)
    let place = layers.lazy.compactMap(\.laidOutPlace).first
    guard let scale = layers.first?.scale else { return }
    for position in positions where loads[position] == nil {
      guard let request = preparedRequest(at: position, scale, place) else { continue }
      // The rows have no size yet.
      if request.style.isAutomatic { return schedule(afterMilliseconds: 100) }
      loads[position] = prefetcher.start([request])
    }
  }

  /// The request of an item as its row will make it; nil for one without an image.
  private func preparedRequest(
    at position: Int,
    _ scale: Double,
    _ place: ViewPlace?
  ) -> ImageRequest? {
    let made = model.withObject(at: position) { object in
      makeRequest(ImageListFactory.Item(position: position, object: object))
    }
    guard case var request?? = made else { return nil }
    if request.scale == nil { request.scale = scale }
    if request.style.isAutomatic, let place {
      request.style = place.style.filtered(request.style.filters)
    }
    return request
  }
}
