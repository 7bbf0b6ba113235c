import IkranPixels
import IkranTransport

// What a source's load does next, after each event. What an event itself changes:
//
// event          found                    caches to be read       decided    resumed
// subscribe      `known`, where nothing   its own                 it         –
// unsubscribe    –                        –                       –          it
// setPriority    –                        –                       –          –
// cachesRead     what they have           these are read          all        –
// storedRedirect –                        these are read          all        who follows it
// recordRead     what it says             the record is read      all        –
// transferBegan  –                        –                       –          –
// received       – (its batch will say)   –                       all        –
// notModified    confirmed                –                       all        –
// forgotten      nothing                  none, for who waited    all        validations
// redirected     –                        –                       all        who waited
// missing        –                        –                       all        who waited
// failed         –                        –                       all        with nothing older
// rendered       what arrived; a copy     none, where undrawn     all        its members
//                that is not drawn goes
// undecodable    its body goes            none, for its members   all        who may not again
// invalidated    nothing                  all, but who transfers  all        validations
// replaced       nothing                  all                     all        validations
// timedOut       –                        –                       it         it, nothing older
// cancelled      –                        –                       –          all
//
// What a transfer brings that began before the last of `invalidated` and `replaced` changes nothing
// of that: who waits for it gets it, and it is not kept.

extension SourceLoad {
  /// What a subscriber needs that waits.
  enum Need {
    /// Nothing more: the image that its caller holds is valid, or a validation was all it wanted.
    case unchanged
    /// An image of the body that was found.
    case render
    /// The image that a batch under way makes.
    case join(batch: BatchNumber)
    /// Waits: a batch under way will identify the bytes, or decode this size.
    case waitsFor(batch: BatchNumber)
    case caches(CacheStages)
    case record
    /// What no cache has, and the network is not wanted.
    case notCached
    /// The transfer under way, or a later one.
    case transfer
  }

  /// Decides for each subscriber that waits, and for which something has changed.
  mutating func advance(adding actions: inout [Action]) {
    let changed = subscribers.takeChangedBatches()
    withdrawUnwanted(changed, adding: &actions)
    var (ready, missing): ([SubscriberID], [SubscriberID]) = ([], [])
    var (stages, needsRecord): (CacheStages, Bool) = ([], false)
    for subscriber in takeUndecided() {
      let id = subscriber.id
      switch need(of: subscriber) {
      case .unchanged:
        resume([id], .unchanged(staleBecause: subscriber.staleBecause), adding: &actions)
      case .render: ready.append(id)
      case .join(let batch): wait(id, for: .batch(batch))
      case .waitsFor(let batch): wait(id, for: .waitsFor(batch: batch))
      case .transfer:
        let isServed = transfer?.serves(subscriber) ?? true
        wait(id, for: isServed ? .transfer : .laterTransfer)
      case .caches(let unread):
        stages.formUnion(unread)
        wait(id, for: .caches)
      case .record:
        needsRecord = true
        wait(id, for: .caches)
      case .notCached: missing.append(id)
      }
    }
    resume(missing, .notCached, adding: &actions)
    if let found, let body = found.body, !ready.isEmpty {
      let input = found.isCached ? Batch.Input.cached(found.id) : .transferred(found.id)
      render(body, from: input, for: withThoseBehind(ready), adding: &actions)
    }
    readUnread(stages, needsRecord, adding: &actions)
    continueTransfer(adding: &actions)
    let allChanged = (changed + subscribers.takeChangedBatches()).sorted()
    abandonUnwanted(allChanged, adding: &actions)
    setPriorities(allChanged, adding: &actions)
  }

  /// The subscribers for which it is to be decided what they need, in the order in which they came.
  private mutating func takeUndecided() -> [Subscriber] {
    let undecided =
      decidesAll
      ? subscribers.inOrder.filter { $0.batch == nil } : subscribers.waiting(for: .decision)
    decidesAll = false
    decisions += undecided.count
    return undecided
  }

  mutating func wait(_ id: SubscriberID, for wait: SourceSubscribers.Wait) {
    subscribers.change(id) { $0.wait = wait }
  }

