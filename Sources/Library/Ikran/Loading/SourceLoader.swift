import IkranSystem
import IkranTransport
import Synchronization

/// Loads sources, each once for everyone who wants it: feeds ``SourceLoad`` its events and performs
/// its actions outside the lock.
///
/// A request that waits visits the lock once on its way in and once on its way out.
final class SourceLoader: Sendable {
  /// Where an event belongs: a source under way, and which one of its name.
  struct EntryID: Sendable {
    /// The source's ``PipelineContext/coalescingKey(of:)``.
    let key: SourceKey
    /// Tells an entry from earlier ones of its source, whose work may still complete.
    let entry: Int
  }

  /// A source under way.
  struct Entry: Sendable {
    let entryID: EntryID
    /// The source as the first request asks for it.
    let source: SourceRequest
    var load = SourceLoad()
    var waiters: [SourceLoad.SubscriberID: SourceWaiter] = [:]
    /// The urgency of the reads of caches that are under way.
    var readings: [Subscription] = []
    var transfer: RunningTransfer?
    var jobs: [SourceLoad.BatchNumber: RenderJob] = [:]
    var timers: [SourceLoad.SubscriberID: Task<Void, Never>] = [:]

    init(_ entryID: EntryID, _ source: SourceRequest) {
      (self.entryID, self.source) = (entryID, source)
    }
  }

  private static let stripeCount = 16

  private let stripes: [Guarded<[SourceKey: Entry]>]
  private let lastID = Atomic(0)
  /// What the actions are performed with.
  let context: PipelineContext

  init(_ context: PipelineContext) {
    self.context = context
    stripes = (0..<Self.stripeCount).map { _ in Guarded([:]) }
  }

  // MARK: - Requests

  /// Loads an image that a request wants of its source, and returns as soon as that is there.
  ///
  /// A cancelled caller returns at once; the work goes on while anyone else waits for it.
  func image(
    _ image: SourceLoad.WantedImage,
    as want: SourceLoad.Want,
    from source: SourceRequest,
    known: SourceLoad.KnownSource?,
    _ subscription: Subscription
  ) async -> SourceResult<LoadedImage> {
    var want = want
    want.content = .image(image)
    return await wait(for: want, from: source, known: known, subscription) {
      .image(image.target, $0)
    }
  }

  /// Loads the file that a request wants of its source, or asks whether what is known of it is
  /// valid, as ``image(_:as:from:known:_:)`` does for an image.
  func body(
    as want: SourceLoad.Want,
    from source: SourceRequest,
    known: SourceLoad.KnownSource?,
    _ subscription: Subscription
  ) async -> SourceResult<Body> {
    await wait(for: want, from: source, known: known, subscription) { .body($0) }
  }

