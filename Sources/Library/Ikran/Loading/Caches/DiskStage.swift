import IkranStores
import Synchronization

/// The disk cache as the pipeline sees it: opened at the first use, and skipped when it fails.
///
/// A failure is counted, and fails no request. A cache that cannot be opened is tried again, after
/// pauses of one second to five minutes. What is to be stored waits in ``PendingStores``.
final class DiskStage: Sendable {
  private typealias Store = PendingStores.Store

  enum State {
    case closed(DiskOptions)
    /// It could not be opened: not before `next`, in microseconds since 1970.
    case failed(DiskOptions, next: Int64, pause: Int64)
    case open(any DataCaching)
    case absent
  }

  /// Whether there is nothing to ask.
  let isAbsent: Bool
  let state: Guarded<State>
  /// Whether the cache is open: it may have times of reads to write.
  let wasOpened: Atomic<Bool>
  /// Whether it stays closed, as the pipeline is suspended; looked at with the lock of `state`.
  let isClosed = Atomic(false)
  let suspension: Suspension
  /// How often the writing thread has asked for something itself.
  private let reads = Atomic(0)
  let clock: PipelineClock
  private let pending = Guarded(PendingStores())
  /// Changed on the writing thread only.
  let missed = Guarded(MissedRemovals())
  let counters: PipelineCounters
  /// Counts what waits to be written.
  private let backlog: Backlog
  let secret: FolderSecret
  private let reading = ThreadPool(name: "ikran-disk", threads: 2)
  /// One thread: writes happen in the order they were asked for, and hold up no read.
  ///
  /// Each holds the stage: what was asked for is written even when the pipeline is gone.
  let writing = ThreadPool(name: "ikran-write", threads: 1)

  init(
    _ options: DiskOptions?,
    cache: (any DataCaching)?,
    in context: StageContext
  ) {
    (counters, backlog) = (context.counters, context.backlog)
    (secret, clock) = (context.secret, context.clock)
    isAbsent = options == nil && cache == nil
    wasOpened = Atomic(cache != nil)
    state = Guarded(cache.map(State.open) ?? options.map(State.closed) ?? .absent)
    suspension = Suspension(writing: [writing], reading: [reading])
  }

  /// The number of reads that wait for a thread.
  var waitingReads: Int { reading.waiting }

  /// The entry under `key`; nil when the disk has none or fails, and while another waits to be
  /// written.
  ///
  /// - Throws: ``ImageError/cancelled``.
  func entry(for key: String, _ subscription: Subscription) async throws(ImageError)
    -> DiskCacheEntry?
  {
    try await find(key, subscription) { try $0.entry(for: key) }
  }

  /// The response that is stored under `key`, the body itself left alone.
  ///
  /// - Throws: ``ImageError/cancelled``.
  func record(for key: String, _ subscription: Subscription) async throws(ImageError)
    -> StoredResponse?
  {
    try await find(key, subscription) { try $0.extended(for: key) }.flatMap { StoredResponse($0) }
  }

  private func find<Found: Sendable>(
    _ key: String,
    _ subscription: Subscription,
    in look: @escaping @Sendable (any DataCaching) throws -> Found?
  ) async throws(ImageError) -> Found? {
    guard !isAbsent, !isPending(key) else { return nil }
    return try await reading.run(subscription) { (_) throws(ImageError) in
      self.attempt(look) ?? nil
    }
  }

  /// Reads the entry under `key` and hands it to `use` on the reading thread; does neither if it is
  /// not wanted any more when its turn comes.
  ///
  /// While it waits it follows the priority of `subscription`.
  func read(
    _ key: String,
    for subscription: Subscription,
    while isWanted: @escaping @Sendable () -> Bool,
    then use: @escaping @Sendable (DiskCacheEntry?) -> Void
  ) {
    submit(subscription) { [self] in
      guard isWanted() else { return }
      use(isPending(key) ? nil : attempt { try $0.entry(for: key) } ?? nil)
    }
  }

  /// Reads the response under `key` as ``read(_:for:while:then:)`` reads the entry.
  func readRecord(
    _ key: String,
    for subscription: Subscription,
    while isWanted: @escaping @Sendable () -> Bool,
    then use: @escaping @Sendable (StoredResponse?) -> Void
  ) {
    submit(subscription) { [self] in
      guard isWanted() else { return }
      let bytes = isPending(key) ? nil : attempt { try $0.extended(for: key) } ?? nil
      use(bytes.flatMap { StoredResponse($0) })
    }
  }

