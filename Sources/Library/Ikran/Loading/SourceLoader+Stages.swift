import IkranStores
import IkranTransport

// Reading caches, a slow action; and what a transfer is started with: who gets its progress, who
// looks at what arrives, and what may end it early.

extension SourceLoader {
  /// Looks for a source's bytes in recent memory, then on the disk.
  func readCaches(
    _ reads: CacheStages,
    of source: SourceRequest,
    at entryID: EntryID,
    _ reading: Subscription
  ) {
    let since = context.records.nextChange()
    if reads.contains(.memory), let recent = context.recentBody(of: source) {
      return handle(.cachesRead(reads, recent.read(since: since)), at: entryID)
    }
    guard reads.contains(.disk), source.isDownload, !context.disk.isAbsent else {
      let prefix = reads.contains(.disk) ? context.storedPrefix(of: source) : nil
      return handle(.cachesRead(reads, prefix?.read(since: since)), at: entryID)
    }
    context.disk.read("\(source.key)", for: reading, while: isWanted(entryID)) { [self] stored in
      var event = context.cachesRead(stored, of: source, reads)
      if case .cachesRead(let stages, let known) = event {
        event = .cachesRead(stages, known?.read(since: since))
      }
      handle(event, at: entryID)
    }
  }

  /// Looks for a source's record on the disk.
  func readRecord(
    of source: SourceRequest,
    at entryID: EntryID,
    _ reading: Subscription
  ) {
    guard source.isDownload, !context.disk.isAbsent else {
      return handle(.recordRead(nil), at: entryID)
    }
    context.disk.readRecord("\(source.key)", for: reading, while: isWanted(entryID)) {
      [self] response in
      let record = response.flatMap { context.learn($0, of: source) }
      let found = record.flatMap { context.knownSource($0) }
      handle(.recordRead(found), at: entryID)
    }
  }

  /// Makes reads of caches that wait their turn as urgent as the request that an event is about.
  func raiseReading(
    for event: SourceLoad.Event,
    of entry: Entry,
    adding work: inout [SourceWork]
  ) {
    switch event {
    case .subscribe(_, let want, _): work += entry.readings.map { .raise($0, to: want.priority) }
    case .setPriority(_, let priority): work += entry.readings.map { .raise($0, to: priority) }
    default: break
    }
  }

  /// Notes a read of a cache, as urgent as the most urgent request that waits.
  func startReading(_ entry: inout Entry) -> Subscription {
    let priority = entry.waiters.values.map(\.subscription.priority).max() ?? .normal
    let reading = Subscription(priority)
    entry.readings.append(reading)
    return reading
  }
}

// MARK: - Transfers

extension SourceLoader {
  /// Makes the handle of a transfer that is to be started, under the lock.
  func prepareTransfer(
    _ order: SourceLoad.TransferOrder,
    of entry: inout Entry
  ) -> SourceWork {
    let entryID = entry.entryID
    let source = entry.waiters[order.first.id]?.source ?? entry.source
    let (animations, stills) = previews(of: source, at: entryID, transfer: order.transfer.number)
    let stop = order.transfer.isReload ? nil : earlyStop(of: source.request, entry)
    let transfer = RunningTransfer(
      change: context.records.nextChange(),
      priority: order.transfer.priority,
      receivers: .init(animations: animations, stills: stills, earlyStop: stop),
      alwaysStores: { [weak self] in
        self?.storesOfThoseWhoNeverAsk(entryID, order.transfer.number) ?? []
      },
      onProgress: listener(entryID)
    )
    for subscriber in entry.load.subscribers.inOrder {
      guard let waiter = entry.waiters[subscriber.id] else { continue }
      transfer.add(subscriber.want, of: waiter.subscription)
    }
    entry.transfer = transfer
    return .start(order, of: source, as: transfer)
  }

