import IkranStores
import IkranTransport
import Synchronization

/// Loads sources, each once for everyone who wants it: feeds ``SourceLoad`` its events and performs
/// its actions outside the lock.
///
/// A request that waits visits the lock once on its way in and once on its way out.
final class SourceLoader: Sendable {
  /// One request that waits.
  struct Waiter: Sendable {
    let source: SourceRequest
    let want: SourceLoad.Want
    let subscription: Subscription
    let continuation: CheckedContinuation<SourceResult, Never>
  }

  /// A source under way.
  struct Entry: Sendable {
    /// Tells it from earlier entries of its source, whose work may still complete.
    let number: Int
    /// The first one's.
    var source: SourceRequest?
    var load = SourceLoad()
    var waiters: [Int: Waiter] = [:]
    /// The urgency of the last read of a cache, which may be waiting.
    var reading: Subscription?
    var transfer: TransferHandle?
    var jobs: [Int: RenderJob] = [:]
    var timers: [Int: Task<Void, Never>] = [:]

    init(_ number: Int) { self.number = number }
  }

  private static let stripeCount = 16

  private let stripes: [Guarded<[SourceKey: Entry]>]
  private let lastID = Atomic(0)
  /// What the actions are performed with.
  let stages: LoadStages

  init(_ stages: LoadStages) {
    self.stages = stages
    stripes = (0..<Self.stripeCount).map { _ in Guarded([:]) }
  }

  // MARK: - Requests

