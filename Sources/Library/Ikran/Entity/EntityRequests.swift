import IkranPixels
import IkranStores

/// The callers that wait for images, and the drawings that are still up to date; a value with no
/// lock in it.
struct EntityRequests {
  struct WaitKey: Hashable {
    let id: TableID
    let format: String
  }

  typealias Waiter = Task<Result<Bitmap, ImageError>, Never>

  private var waiters: [WaitKey: [Int: Waiter]] = [:]
  private var last = 0
  /// The drawings under way of each entity, and which of them may still be stored: all of them are
  /// of one version.
  private var drawings: [TableID: (count: Int, version: TableID?, current: Set<Int>)] = [:]

  /// The number of callers that wait.
  var count: Int { waiters.values.reduce(0) { $0 + $1.count } }

  mutating func add(_ waiter: Waiter, for key: WaitKey) -> Int {
    last += 1
    waiters[key, default: [:]][last] = waiter
    return last
  }

  mutating func remove(_ number: Int, for key: WaitKey) {
    waiters[key]?[number] = nil
    if waiters[key]?.isEmpty == true { waiters[key] = nil }
  }

  /// The callers that wait for an entity, in one format or in all.
  func waiters(for id: TableID, _ format: String?) -> [Waiter] {
    waiters.filter { $0.key.id == id && (format == nil || $0.key.format == format) }
      .flatMap(\.value.values)
  }

  /// Begins a drawing; nothing newer has been set or deleted so far.
  ///
  /// Earlier ones of another version are then out of date.
  mutating func beginDrawing(_ id: TableID, version: TableID) -> Int {
    last += 1
    var drawing = drawings[id] ?? (0, nil, [])
    if drawing.version != version { drawing.current = [] }
    drawing.version = version
    drawing.count += 1
    drawing.current.insert(last)
    drawings[id] = drawing
    return last
  }

  /// Whether nothing was set or deleted, and no other version asked for, since a drawing began.
  func isCurrent(_ drawing: Int, _ id: TableID) -> Bool {
    drawings[id]?.current.contains(drawing) ?? false
  }

  mutating func endDrawing(_ drawing: Int, _ id: TableID) {
    drawings[id]?.current.remove(drawing)
    drawings[id]?.count -= 1
    if drawings[id]?.count == 0 { drawings[id] = nil }
  }

  /// Outdates the drawings under way of one entity, or of all.
  mutating func outdate(_ id: TableID?) {
    for key in id.map({ [$0] }) ?? Array(drawings.keys) { drawings[key]?.current = [] }
  }
}