  /// Starts a transfer.
  func start(
    _ order: SourceLoad.TransferOrder,
    of source: SourceRequest,
    at entryID: EntryID,
    _ transfer: RunningTransfer
  ) {
    let work: @Sendable () async -> Void = { [self] in
      let event = await context.transfer(order, of: source, transfer) { [self] in
        handle(.transferBegan(order.transfer.number), at: entryID)
      }
      if !HTTPMethod.isSafe(source.request.transfer.method) {
        invalidate { $0.location == source.location && $0.request.isPlainGet }
      }
      handle(event, at: entryID)
    }
    // A storage may block its thread, which is not to be a caller's.
    if context.network.isInline(for: source.request), source.storage == nil {
      transfer.run(Task(executorPreference: InlineExecutor.shared) { await work() })
    } else {
      transfer.run(Task { await work() })
    }
  }

  /// Hands progress to the requests that want to know.
  private func listener(_ entryID: EntryID) -> @Sendable (TransferProgress) -> Void {
    { [self] progress in
      let key = entryID.key
      let subscriptions = stripe(key).withLock { entries in
        guard entries.has(entryID) else { return [] as [Subscription] }
        return entries[key]?.waiters.values.map(\.subscription).filter(\.listens) ?? []
      }
      for subscription in subscriptions { subscription.report(progress) }
    }
  }

  /// What listening requests may see of a file before all of it has arrived.
  private func previews(
    of source: SourceRequest,
    at entryID: EntryID,
    transfer: SourceLoad.TransferNumber
  ) -> (AnimationPreviews?, StillPreviews?) {
    let hooks = context.network.hooks(for: source.request)
    // What has arrived is not what a hook makes of it.
    guard source.isDownload, hooks.didReceive == nil, hooks.decrypt == nil else {
      return (nil, nil)
    }
    let listeners: @Sendable () -> [AnimationPreviews.Listener] = { [weak self] in
      self?.listeners(entryID, transfer) ?? []
    }
    let animations =
      context.options.decoding.animates
      ? AnimationPreviews(context, format: source.request.format, listeners: listeners) : nil
    return (
      animations, StillPreviews(context, format: source.request.format, listeners: listeners)
    )
  }

  /// What ends a transfer when enough has arrived, if every request that waits for it allows that.
  private func earlyStop(
    of request: ImageRequest,
    _ entry: Entry
  ) -> EarlyStop? {
    let hooks = context.network.hooks(for: request)
    // What has arrived is not what a hook makes of it, or lets be stored.
    guard hooks.didReceive == nil, hooks.decrypt == nil, hooks.willStore == nil, request.isDownload,
      request.isPlainGet,
      context.network.partials.isOn, let number = entry.load.transfer?.number,
      entry.load.needs(of: number) != nil
    else { return nil }
    return EarlyStop(context.codecs, format: request.format) { [weak self, id = entry.entryID] in
      self?.stripe(id.key).withLock { $0.has(id) ? $0[id.key]?.load.needs(of: number) : nil }
        ?? nil
    }
  }

  /// The caches of those that never ask again, of the requests that wait for a transfer.
  private func storesOfThoseWhoNeverAsk(
    _ entryID: EntryID,
    _ number: SourceLoad.TransferNumber
  ) -> CacheStages {
    stripe(entryID.key).withLock { entries in
      guard entries.has(entryID), let load = entries[entryID.key]?.load else { return [] }
      return load.waiting(forTransfer: number).filter(\.want.neverRevalidates)
        .reduce(into: []) { $0.formUnion($1.want.stores) }
    }
  }

  private func listeners(
    _ entryID: EntryID,
    _ number: SourceLoad.TransferNumber
  ) -> [AnimationPreviews.Listener] {
    stripe(entryID.key).withLock { entries in
      guard entries.has(entryID), let entry = entries[entryID.key] else { return [] }
      return entry.load.waiting(forTransfer: number).compactMap { subscriber in
        guard let waiter = entry.waiters[subscriber.id], waiter.subscription.wantsPreviews,
          let renderTarget = subscriber.want.renderTarget
        else { return nil }
        return AnimationPreviews.Listener(
          id: subscriber.id,
          renderTarget: renderTarget,
          subscription: waiter.subscription
        )
      }
    }
  }
}