  private func submit(_ subscription: Subscription, _ work: @escaping @Sendable () -> Void) {
    let job = reading.nextJob()
    _ = subscription.observe { [reading, weak subscription] in
      if let subscription { reading.move(job, to: { subscription.priority }) }
    }
    reading.submit(job, priority: { subscription.priority }) { _ in work() }
  }

  /// Stores a body after the caller has gone on, unless it is nil when its turn comes; `cost` is
  /// what its bytes take until then.
  ///
  /// If too much waits to be written it is not stored, and an older body under the key is removed,
  /// unless `isNeeded`: then the caller has waited for the disk (``waitForRoom()``).
  func store(
    _ extended: [UInt8],
    for key: String,
    cost: Int,
    isNeeded: Bool = false,
    _ body: @escaping @Sendable () throws -> [UInt8]?
  ) {
    guard !isAbsent else { return }
    let store = Store(key: key, extended: extended, cost: cost + extended.count, body: body)
    guard backlog.add(store.cost, always: isNeeded) else {
      let reason = "Did not store a body: too much is waiting to be written to the disk."
      counters.count(.diskFailed(reason))
      return remove(key)
    }
    let fence = pending.withLock { $0.add(store) }
    writing.later { [self] in write(pending.withLock { $0.takeBatch(before: fence) }) }
  }

  /// Stores a body unless one is stored under `key`.
  func storeIfMissing(
    _ extended: [UInt8],
    for key: String,
    cost: Int,
    isNeeded: Bool = false,
    _ body: @escaping @Sendable () throws -> [UInt8]?
  ) {
    guard !isAbsent else { return }
    let store = Store(key: key, extended: extended, cost: cost + extended.count, body: body)
    // It can be stored another time.
    guard backlog.add(store.cost, always: isNeeded) else { return }
    afterStores { [self] in
      guard (attempt { try $0.entry(for: key) } ?? nil)?.body.isEmpty != false else {
        return backlog.remove(store.cost)
      }
      pending.withLock { $0.retain(key) }
      write([store])
    }
  }

  /// Replaces the response of a body that it confirms, after the caller has gone on.
  ///
  /// Another body, which another process may have stored since, stays as it is.
  func extend(_ response: StoredResponse, for key: String) {
    guard !isAbsent else { return }
    let isConfirmed: @Sendable ([UInt8]) -> Bool = { StoredResponse($0)?.body == response.body }
    afterStores { [self] in
      attempt { cache in
        if let cache = cache as? DiskCache {
          try cache.extend(response.bytes, for: key, where: isConfirmed)
        } else if let stored = try cache.extended(for: key), isConfirmed(stored) {
          _ = try cache.extend(response.bytes, for: key)
        }
      }
    }
  }

  /// Hands the response that is stored under a key to `use`, after the caller has gone on;
  /// ``finishWriting()`` waits for what `use` asks for, too.
  func readBehind(_ key: String, then use: @escaping @Sendable (StoredResponse) -> Void) {
    guard !isAbsent else { return }
    afterStores { [self] in
      guard let bytes = attempt({ try $0.extended(for: key) }) ?? nil,
        let response = StoredResponse(bytes)
      else { return }
      use(response)
      reads.wrappingAdd(1, ordering: .releasing)
    }
  }

  /// Forgets a body, after the caller has gone on, if `isDue` says so when its turn comes.
  func remove(_ key: String, if isDue: @escaping @Sendable () -> Bool = { true }) {
    guard !isAbsent else { return }
    pending.withLock { $0.retain(key) }
    afterStores { [self] in
      if isDue(), attempt({ try $0.remove(key) }) == nil { missed.withLock { $0.add(key) } }
      pending.withLock { $0.release(key) }
    }
  }

  /// Forgets a body that is damaged, after the caller has gone on, unless another one is stored by
  /// then.
  func remove(_ key: String, damaged body: BodyID) {
    remove(key) { [self] in
      guard let stored = attempt({ try $0.entry(for: key) }) ?? nil else { return true }
      // Data of the program's have no fields.
      return (StoredResponse(stored.extended)?.body ?? Checksum.wide(stored.body)) == body
    }
  }