  private func wait<Found>(
    for want: SourceLoad.Want,
    from source: SourceRequest,
    known: SourceLoad.KnownSource?,
    _ subscription: Subscription,
    as caller: (CheckedContinuation<SourceResult<Found>, Never>) -> SourceWaiter.Caller
  ) async -> SourceResult<Found> {
    let id = SourceLoad.SubscriberID(value: nextID())
    let key = context.coalescingKey(of: source)
    let observer = subscription.observe { [self] in
      handle(.setPriority(id, subscription.priority), of: key)
    }
    defer { subscription.stopObserving(observer) }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let waiter = SourceWaiter(
          source: source,
          subscription: subscription,
          caller: caller(continuation)
        )
        handle(.subscribe(id, want, known: known), of: key, adding: waiter)
        // The handler below may have run before the subscription.
        if Task.isCancelled { handle(.unsubscribe(id), of: key) }
      }
    } onCancel: {
      handle(.unsubscribe(id), of: key)
    }
  }

  /// Lets go of what is known of the sources under way of some requests: they were removed, or
  /// replaced.
  func invalidate(
    as event: SourceLoad.Event = .invalidated,
    _ isConcerned: (SourceRequest) -> Bool
  ) {
    for stripe in stripes {
      let sources = stripe.withLock { $0.mapValues(\.source) }
      for (key, source) in sources where isConcerned(source) { handle(event, of: key) }
    }
  }

  /// Whether an entry is still there: what it asked for is wanted.
  func isWanted(_ entryID: EntryID) -> @Sendable () -> Bool {
    { [self] in stripe(entryID.key).withLock { $0.has(entryID) } }
  }

  /// Resumes every waiter as cancelled, ends all transfers and withdraws the jobs that have not
  /// begun.
  func cancelAll() {
    for stripe in stripes {
      for key in stripe.withLock({ Array($0.keys) }) { handle(.cancelled, of: key) }
    }
  }

  /// The number of requests that wait, of all sources.
  var waiting: Int { sum { $0.waiters.count } }
  /// The number of transfers that wait or run.
  var transfers: Int { sum { $0.load.isTransferring ? 1 : 0 } }
  /// Whether a transfer of a source waits or runs.
  func isTransferring(_ source: SourceRequest) -> Bool {
    let key = context.coalescingKey(of: source)
    return stripe(key).withLock { $0[key]?.load.isTransferring == true }
  }

  /// The number of sources under way.
  var count: Int { sum { _ in 1 } }

  private func nextID() -> Int { lastID.wrappingAdd(1, ordering: .relaxed).newValue }

  private func sum(_ count: (Entry) -> Int) -> Int {
    stripes.reduce(0) { sum, stripe in
      sum + stripe.withLock { $0.values.reduce(0) { $0 + count($1) } }
    }
  }

  // MARK: - Events

  func stripe(_ key: SourceKey) -> Guarded<[SourceKey: Entry]> {
    stripes[Int(truncatingIfNeeded: key.id.high & UInt64(Self.stripeCount - 1))]
  }

  /// Feeds an event to the rules of a source under way, if there is one, and performs what they
  /// say; a waiter begins one.
  func handle(
    _ event: SourceLoad.Event,
    of key: SourceKey,
    adding waiter: SourceWaiter? = nil
  ) {
    handle(event, of: key, entry: nil, adding: waiter)
  }

  /// Feeds the event of work that completes; where its entry has ended it is ignored.
  func handle(
    _ event: SourceLoad.Event,
    at entryID: EntryID
  ) {
    handle(event, of: entryID.key, entry: entryID.entry, adding: nil)
  }

  private func handle(
    _ event: SourceLoad.Event,
    of key: SourceKey,
    entry number: Int?,
    adding waiter: SourceWaiter?
  ) {
    var work: [SourceWork] = []
    let entryID = stripe(key).withLock { entries -> EntryID? in
      if entries[key] == nil, let waiter {
        entries[key] = Entry(EntryID(key: key, entry: nextID()), waiter.source)
      }
      guard let index = entries.index(forKey: key) else { return nil }
      let entryID = entries.values[index].entryID
      guard number == nil || number == entryID.entry else { return nil }
      // Changed where it lies: a copy would copy the waiters.
      apply(event, to: &entries.values[index], waiter: waiter, adding: &work)
      // What was cancelled may take long to end, and no caller waits for that.
      if event.endsAll || entries[key]?.load.isIdle == true { entries[key] = nil }
      return entryID
    }
    guard let entryID else { return }
    for work in work { perform(work, at: entryID) }
  }

  private func apply(
    _ event: SourceLoad.Event,
    to entry: inout Entry,
    waiter: SourceWaiter?,
    adding work: inout [SourceWork]
  ) {
    if let waiter, case .subscribe(let id, let want, _) = event {
      entry.waiters[id] = waiter
      if let transfer = entry.transfer {
        transfer.add(want, of: waiter.subscription)
        if waiter.subscription.listens, let progress = transfer.progress {
          work.append(.report(progress, to: waiter.subscription))
        }
      }
    }
    if case .undecodable(let batch, _) = event { entry.jobs[batch] = nil }
    shareResponse(of: event, entry)
    let event = upToDate(event, entry)
    raiseReading(for: event, of: entry, adding: &work)
    for action in entry.load.handle(event) {
      prepare(action, of: &entry, adding: &work)
    }
    if !entry.load.isReading, !entry.readings.isEmpty { entry.readings = [] }
  }

  /// Hands the response of a transfer to the requests that wait for what it brings.
  private func shareResponse(of event: SourceLoad.Event, _ entry: Entry) {
    switch event {
    case .received(let number, _), .notModified(let number, _):
      guard let response = entry.transfer?.response else { return }
      for subscriber in entry.load.waiting(forTransfer: number) {
        entry.waiters[subscriber.id]?.subscription.keep(response)
      }
    default: break
    }
  }

  /// The event with the priority that its caller has now: read under the lock, so that of two
  /// changes at once the last one counts.
  private func upToDate(_ event: SourceLoad.Event, _ entry: Entry) -> SourceLoad.Event {
    switch event {
    case .subscribe(let id, var want, let known):
      if let waiter = entry.waiters[id] { want.priority = waiter.subscription.priority }
      return .subscribe(id, want, known: known)
    case .setPriority(let id, let priority):
      return .setPriority(id, entry.waiters[id]?.subscription.priority ?? priority)
    default: return event
    }
  }

  /// Takes a waiter out; its timer is cancelled without the lock, which runs the clock's code.
  private func take(
    _ id: SourceLoad.SubscriberID,
    from entry: inout Entry,
    adding work: inout [SourceWork]
  ) -> SourceWaiter? {
    if let timer = entry.timers.removeValue(forKey: id) { work.append(.cancelTimer(timer)) }
    return entry.waiters.removeValue(forKey: id)
  }

  // MARK: - Actions

  /// Prepares an action under the lock; what takes time is appended to `work`.
  private func prepare(
    _ action: SourceLoad.Action,
    of entry: inout Entry,
    adding work: inout [SourceWork]
  ) {
    switch action {
    case .readCaches(let reads):
      work.append(.readCaches(reads, of: entry.source, for: startReading(&entry)))
    case .readRecord:
      work.append(.readRecord(of: entry.source, for: startReading(&entry)))
    case .startTransfer(let order): work.append(prepareTransfer(order, of: &entry))
    case .setTransferPriority(let priority):
      // Set here, under the lock: of two changes at once the last one counts.
      if let subscription = entry.transfer?.subscription, subscription.set(priority) {
        work.append(.tellObservers(subscription))
      }
    case .cancelTransfer:
      if let transfer = entry.transfer.take() { work.append(.cancel(transfer)) }
    case .render(let batch, let body, let members, let priority):
      let job = job(batch, of: body, for: members, in: entry, priority: priority)
      entry.jobs[batch] = job
      work.append(.submit(job))
    case .setRenderPriority(let batch, let priority):
      guard let job = entry.jobs[batch] else { return }
      job.set(priority)
      work.append(.move(job))
    case .withdraw(let batch):
      if let job = entry.jobs.removeValue(forKey: batch) { work.append(.withdraw(job)) }
    case .abandon(let batch):
      if let job = entry.jobs[batch] { work.append(.abandon(job)) }
    case .resume(let ids, let result):
      for id in ids {
        guard let waiter = take(id, from: &entry, adding: &work) else { continue }
        work.append(.resume(waiter.resumption(with: result)))
      }
    case .deliver(let batch, let deliveries, let results):
      entry.jobs[batch] = nil
      for delivery in deliveries { deliver(delivery, of: results, from: &entry, adding: &work) }
    case .startTimer(let id, let transfer, let duration):
      // Each attempt of a transfer has the whole time.
      if let old = entry.timers[id] { work.append(.cancelTimer(old)) }
      entry.timers[id] = timer(of: id, transfer: transfer, after: duration, in: entry)
    }
  }

  /// Tells the rules when a waiter has waited for a transfer for as long as it wanted.
  private func timer(
    of id: SourceLoad.SubscriberID,
    transfer: SourceLoad.TransferNumber,
    after duration: Duration,
    in entry: Entry
  ) -> Task<Void, Never> {
    let url = entry.waiters[id]?.source.displayName ?? ""
    let error = ImageError.transport(.timedOut(after: duration), url: url)
    return Task { [self, entryID = entry.entryID] in
      guard (try? await context.clock.sleep(duration)) != nil else { return }
      handle(.timedOut(id, transfer: transfer, error), at: entryID)
    }
  }

  /// Resumes a member of a finished batch.
  private func deliver(
    _ delivery: SourceLoad.Delivery,
    of results: RenderJob.Results,
    from entry: inout Entry,
    adding work: inout [SourceWork]
  ) {
    guard let waiter = take(delivery.id, from: &entry, adding: &work) else { return }
    let resumption = waiter.resumption(with: results, staleBecause: delivery.staleBecause)
    work.append(.resume(resumption))
  }

  private func job(
    _ batch: SourceLoad.BatchNumber,
    of body: Body,
    for members: [SourceLoad.Member],
    in entry: Entry,
    priority: ImagePriority
  ) -> RenderJob {
    RenderJob(
      of: body,
      batch: batch,
      members: members.compactMap { member in
        entry.waiters[member.id].map { WantedSource(source: $0.source, want: member.want) }
      },
      priority: priority,
      context: context
    )
  }
}

extension [SourceKey: SourceLoader.Entry] {
  /// Whether an entry is still there, and not another one of its source.
  func has(_ id: SourceLoader.EntryID) -> Bool { self[id.key]?.entryID.entry == id.entry }
}
