public import IkranStores

/// Keeps values of any `Codable` type in memory and on the disk, images or not.
///
/// ```swift
/// let profiles = try CodableCache<Profile>(directory: folder)
/// try profiles.store(profile, for: "me")
/// let mine = try profiles.value(for: "me")
/// ```
/// All calls are synchronous and thread-safe. What is in memory is found without waiting;
/// everything else blocks on the disk; tasks make such calls as a `BlockingStore` has it. When two
/// threads store under one key at once, each place keeps one of the two values.
///
/// Values are kept as JSON unless a coder of your own says otherwise. One that cannot be decoded
/// any more, because its type has changed or another type was stored there, is removed and reads as
/// a miss. Give each type a folder of its own: JSON of one type may well be JSON of another.
public final class CodableCache<Value: Codable & Sendable>: BlockingStore {
  private struct State {
    /// Changes begun so far, and those that have not ended.
    var changes = 0
    var changing = 0
    var dropped = 0
  }

  private let memory: (any MemoryCaching<String, KeptValue<Value>>)?
  private let disk: (any DataCaching)?
  private let maximumAge: DiskCacheOptions.Age
  private let coder: ValueCoder<Value>
  private let now: @Sendable () -> Int64
  private let state = Guarded(State())

  /// Opens a cache in a folder, which is made when missing, with room in memory in front of it.
  ///
  /// - Parameters:
  ///   - directory: A folder that holds nothing else.
  ///   - options: What the disk may hold, for how long, and in which form.
  ///   - memoryByteLimit: The largest sum of values in memory, counted in encoded bytes.
  ///   - coder: How values are encoded.
  /// - Throws: ``CodableCacheError/disk(_:)`` when the folder cannot be made or written.
  public convenience init(
    directory: String,
    options: DiskCacheOptions = DiskCacheOptions(),
    memoryByteLimit: Int = 16 << 20,
    coder: ValueCoder<Value> = .json
  ) throws(CodableCacheError) {
    let disk: DiskCache
    do throws(DiskCacheError) {
      disk = try DiskCache(directory: directory, options: options)
    } catch {
      throw .disk(error)
    }
    self.init(
      memory: MemoryCache(byteLimit: memoryByteLimit),
      disk: disk,
      maximumAge: options.maximumAge,
      coder: coder
    )
  }

  /// Makes a cache of stores of your own.
  ///
  /// - Parameters:
  ///   - memory: Where values are kept as they are; nil keeps none in memory.
  ///   - disk: Where encoded values are kept; nil keeps none on the disk.
  ///   - maximumAge: For how long memory keeps what was stored (`sinceStored`; the other ages are
  ///     for the disk alone). The disk has its own options.
  ///   - coder: How values are encoded.
  public convenience init(
    memory: (any MemoryCaching<String, KeptValue<Value>>)?,
    disk: (any DataCaching)?,
    maximumAge: DiskCacheOptions.Age = .never,
    coder: ValueCoder<Value> = .json
  ) {
    self.init(memory, disk, maximumAge, coder, now: WallClock.microseconds)
  }

  package init(
    _ memory: (any MemoryCaching<String, KeptValue<Value>>)?,
    _ disk: (any DataCaching)?,
    _ maximumAge: DiskCacheOptions.Age,
    _ coder: ValueCoder<Value>,
    now: @escaping @Sendable () -> Int64
  ) {
    self.memory = memory
    self.disk = disk
    self.maximumAge = maximumAge
    self.coder = coder
    self.now = now
  }

  /// How many values could not be decoded and were removed, since the cache was made.
  public var dropped: Int { state.withLock { $0.dropped } }

  /// What memory holds, where it is a `MemoryCache`; nil without one.
  public var memoryStatistics: MemoryCacheStatistics? {
    (memory as? MemoryCache<String, KeptValue<Value>>)?.statistics
  }

  /// What the disk holds, where it is a `DiskCache`; nil without one.
  ///
  /// It may wait for the disk.
  ///
  /// - Throws: ``CodableCacheError/disk(_:)`` when the index cannot be read.
  public var diskStatistics: DiskCacheStatistics? {
    get throws(CodableCacheError) {
      guard let disk = disk as? DiskCache else { return nil }
      do throws(DiskCacheError) { return try disk.statistics } catch { throw .disk(error) }
    }
  }

