import IkranStores

/// The disk cache as the pipeline sees it: opened at the first use, and passed by when it fails.
final class DiskStage: Sendable {
  private enum State {
    case closed(DiskOptions)
    case open(any DataCaching)
    case absent
  }

  /// The most bytes that may wait to be written.
  private static let pendingByteLimit = 64 << 20

  /// Whether there is nothing to ask.
  let isAbsent: Bool

  private let state: Guarded<State>
  private let pendingBytes = Guarded(0)
  /// How many writes wait for each key: until they are done, what the disk has there is out of date.
  private let pendingKeys = Guarded([String: Int]())
  private let counters: PipelineCounters
  private let reading = Lane(name: "ikran-disk", threads: 2)
  /// One thread: writes happen in the order they were asked for, and hold up no read.
  ///
  /// Each holds the stage: what was asked for is written even when the pipeline is gone.
  private let writing = Lane(name: "ikran-write", threads: 1)

  init(_ options: DiskOptions?, _ cache: (any DataCaching)?, _ counters: PipelineCounters) {
    isAbsent = options == nil && cache == nil
    state = Guarded(cache.map(State.open) ?? options.map(State.closed) ?? .absent)
    self.counters = counters
  }

  /// The body under `key` and what is known of it; nil when the disk has none or fails, and while
  /// another waits to be written or it waits to be removed.
  ///
  /// - Throws: ``ImageError/cancelled``.
  func entry(for key: String, _ interest: Interest) async throws(ImageError) -> DiskCacheEntry? {
    guard !isAbsent, !isPending(key) else { return nil }
    return try await reading.run(interest) { (_) throws(ImageError) in
      self.attempt { try $0.entry(for: key) } ?? nil
    }
  }

  /// The file under `key` and what is known of it, which may be kept without the file.
  ///
  /// - Throws: ``ImageError/cancelled``.
  func file(
    for key: String,
    _ interest: Interest
  ) async throws(ImageError) -> (entry: DiskCacheEntry?, answer: StoredAnswer?) {
    guard let entry = try await entry(for: key, interest) else { return (nil, nil) }
    let answer = StoredAnswer(entry.extended)
    guard !entry.body.isEmpty else { return (nil, answer) }
    counters.record(.readFromDisk(bytes: entry.body.count))
    return (entry, answer)
  }

  /// What is known of the body under `key`, the body itself left alone.
  ///
  /// - Throws: ``ImageError/cancelled``.
  func answer(for key: String, _ interest: Interest) async throws(ImageError) -> StoredAnswer? {
    guard !isAbsent, !isPending(key) else { return nil }
    return try await reading.run(interest) { (_) throws(ImageError) in
      (self.attempt { try $0.extended(for: key) } ?? nil).flatMap { StoredAnswer($0) }
    }
  }

  /// Stores a body behind the caller, who waits only while too many bytes wait to be written.
  ///
  /// A cancelled caller returns at once; the body is stored all the same, unless it is nil when its
  /// turn comes.
  func store(
    _ extended: [UInt8],
    for key: String,
    cost: Int,
    _ body: @escaping @Sendable () throws -> [UInt8]?
  ) async {
    guard !isAbsent else { return }
    let waiting = pendingBytes.withLock { bytes in
      bytes += cost
      return bytes
    }
    replace(key) { [self] in
      attempt { cache in
        if let body = try body() { try cache.store(body, extended: extended, for: key) }
      }
      pendingBytes.withLock { $0 -= cost }
    }
    // Only cancellation throws. What waits before this one is written before it.
    if waiting > Self.pendingByteLimit { try? await writing.perform {} }
  }

  /// Replaces what is known of a body, behind the caller.
  func extend(_ answer: StoredAnswer, for key: String) {
    guard !isAbsent else { return }
    writing.later { [self] in attempt { try $0.extend(answer.bytes, for: key) } }
  }

  /// Forgets a body, behind the caller.
  func remove(_ key: String) {
    guard !isAbsent else { return }
    replace(key) { [self] in attempt { try $0.remove(key) } }
  }

  /// Returns when everything asked for so far is written; at once when the task is cancelled.
  ///
  /// Our own cache keeps the times of the last reads for its next write; they are written too.
  func finishWriting() async {
    guard writing.hasStarted || openCache != nil else { return }
    // Only cancellation throws, and then nobody waits.
    try? await writing.perform { [self] in (openCache as? DiskCache)?.flush() }
  }

  private func isPending(_ key: String) -> Bool { pendingKeys.withLock { $0[key] != nil } }

  /// Does `work` on the writing thread, behind the caller; what is under `key` is out of date from
  /// now on.
  private func replace(_ key: String, _ work: @escaping @Sendable () -> Void) {
    pendingKeys.withLock { $0[key, default: 0] += 1 }
    writing.later { [self] in
      work()
      pendingKeys.withLock { keys in
        let left = (keys[key] ?? 1) - 1
        keys[key] = left > 0 ? left : nil
      }
    }
  }

  /// The cache, if anybody has used it.
  private var openCache: (any DataCaching)? {
    state.withLock { if case .open(let cache) = $0 { cache } else { nil } }
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
  ///
  /// Only the lanes' threads come here, so only they wait while it opens.
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
