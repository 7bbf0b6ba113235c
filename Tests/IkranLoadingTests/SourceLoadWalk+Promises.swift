import IkranStores

@testable import Ikran

// What a source's load promises, held against what its driver knows.

extension SourceLoadWalk {
  mutating func checkRendered(_ id: SubscriberID, _ body: Body, _ transfer: TransferNumber) {
    guard let subscriber = waiting[id] else { return }
    checkOrigin(subscriber, of: body.id)
    let want = subscriber.want
    let isCached = cached.contains { want.reads.contains($0) && $1 == body.id }
    let hasArrived =
      !want.reads.isDisjoint(with: .bodies)
      && answered.contains { $0 > lastOutdated && $1 == body.id }
    expect(
      isCached || hasArrived || hasAnswer(for: subscriber),
      "\(id) gets bytes that are in no cache that it reads"
    )
  }

  /// A request for the origin gets what the origin has said since; a reload what a reload brought.
  mutating func checkOrigin(_ subscriber: Waiting, of body: BodyID?) {
    switch subscriber.want.demand {
    case .cached, .fresh: break
    case .revalidated:
      let isNew = answered.contains { $0 >= subscriber.first && (body == nil || $1 == body) }
      expect(isNew, "the origin was not asked about what \(subscriber) gets")
    case .reloaded:
      let isNew = answered.contains {
        $0 >= subscriber.first && reloads.contains($0) && (body == nil || $1 == body)
      }
      expect(isNew, "no reload has brought what \(subscriber) gets")
    }
  }

  /// Whether what is known of the source is too old for a subscriber, by all that it was told.
  func isStale(for subscriber: SourceLoad.Subscriber?) -> Bool {
    guard let subscriber, let found = load.found,
      case .stale = found.validity(under: subscriber.want.expiry)
    else { return false }
    guard let known = subscriber.known, known.id == found.id else { return true }
    if case .stale = known.validity { return true }
    return false
  }

  func hasAnswer(for subscriber: Waiting) -> Bool {
    answered.contains { $0.key >= subscriber.first }
  }

  mutating func checkPriorities() {
    if order != nil, !isCancelled {
      let highest = load.subscribers.inOrder.filter(load.awaitsTransfer).map(\.want.priority).max()
      expect(priority == highest, "the transfer's priority is not \(String(describing: highest))")
    }
    for (number, job) in jobs where !job.isWithdrawn {
      let members = load.subscribers.inOrder.filter { load.waits($0, for: number) }
      guard let highest = members.map(\.want.priority).max() else { continue }
      expect(job.priority == highest, "batch \(number) has \(job.priority), not \(highest)")
    }
  }

  /// Whoever waits, waits for something that will be answered.
  mutating func checkWaits() {
    let known = Set(load.subscribers.inOrder.map(\.id))
    expect(known == Set(waiting.keys), "others than \(known) wait")
    expect(load.isTransferring == (order != nil && !isCancelled), "another transfer runs")
    for subscriber in load.subscribers.inOrder {
      let id = subscriber.id
      expect(load.isUpToDate(subscriber), "\(id) waits for \(subscriber.wait)")
      if let batch = subscriber.batch {
        expect(jobs[batch]?.isWithdrawn == false, "\(id) waits for a batch that is no more")
        continue
      }
      let need = load.need(of: subscriber)
      switch need {
      case .caches(let stages):
        let isRead = reads.reduce(into: CacheStages()) { $0.formUnion($1) }.isSuperset(of: stages)
        expect(isRead, "\(id) waits for a cache that is not read")
      case .record: expect(readsRecord, "\(id) waits for a record that is not read")
      case .transfer: expect(order != nil, "\(id) waits for no transfer")
      case .waitsFor(let batch):
        expect(jobs[batch]?.isWithdrawn == false, "\(id) waits for a batch that is no more")
      case .unchanged, .render, .join, .notCached: expect(false, "\(id) is forgotten: \(need)")
      }
    }
  }
}