  /// The value stored last under a key; nil when there is none young enough that can be decoded.
  ///
  /// With both places, what the disk has is put into memory.
  ///
  /// - Throws: ``CodableCacheError`` when the disk cannot be read.
  public func value(
    for key: String,
    in places: ValuePlaces = .both
  ) throws(CodableCacheError) -> Value? {
    if let kept = memory(in: places)?.value(for: key), isYoung(kept.stored) { return kept.value }
    guard let disk = disk(in: places) else { return nil }
    let (changes, isQuiet) = state.withLock { ($0.changes, $0.changing == 0) }
    guard let entry = try attempt({ try disk.entry(for: key) }) else { return nil }
    // Why it is no value of ours is no matter: it is gone.
    guard let value = try? coder.decode(entry.body) else {
      state.withLock { $0.dropped += 1 }
      // A store in the meantime has replaced it. One that cannot be removed is met again.
      if isQuiet, isUnchanged(since: changes) { try? disk.remove(key) }
      return nil
    }
    guard isQuiet, let memory = memory(in: places) else { return value }
    let stored = entry.stored > 0 ? entry.stored : now()
    memory.store(KeptValue(value: value, stored: stored), cost: entry.body.count, for: key)
    // What is older must not stay in place of what was stored or removed in the meantime.
    if !isUnchanged(since: changes) { memory.remove(key) }
    return value
  }

  /// Stores a value in place of the one under the same key.
  ///
  /// A place that is not chosen loses what it has under the key, which is out of date.
  ///
  /// - Throws: ``CodableCacheError``; then the older value may still be there.
  public func store(
    _ value: Value,
    for key: String,
    in places: ValuePlaces = .both
  ) throws(CodableCacheError) {
    let body: [UInt8]
    do {
      body = try coder.encode(value)
    } catch {
      throw .encoding(key: key, reason: "\(error)")
    }
    try change { () throws(CodableCacheError) in
      memory?.remove(key)
      try attempt {
        if places == .memory { try disk?.remove(key) } else { try disk?.store(body, for: key) }
      }
      let kept = KeptValue(value: value, stored: now())
      memory(in: places)?.store(kept, cost: body.count, for: key)
    }
  }

  /// Removes the value under a key, if there is one.
  ///
  /// - Throws: ``CodableCacheError`` when the disk cannot be written.
  public func remove(
    _ key: String,
    in places: ValuePlaces = .both
  ) throws(CodableCacheError) {
    try change { () throws(CodableCacheError) in
      memory(in: places)?.remove(key)
      try attempt { try disk(in: places)?.remove(key) }
    }
  }

  /// Whether something is stored under a key; neither its age nor its bytes are looked at.
  ///
  /// - Throws: ``CodableCacheError`` when the disk cannot be read.
  public func contains(
    _ key: String,
    in places: ValuePlaces = .both
  ) throws(CodableCacheError) -> Bool {
    if memory(in: places)?.contains(key) == true { return true }
    return try attempt { try disk(in: places)?.contains(key) ?? false }
  }

  /// Removes all values.
  ///
  /// - Throws: ``CodableCacheError`` when the disk cannot be written.
  public func removeAll(in places: ValuePlaces = .both) throws(CodableCacheError) {
    try change { () throws(CodableCacheError) in
      memory(in: places)?.removeAll()
      try attempt { try disk(in: places)?.removeAll() }
    }
  }

  /// Suspends the store on the disk, if there is one: what is in memory is found, and the rest
  /// missing.
  ///
  /// - Throws: What the store throws.
  public func suspend() throws { try disk?.suspend() }

  /// Ends a suspension.
  public func resume() { disk?.resume() }

  private func memory(in places: ValuePlaces) -> (any MemoryCaching<String, KeptValue<Value>>)? {
    places == .disk ? nil : memory
  }

  private func disk(in places: ValuePlaces) -> (any DataCaching)? {
    places == .memory ? nil : disk
  }

  private func isYoung(_ stored: Int64) -> Bool {
    guard case .sinceStored = maximumAge else { return true }
    return !Expiry(maximumAge, now: now()).isOver(accessed: stored, stored: stored)
  }

  private func isUnchanged(since changes: Int) -> Bool {
    state.withLock { $0.changes == changes }
  }

  /// Lets readers know that what they have read may be out of date.
  private func change(_ body: () throws(CodableCacheError) -> Void) throws(CodableCacheError) {
    state.withLock {
      $0.changes += 1
      $0.changing += 1
    }
    defer { state.withLock { $0.changing -= 1 } }
    try body()
  }

  private func attempt<R>(_ body: () throws -> R) throws(CodableCacheError) -> R {
    do {
      return try body()
    } catch {
      throw CodableCacheError(error)
    }
  }
}