  /// Adds the subscribers that wait behind another decode for the same image: what is stale is
  /// rendered at once, and once for all of them.
  private func withThoseBehind(_ ready: [SubscriberID]) -> [SubscriberID] {
    let urgent = Set(
      ready.compactMap { subscribers[$0] }.filter { $0.staleBecause != nil }.compactMap(
        \.want.renderTarget
      )
    )
    guard !urgent.isEmpty, let found else { return ready }
    // Not behind bytes that have just arrived, which are others.
    let decoding = urgent.flatMap { batches.decoding($0.fitting, of: found.id) }.map(\.number)
    let behind = Set(decoding).flatMap { subscribers.waiting(for: .waitsFor(batch: $0)) }
      .filter { $0.want.renderTarget.map(urgent.contains) ?? false }
    let all = ready.compactMap { subscribers[$0] } + behind
    return all.sorted { $0.order < $1.order }.map(\.id)
  }

  func need(of subscriber: Subscriber) -> Need {
    let want = subscriber.want
    if let found, isUsable(found, by: subscriber) {
      if want.needsNoBody(found.id) { return .unchanged }
      if found.body?.isEnough(for: want) == true {
        return rendering(for: subscriber, from: found.id)
      }
    }
    if want.demand != .reloaded {
      if mayReadRecord(for: subscriber) { return .record }
      let unread = unread(by: subscriber)
      if !unread.isEmpty { return .caches(unread) }
    }
    if want.demand == .cached { return .notCached }
    let arriving = batches.arrivals.first { $0.transfer.serves(subscriber) }
    return arriving.map { .waitsFor(batch: $0.batch) } ?? .transfer
  }

  // MARK: - What was found

  func isUsable(_ found: KnownSource, by subscriber: Subscriber) -> Bool {
    let want = subscriber.want
    if want.demand == .reloaded { return found.knownBody?.transfer?.serves(subscriber) ?? false }
    if let transfer = found.transfer, transfer >= subscriber.firstTransfer { return true }
    if subscriber.staleBecause != nil { return true }
    guard want.needsNoBody(found.id) || mayRead(found, for: subscriber) else { return false }
    switch (want.demand, validity(of: found, for: subscriber)) {
    case (.cached, _), (.fresh, .fresh), (.fresh, .staleWhileRevalidate): return true
    default: return false
    }
  }

  /// Whether there is a body that is enough, and the subscriber reads the cache that has it.
  func mayRead(_ found: KnownSource, for subscriber: Subscriber) -> Bool {
    let (want, reads) = (subscriber.want, subscriber.reads)
    guard let body = found.body, body.isEnough(for: want) else { return false }
    return found.isCached
      ? reads.contains(body.stage) : body.mayBeStored(for: want) && !reads.isEmpty
  }

  /// Whether a 304 would do.
  func mayBeConfirmed(_ subscriber: Subscriber) -> Bool {
    guard let found, subscriber.want.demand != .reloaded else { return false }
    return subscriber.want.needsNoBody(found.id) || mayRead(found, for: subscriber)
  }

  /// Whether something stale will do when the origin cannot be asked.
  func mayFallBack(_ subscriber: Subscriber) -> Bool {
    guard let found, subscriber.want.demand == .fresh, mayBeConfirmed(subscriber) else {
      return false
    }
    return validity(of: found, for: subscriber) == .stale(usableOnError: true)
  }

  /// How far a subscriber may use what was found: requests differ in what they call fresh, and it
  /// may have become stale since.
  func validity(of found: KnownSource, for subscriber: Subscriber) -> Validity {
    if let known = subscriber.known, known.id == found.id { return known.validity }
    return found.validity(under: subscriber.want.expiry)
  }

  // MARK: - Caches

  mutating func finishReading(_ stages: CacheStages, _ cached: KnownSource?) {
    reading.subtract(stages)
    decidesAll = true
    guard outdatedReads.isDisjoint(with: stages) else { return outdatedReads.subtract(stages) }
    // Where memory had the file the disk was not read.
    read.formUnion(cached?.body?.stage == .memory ? .memory : stages)
    learn(cached)
  }

  /// Takes note of what a cache has, unless a transfer brought something newer.
  mutating func learn(_ cached: KnownSource?) {
    guard let cached else { return }
    guard var known = found, known.transfer != nil else { return replaceFound(with: cached) }
    guard known.id == cached.id, known.body == nil else { return }
    known.knownBody = cached.knownBody
    found = known
  }

