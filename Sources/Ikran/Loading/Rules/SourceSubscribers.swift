/// The subscribers of a source, found by their id and by what they wait for.
///
/// An event costs what it changes, however many subscribers there are.
struct SourceSubscribers {
  /// What a subscriber waits for.
  enum Wait: Hashable {
    /// A decision of what it needs: something has changed for it.
    case decision
    /// Bytes or a record of the caches.
    case caches
    /// The transfer under way, or the next one when there is none.
    case transfer
    /// The transfer after the one under way, which is not new enough.
    case laterTransfer
    /// What a batch finds out, or decodes, first.
    case behind(batch: Int)
    /// The image that a batch makes for it.
    case batch(Int)
  }

  private struct Place: Hashable {
    let wait: Wait
    let priority: ImagePriority
  }

  private var all: [Int: SourceLoad.Subscriber] = [:]
  private var places: [Place: Set<Int>] = [:]
  private var count = 0
  private var changed: Set<Int> = []

  var isEmpty: Bool { all.isEmpty }
  /// All of them, in the order in which they came.
  var inOrder: [SourceLoad.Subscriber] { all.values.sorted { $0.order < $1.order } }

  subscript(id: Int) -> SourceLoad.Subscriber? { all[id] }

  /// Those who wait for something, in the order in which they came.
  func waiting(for wait: Wait) -> [SourceLoad.Subscriber] {
    let ids = ImagePriority.allCases.compactMap { places[Place(wait: wait, priority: $0)] }
    return ids.joined().compactMap { all[$0] }.sorted { $0.order < $1.order }
  }

  /// The highest priority of those who wait for something; nil when none does.
  func highestPriority(waitingFor wait: Wait) -> ImagePriority? {
    ImagePriority.allCases.last { places[Place(wait: wait, priority: $0)] != nil }
  }

  /// The batches whose members, or those behind them, have changed since the last call, in order.
  mutating func takeChangedBatches() -> [Int] {
    defer { changed = [] }
    return changed.sorted()
  }

  mutating func add(_ id: Int, _ want: SourceLoad.Want, firstTransfer: Int) {
    count += 1
    let subscriber = SourceLoad.Subscriber(
      id: id,
      order: count,
      want: want,
      firstTransfer: firstTransfer
    )
    all[id] = subscriber
    enter(Self.place(of: subscriber), id)
  }

  mutating func remove(_ id: Int) {
    if let subscriber = all.removeValue(forKey: id) { leave(Self.place(of: subscriber), id) }
  }

  mutating func change(_ id: Int, _ body: (inout SourceLoad.Subscriber) -> Void) {
    guard var subscriber = all[id] else { return }
    let old = Self.place(of: subscriber)
    body(&subscriber)
    all[id] = subscriber
    let new = Self.place(of: subscriber)
    guard new != old else { return }
    leave(old, id)
    enter(new, id)
  }

  private static func place(of subscriber: SourceLoad.Subscriber) -> Place {
    Place(wait: subscriber.wait, priority: subscriber.want.priority)
  }

  private mutating func enter(_ place: Place, _ id: Int) {
    places[place, default: []].insert(id)
    noteChange(place.wait)
  }

  private mutating func leave(_ place: Place, _ id: Int) {
    places[place]?.remove(id)
    if places[place]?.isEmpty == true { places[place] = nil }
    noteChange(place.wait)
  }

  private mutating func noteChange(_ wait: Wait) {
    switch wait {
    case .behind(let batch), .batch(let batch): changed.insert(batch)
    case .decision, .caches, .transfer, .laterTransfer: break
    }
  }
}

extension SourceLoad {
  struct Subscriber {
    let id: Int
    /// Its place among all, in the order in which they came.
    let order: Int
    var want: Want
    /// The first transfer whose result it takes, however long that is valid.
    let firstTransfer: Int
    /// What was decided last; ``SourceLoad/need(of:)`` says what it would be now.
    var wait = SourceSubscribers.Wait.decision
    /// Why the origin could not be asked, when something stale has to do.
    var despite: ImageError?

    /// The batch that renders it; nil while it waits.
    var batch: Int? { if case .batch(let number) = wait { number } else { nil } }
  }
}
