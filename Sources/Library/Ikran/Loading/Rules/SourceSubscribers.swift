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
    case waitsFor(batch: SourceLoad.BatchNumber)
    /// The image that a batch makes for it.
    case batch(SourceLoad.BatchNumber)
  }

  private struct Bucket: Hashable {
    let wait: Wait
    let priority: ImagePriority
  }

  private var all: [SourceLoad.SubscriberID: SourceLoad.Subscriber] = [:]
  private var buckets: [Bucket: Set<SourceLoad.SubscriberID>] = [:]
  private var count = 0
  private var changed: Set<SourceLoad.BatchNumber> = []

  var isEmpty: Bool { all.isEmpty }
  /// All of them, in the order in which they came.
  var inOrder: [SourceLoad.Subscriber] {
    all.count < 2 ? Array(all.values) : all.values.sorted { $0.order < $1.order }
  }

  subscript(id: SourceLoad.SubscriberID) -> SourceLoad.Subscriber? { all[id] }

  /// Those who wait for something, in the order in which they came.
  func waiting(for wait: Wait) -> [SourceLoad.Subscriber] {
    // Nearly all sources have one subscriber: no lists are made and sorted for it.
    if all.count == 1, let only = all.values.first { return only.wait == wait ? [only] : [] }
    let ids = ImagePriority.allCases.compactMap { buckets[Bucket(wait: wait, priority: $0)] }
    return ids.joined().compactMap { all[$0] }.sorted { $0.order < $1.order }
  }

  /// The highest priority of those who wait for something; nil when none does.
  func highestPriority(waitingFor wait: Wait) -> ImagePriority? {
    ImagePriority.allCases.last { buckets[Bucket(wait: wait, priority: $0)]?.isEmpty == false }
  }

  /// The batches whose members, or those behind them, have changed since the last call, in order.
  mutating func takeChangedBatches() -> [SourceLoad.BatchNumber] {
    guard !changed.isEmpty else { return [] }
    defer { changed.removeAll(keepingCapacity: true) }
    return changed.sorted()
  }

  mutating func add(
    _ id: SourceLoad.SubscriberID,
    _ want: SourceLoad.Want,
    firstTransfer: SourceLoad.TransferNumber
  ) {
    count += 1
    let subscriber = SourceLoad.Subscriber(
      id: id,
      order: count,
      want: want,
      reads: want.reads.intersection(.bodies),
      firstTransfer: firstTransfer
    )
    all[id] = subscriber
    enter(Self.bucket(of: subscriber), id)
  }

  mutating func remove(_ id: SourceLoad.SubscriberID) {
    if let subscriber = all.removeValue(forKey: id) { leave(Self.bucket(of: subscriber), id) }
  }

  mutating func change(_ id: SourceLoad.SubscriberID, _ body: (inout SourceLoad.Subscriber) -> Void)
  {
    guard var subscriber = all[id] else { return }
    let old = Self.bucket(of: subscriber)
    body(&subscriber)
    all[id] = subscriber
    let new = Self.bucket(of: subscriber)
    guard new != old else { return }
    leave(old, id)
    enter(new, id)
  }

  /// Lets each of them read all caches that it came to read.
  mutating func restoreReads() {
    for (id, subscriber) in all { all[id]?.reads = subscriber.want.reads.intersection(.bodies) }
  }

  /// Forgets what was known when each of them came.
  mutating func forgetKnown() {
    for id in all.keys where all[id]?.known != nil { all[id]?.known = nil }
  }

  private static func bucket(of subscriber: SourceLoad.Subscriber) -> Bucket {
    Bucket(wait: subscriber.wait, priority: subscriber.want.priority)
  }

  private mutating func enter(_ bucket: Bucket, _ id: SourceLoad.SubscriberID) {
    buckets[bucket, default: []].insert(id)
    noteChange(bucket.wait)
  }

  private mutating func leave(_ bucket: Bucket, _ id: SourceLoad.SubscriberID) {
    guard let index = buckets.index(forKey: bucket) else { return }
    buckets.values[index].remove(id)
    // Those of a batch come once; the others come again, and keep their memory.
    if batch(of: bucket.wait) != nil, buckets.values[index].isEmpty { buckets.remove(at: index) }
    noteChange(bucket.wait)
  }

  private func batch(of wait: Wait) -> SourceLoad.BatchNumber? {
    switch wait {
    case .waitsFor(let batch), .batch(let batch): batch
    case .decision, .caches, .transfer, .laterTransfer: nil
    }
  }

  private mutating func noteChange(_ wait: Wait) {
    if let number = batch(of: wait) { changed.insert(number) }
  }
}

extension SourceLoad {
  struct Subscriber {
    let id: SubscriberID
    /// Its place among all, in the order in which they came.
    let order: Int
    var want: Want
    /// The caches that may still have the bytes for it.
    var reads: CacheStages
    /// The first transfer whose result it takes, however long that is valid.
    let firstTransfer: TransferNumber
    /// What was decided last; ``SourceLoad/need(of:)`` says what it would be now.
    var wait = SourceSubscribers.Wait.decision
    /// How far its request may use the bytes that were known when it came; nil once more is known.
    var known: (id: BodyID, validity: Validity)?
    /// Why the origin could not be asked, when something stale has to do.
    var staleBecause: ImageError?

    /// The batch that renders it; nil while it waits.
    var batch: BatchNumber? { if case .batch(let number) = wait { number } else { nil } }
  }
}