  /// Keeps a body that is still the right one.
  mutating func replaceFound(with new: KnownSource) {
    var new = new
    if new.body == nil, let found, found.id == new.id {
      new.knownBody = found.knownBody
    }
    found = new
    // It tells more than what was known when they came.
    subscribers.forgetKnown()
  }

  /// Whether what was found, if it is valid, will do without its body.
  private func needsNoBody(_ want: Want) -> Bool {
    found.map { want.needsNoBody($0.id) } ?? want.isValidation
  }

  /// Whether the disk may have what a 304 for a subscriber needs: without validators, only a whole
  /// transfer would tell.
  private func mayReadRecord(for subscriber: Subscriber) -> Bool {
    needsNoBody(subscriber.want) && found?.validators == nil && !hasReadRecord
      && subscriber.reads.contains(.disk)
  }

  /// The caches that may still have a body for a subscriber.
  private func unread(by subscriber: Subscriber) -> CacheStages {
    if needsNoBody(subscriber.want) || found.map({ mayRead($0, for: subscriber) }) == true {
      return []
    }
    return subscriber.reads.subtracting(read)
  }

  /// Those who would follow a redirect that a cache has.
  var followersOfStoredRedirect: [SubscriberID] {
    subscribers.inOrder.filter { subscriber in
      let want = subscriber.want
      return subscriber.batch == nil && !subscriber.reads.isEmpty
        && (want.demand == .cached || want.demand == .fresh)
    }.map(\.id)
  }

  mutating func readUnread(
    _ stages: CacheStages,
    _ needsRecord: Bool,
    adding actions: inout [Action]
  ) {
    let unread = stages.subtracting(reading)
    if !unread.isEmpty {
      reading.formUnion(unread)
      actions.append(.readCaches(unread))
    }
    if needsRecord, !isReadingRecord {
      isReadingRecord = true
      actions.append(.readRecord)
    }
  }

  // MARK: - Transfers

  /// The subscribers that wait for a transfer which has ended, and may use its result.
  func waiting(for ended: Transfer) -> [SubscriberID] {
    subscribers.inOrder.filter { ended.serves($0) && awaitsTransfer($0) }.map(\.id)
  }

  /// The subscribers that wait for the transfer of this number, in the order in which they came;
  /// none when it is not under way.
  func waiting(forTransfer number: TransferNumber) -> [Subscriber] {
    transfer?.number == number ? subscribers.waiting(for: .transfer) : []
  }

  /// What is enough for the subscribers that wait for the transfer of this number; nil when one of
  /// them needs the whole file, and when it is not under way.
  func needs(of number: TransferNumber) -> FileNeeds? {
    guard transfer?.number == number else { return nil }
    let needs = waiting(forTransfer: number).map(\.want.beginning)
    guard needs.allSatisfy({ $0 != nil }) else { return nil }
    return FileNeeds(needs.compactMap { $0 })
  }

  /// Whether a subscriber waits for a transfer, also where that was not decided yet: its batch may
  /// just have ended.
  func awaitsTransfer(_ subscriber: Subscriber) -> Bool {
    guard subscriber.batch == nil, case .transfer = need(of: subscriber) else { return false }
    return true
  }

  /// Cancels the transfer under way if it is not wanted, and starts one if it is.
  mutating func continueTransfer(adding actions: inout [Action]) {
    if let running = transfer {
      let isWanted = subscribers.highestPriority(waitingFor: .transfer) != nil
      if !isWanted, !running.isCancelled {
        transfer?.isCancelled = true
        actions.append(.cancelTransfer)
      }
      return
    }
    let waiting = subscribers.waiting(for: .transfer)
    let wants = waiting.map(\.want)
    guard let first = waiting.first else { return }
    lastTransfer = lastTransfer.next
    let new = Transfer(
      number: lastTransfer,
      isReload: wants.contains { $0.demand == .reloaded },
      mayRetry: !waiting.allSatisfy(mayFallBack),
      timeout: wants.map(\.timeout).max() ?? .zero,
      priority: wants.map(\.priority).max() ?? .normal
    )
    let validators = waiting.allSatisfy(mayBeConfirmed) ? found?.validators : nil
    transfer = new
    let member = Member(id: first.id, want: first.want)
    let order = TransferOrder(transfer: new, first: member, validators: validators)
    actions.append(.startTransfer(order))
  }
}