  /// Removes every body, after the caller has gone on.
  func removeAll() {
    guard !isAbsent else { return }
    pending.withLock { $0.retainAll() }
    afterStores { [self] in
      if attempt({ try $0.removeAll() }) == nil { missed.withLock { $0.add(nil) } }
      pending.withLock { $0.releaseAll() }
    }
  }

  /// The statistics of the built-in cache; nil for another one, when it fails, and when the task is
  /// cancelled.
  func statistics() async -> DiskCacheStatistics? {
    await afterWriting { try ($0 as? DiskCache)?.statistics } ?? nil
  }

  /// Does `work` once everything queued so far is written; nil when there is no cache, when it
  /// fails, and when the task is cancelled.
  func afterWriting<Value: Sendable>(
    _ work: @escaping @Sendable (any DataCaching) throws -> Value
  ) async -> Value? {
    guard !isAbsent else { return nil }
    // Only cancellation throws.
    let fence = pending.withLock { $0.setFence() }
    return try? await writing.perform { [self] in
      writeAll(before: fence)
      return attempt(work)
    }
  }

  /// Returns when everything asked for so far is written; at once when the task is cancelled.
  ///
  /// The built-in cache keeps the times of the last reads for its next write; they are written too.
  func finishWriting() async {
    // Not by a look at the state: a caller on the main thread would wait while the cache opens.
    guard writing.hasStarted || wasOpened.load(ordering: .relaxed) else { return }
    // Only cancellation throws, and then no caller waits.
    var before: Int
    repeat {
      before = reads.load(ordering: .acquiring)
      let fence = pending.withLock { $0.setFence() }
      try? await writing.perform { [self] in
        writeAll(before: fence)
        removeMissed()
        (openCache as? DiskCache)?.flush()
      }
    } while reads.load(ordering: .acquiring) != before && !Task.isCancelled
  }

  /// Waits while too much waits to be written; returns at once when the task is cancelled.
  func waitForRoom() async {
    while !backlog.hasRoom, !Task.isCancelled { await finishWriting() }
  }

  private func isPending(_ key: String) -> Bool {
    pending.withLock { $0.contains(key) } || missed.withLock { $0.contains(key) }
  }

  /// Does the removals that failed; on the writing thread, before anything else is written.
  func removeMissed() {
    var left = missed.withLock { $0 }
    guard !left.isEmpty else { return }
    // Why they failed was reported when they did.
    attempt { cache in try? left.apply(to: cache) }
    missed.withLock { [left] in $0 = left }
  }

  /// Does `work` on the writing thread, once every store so far is written and before any later
  /// one.
  private func afterStores(_ work: @escaping @Sendable () -> Void) {
    let fence = pending.withLock { $0.setFence() }
    writing.later { [self] in
      writeAll(before: fence)
      removeMissed()
      work()
    }
  }

  /// Writes all stores before a fence.
  private func writeAll(before fence: Int) {
    while case let batch = pending.withLock({ $0.takeBatch(before: fence) }), !batch.isEmpty {
      write(batch)
    }
  }

  /// Writes stores in one transaction.
  private func write(_ batch: [Store]) {
    guard !batch.isEmpty else { return }
    removeMissed()
    var bodies: [(body: [UInt8], extended: [UInt8], key: String)] = []
    // A removal that is still to be done would take what is newer.
    for store in batch where !missed.withLock({ $0.contains(store.key) }) {
      attempt { _ in
        if let body = try store.body() { bodies.append((body, store.extended, store.key)) }
      }
    }
    attempt { cache in
      if let cache = cache as? DiskCache {
        cache.store(bodies) { counters.count(.diskFailed("\($0)")) }
      } else {
        for (body, extended, key) in bodies {
          attempt { try $0.store(body, extended: extended, for: key) }
        }
      }
    }
    backlog.remove(batch.reduce(0) { $0 + $1.cost })
    pending.withLock { pending in for store in batch { pending.release(store.key) } }
  }

  @discardableResult
  private func attempt<Value>(_ work: (any DataCaching) throws -> Value) -> Value? {
    do {
      let (cache, failure) = try opened()
      if let failure { counters.count(.diskFailed(failure)) }
      return try cache.map(work)
    } catch {
      counters.count(.diskFailed("\(error)"))
      return nil
    }
  }
}
