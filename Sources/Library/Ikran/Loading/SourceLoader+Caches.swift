// Reading caches: a slow action.

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
