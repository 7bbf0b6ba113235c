import IkranStores

/// The disk cache as the pipeline sees it: opened at the first use, and passed by when it fails.
final class DiskStage: Sendable {
  private enum State {
    case closed(DiskOptions)
    case open(any DataCaching)
    case absent
  }

  /// Bodies that wait to be written.
  private struct Pending {
    var writes = 0
    var bytes = 0
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  /// The most bytes that may wait to be written.
  private static let pendingByteLimit = 64 << 20

  private let state: Guarded<State>
  private let pending = Guarded(Pending())
  private let counters: PipelineCounters

  init(_ options: DiskOptions?, _ cache: (any DataCaching)?, _ counters: PipelineCounters) {
    state = Guarded(cache.map(State.open) ?? options.map(State.closed) ?? .absent)
    self.counters = counters
  }

  /// Whether there is nothing to ask.
  var isAbsent: Bool {
    state.withLock { state in
      if case .absent = state { return true }
      return false
    }
  }

  /// The body under `key`; nil when the disk has none or fails.
  func body(for key: String) -> [UInt8]? {
    let body = attempt { try $0.body(for: key) } ?? nil
    if let body { counters.record(.readFromDisk(bytes: body.count)) }
    return body
  }

  func store(_ body: [UInt8], for key: String) { attempt { try $0.store(body, for: key) } }

  func remove(_ key: String) { attempt { try $0.remove(key) } }

  /// Announces a write; false when so many bytes wait already that the caller should wait too.
  ///
  /// Every call is followed by one of ``ended(_:)``.
  func begin(_ bytes: Int) -> Bool {
    pending.withLock { pending in
      pending.writes += 1
      pending.bytes += bytes
      return pending.bytes <= Self.pendingByteLimit
    }
  }

  /// Says that an announced write is over, done or not.
  func ended(_ bytes: Int) {
    let waiters = pending.withLock { pending -> [CheckedContinuation<Void, Never>] in
      pending.writes -= 1
      pending.bytes -= bytes
      guard pending.writes == 0 else { return [] }
      defer { pending.waiters = [] }
      return pending.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Returns when no announced write is left.
  func finishWriting() async {
    await withCheckedContinuation { continuation in
      let isIdle = pending.withLock { pending in
        if pending.writes > 0 { pending.waiters.append(continuation) }
        return pending.writes == 0
      }
      if isIdle { continuation.resume() }
    }
    // Our own cache keeps the times of the last reads for its next write.
    if case .open(let cache as DiskCache) = state.withLock({ $0 }) {
      do { try cache.flush() } catch { counters.record(.diskFailed("\(error)")) }
    }
  }

  @discardableResult
  private func attempt<Value>(_ work: (any DataCaching) throws -> Value) -> Value? {
    do {
      return try opened().map(work)
    } catch {
      counters.record(.diskFailed("\(error)"))
      return nil
    }
  }

  /// Opens the cache once; a folder that cannot be opened is reported and not tried again.
  private func opened() throws -> (any DataCaching)? {
    try state.withLock { state in
      switch state {
      case .open(let cache): return cache
      case .absent: return nil
      case .closed(let options):
        state = .absent
        let cache = try DiskCache(directory: options.directory, options: options.cacheOptions)
        state = .open(cache)
        return cache
      }
    }
  }
}