  /// Loads what a request wants of its source, and returns as soon as that is there.
  ///
  /// A cancelled caller returns at once; the work goes on while anyone else waits for it.
  func result(
    of want: SourceLoad.Want,
    from source: SourceRequest,
    known: SourceLoad.Found?,
    _ subscription: Subscription
  ) async -> SourceResult {
    let id = nextID()
    let key = stages.loadKey(of: source)
    let observer = subscription.observe { [self] in
      handle(.setPriority(id, subscription.priority), of: key)
    }
    defer { subscription.stopObserving(observer) }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let waiter = Waiter(
          source: source,
          want: want,
          subscription: subscription,
          continuation: continuation
        )
        var want = want
        want.stores = source.request.caching.stores
        handle(.subscribe(id, want, known: known), of: key, adding: waiter)
        // The handler below may have run before the subscription.
        if Task.isCancelled { handle(.unsubscribe(id), of: key) }
      }
    } onCancel: {
      handle(.unsubscribe(id), of: key)
    }
  }

  /// Lets go of what is known of the sources under way of some requests: they were removed or
  /// replaced.
  func invalidate(_ isConcerned: (SourceRequest) -> Bool) {
    for stripe in stripes {
      let sources = stripe.withLock { $0.mapValues(\.source) }
      for (key, source) in sources where source.map(isConcerned) == true {
        handle(.invalidated, of: key)
      }
    }
  }

  /// Whether an entry is still there: what it asked for is wanted.
  func isWanted(_ key: SourceKey, _ number: Int) -> @Sendable () -> Bool {
    { [self] in stripe(key).withLock { $0[key]?.number == number } }
  }

  /// Resumes every waiter as cancelled, ends all transfers and withdraws the jobs that have not
  /// begun.
  func cancelAll() {
    for stripe in stripes {
      let entries = stripe.withLock { entries in
        defer { entries = [:] }
        return entries.values.map { $0 }
      }
      for entry in entries {
        entry.transfer?.cancel()
        for timer in entry.timers.values { timer.cancel() }
        for job in entry.jobs.values { job.withdraw() }
        for waiter in entry.waiters.values {
          waiter.continuation.resume(returning: .failed(.cancelled))
        }
      }
    }
  }

  /// The number of requests that wait, of all sources.
  var waiting: Int { sum { $0.waiters.count } }
  /// The number of transfers that wait or run.
  var transfers: Int { sum { $0.load.isTransferring ? 1 : 0 } }
  /// Whether a transfer of a source waits or runs.
  func isTransferring(_ source: SourceRequest) -> Bool {
    let key = stages.loadKey(of: source)
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

  private func stripe(_ key: SourceKey) -> Guarded<[SourceKey: Entry]> {
    stripes[Int(truncatingIfNeeded: key.id.high & UInt64(Self.stripeCount - 1))]
  }

  /// Feeds an event to a load's rules and performs what they say.
  ///
  /// `key` is a source's ``LoadStages/loadKey(of:)``.
  /// `number` is the entry whose work completes: a late completion of an earlier entry is ignored.
  /// `results` are what a finished batch brings to its members.
  func handle(
    _ event: SourceLoad.Event,
    of key: SourceKey,
    entry number: Int? = nil,
    adding waiter: Waiter? = nil,
    results: RenderJob.Results? = nil
  ) {
    let work = stripe(key).withLock { entries -> [@Sendable () -> Void] in
      let known = entries[key]?.number
      guard known != nil || waiter != nil, number == nil || number == known else { return [] }
      var work: [@Sendable () -> Void] = []
      // Changed where it lies: a copy would copy the waiters.
      apply(event, key, &entries[key, default: Entry(nextID())], waiter, results, &work)
      if entries[key]?.load.isIdle == true { entries[key] = nil }
      return work
    }
    for work in work { work() }
  }

  private func apply(
    _ event: SourceLoad.Event,
    _ key: SourceKey,
    _ entry: inout Entry,
    _ waiter: Waiter?,
    _ results: RenderJob.Results?,
    _ work: inout [@Sendable () -> Void]
  ) {
    if let waiter, case .subscribe(let id, _, _) = event {
      entry.waiters[id] = waiter
      if entry.source == nil { entry.source = waiter.source }
      if waiter.subscription.listens, let transfer = entry.transfer {
        transfer.hasListeners.store(true, ordering: .relaxed)
        if let progress = transfer.progress {
          work.append { waiter.subscription.report(progress) }
        }
      }
    }
    if case .unsubscribe(let id) = event, let waiter = take(id, from: &entry, adding: &work) {
      work.append { waiter.continuation.resume(returning: .failed(.cancelled)) }
    }
    if case .rendered(let batch, let found) = event, let results {
      for id in entry.load.members(of: batch) {
        guard let waiter = take(id, from: &entry, adding: &work) else { continue }
        let despite = entry.load.reason(of: id)
        let (drawing, held) = (waiter.want.drawing, waiter.want.held)
        let result = results.result(of: drawing, held: held, found: found, despite: despite)
        work.append { waiter.continuation.resume(returning: result) }
      }
      entry.jobs[batch] = nil
    }
    if case .undecodable(let batch, _) = event { entry.jobs[batch] = nil }
    shareResponse(of: event, entry)
    let event = upToDate(event, entry)
    raiseReading(for: event, of: entry, adding: &work)
    for action in entry.load.handle(event) { perform(action, key, &entry, &work) }
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
    _ id: Int,
    from entry: inout Entry,
    adding work: inout [@Sendable () -> Void]
  ) -> Waiter? {
    if let timer = entry.timers.removeValue(forKey: id) { work.append { timer.cancel() } }
    return entry.waiters.removeValue(forKey: id)
  }

  // MARK: - Actions

  /// Prepares an action under the lock; what takes time is appended to `work`.
  private func perform(
    _ action: SourceLoad.Action,
    _ key: SourceKey,
    _ entry: inout Entry,
    _ work: inout [@Sendable () -> Void]
  ) {
    let place = entry.number
    switch action {
    case .readCaches(let reads):
      guard let source = entry.waiters.values.first?.source else { return }
      let reading = startReading(&entry)
      work.append { [self] in readCaches(reads, of: source, key, entry: place, reading) }
    case .readRecord:
      guard let source = entry.waiters.values.first?.source else { return }
      let reading = startReading(&entry)
      work.append { [self] in readRecord(of: source, key, entry: place, reading) }
    case .startTransfer(let order): startTransfer(order, key, &entry, &work)
    case .setTransferPriority(let priority):
      let subscription = entry.transfer?.subscription
      work.append { subscription?.change(to: priority) }
    case .cancelTransfer:
      let handle = entry.transfer
      entry.transfer = nil
      work.append { handle?.cancel() }
    case .render(let batch, let body, let ids, let priority):
      let members = ids.compactMap { entry.waiters[$0] }.map {
        RenderJob.Member(request: $0.source.request, drawing: $0.want.drawing, held: $0.want.held)
      }
      let job = RenderJob(
        of: body,
        batch: batch,
        members: members,
        priority: priority,
        stages: stages
      )
      entry.jobs[batch] = job
      work.append { [self] in
        job.submit { self.handle($0, of: key, entry: place, results: $1) }
      }
    case .setRenderPriority(let batch, let priority):
      let job = entry.jobs[batch]
      work.append { job?.move(to: priority) }
    case .withdraw(let batch):
      let job = entry.jobs.removeValue(forKey: batch)
      work.append { job?.withdraw() }
    case .resume(let ids, let result):
      for id in ids {
        guard let waiter = take(id, from: &entry, adding: &work) else { continue }
        work.append { waiter.continuation.resume(returning: result) }
      }
    case .startTimer(let id, let transfer, let duration):
      // Each attempt of a transfer has the whole time.
      if let old = entry.timers[id] { work.append { old.cancel() } }
      entry.timers[id] = Task { [self] in
        guard (try? await stages.clock.sleep(duration)) != nil else { return }
        handle(.timedOut(id, transfer: transfer), of: key, entry: place)
      }
    }
  }

  private func startTransfer(
    _ order: SourceLoad.TransferOrder,
    _ key: SourceKey,
    _ entry: inout Entry,
    _ work: inout [@Sendable () -> Void]
  ) {
    let place = entry.number
    // The first of those who wait decides the fields that are sent.
    guard let first = entry.load.waiting(forTransfer: order.number).first,
      let waiter = entry.waiters[first.id]
    else {
      // Those who wanted it have left.
      work.append { [self] in handle(.failed(order.number, .cancelled), of: key, entry: place) }
      return
    }
    let (animations, stills) = arrivals(key, waiter.source.request, order.number)
    let stop = order.isReload ? nil : earlyStop(key, waiter.source.request, entry)
    let number = stages.records.nextNumber()
    let transfer = TransferHandle(number, order.priority, animations, stills, stop, listener(key))
    let hasListeners = entry.waiters.values.contains { $0.subscription.listens }
    transfer.hasListeners.store(hasListeners, ordering: .relaxed)
    entry.transfer = transfer
    work.append { [self] in start(order, of: waiter.source, key, entry: place, transfer) }
  }

  /// Hands progress to the requests that want to know.
  private func listener(_ key: SourceKey) -> @Sendable (TransferProgress) -> Void {
    { [self] progress in
      let subscriptions = stripe(key).withLock { entries in
        entries[key]?.waiters.values.map(\.subscription).filter(\.listens) ?? []
      }
      for subscription in subscriptions { subscription.report(progress) }
    }
  }

  /// What listening requests may see of a file before all of it has arrived.
  private func arrivals(
    _ key: SourceKey,
    _ request: ImageRequest,
    _ transfer: Int
  ) -> (AnimationPreviews?, StillPreviews?) {
    let hooks = stages.options.hooks
    // What has arrived is not what a hook makes of it.
    guard request.isDownload, hooks.didReceive == nil, hooks.decrypt == nil else {
      return (nil, nil)
    }
    let listeners: @Sendable () -> [AnimationPreviews.Listener] = { [weak self] in
      self?.listeners(key, transfer) ?? []
    }
    let animations =
      stages.options.decoding.animates
      ? AnimationPreviews(stages, request.format, listeners) : nil
    return (animations, StillPreviews(stages, request.format, listeners))
  }

  /// What ends a transfer when enough has arrived, if every request that waits for it allows that.
  private func earlyStop(
    _ key: SourceKey,
    _ request: ImageRequest,
    _ entry: Entry
  ) -> EarlyStop? {
    let hooks = stages.options.hooks
    // What has arrived is not what a hook makes of it, or lets be stored.
    guard hooks.didReceive == nil, hooks.decrypt == nil, hooks.willStore == nil, request.isDownload,
      request.isPlainGet,
      stages.network.partials.isOn, let number = entry.load.transfer?.number,
      entry.load.fittings(of: number) != nil
    else { return nil }
    return EarlyStop(stages.codecs, request.format) { [weak self] in
      self?.stripe(key).withLock { $0[key]?.load.fittings(of: number) } ?? nil
    }
  }

  private func listeners(
    _ key: SourceKey,
    _ number: Int
  ) -> [AnimationPreviews.Listener] {
    stripe(key).withLock { entries in
      guard let entry = entries[key] else { return [] }
      return entry.load.waiting(forTransfer: number).compactMap { subscriber in
        guard let waiter = entry.waiters[subscriber.id], waiter.subscription.wantsPreviews,
          let drawing = waiter.want.drawing
        else { return nil }
        return AnimationPreviews.Listener(
          id: subscriber.id,
          drawing: drawing,
          subscription: waiter.subscription
        )
      }
    }
  }
}
