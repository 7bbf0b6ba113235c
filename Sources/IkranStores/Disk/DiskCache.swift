import Synchronization

/// Bodies on the disk under text keys, within a number of bytes and of entries.
///
/// Small bodies live in an SQLite index, larger ones in files. Every body carries a checksum over
/// itself and its key, which each read verifies: a crash at any point, a damaged disk or another
/// process never make it return a wrong body. What is damaged is dropped, counted, and reads as a
/// miss; a damaged index is set aside and begun anew.
///
/// All calls are synchronous and block on the disk; all are thread-safe. One lock guards the index;
/// files are read and written outside it. Several processes may use one folder.
///
/// A store is not forced to the disk: a power loss may take the last ones along. Access times are
/// kept in memory and written with the next store, every 128 reads and on release, so another
/// process that evicts may not know of the last reads here.
public final class DiskCache: Sendable {
  private struct State {
    var index: DiskIndex?
    /// The index file that is open, to notice that the folder was removed.
    var identity: Files.Identity?
    /// When entries were read, as far as the index does not know.
    var accesses: [Int64: Int64] = [:]
    var reads = 0
    var stores = 0
  }

  /// The folder, seen from the root.
  public let directory: String
  /// How much the cache may hold.
  public let options: DiskCacheOptions

  private let now: @Sendable () -> Int64
  let files: BodyFiles
  let counters = DiskCacheCounters()
  private let state = Guarded(State())

  /// Opens the cache in a folder, which is made when missing, for this user only.
  ///
  /// - Throws: `DiskCacheError` when the folder cannot be made or written.
  public convenience init(
    directory: String,
    options: DiskCacheOptions = DiskCacheOptions()
  ) throws(DiskCacheError) {
    try self.init(directory: directory, options: options, now: WallClock.microseconds)
  }

  /// Opens the cache with a clock of the caller's: microseconds since 1970.
  public init(
    directory: String,
    options: DiskCacheOptions = DiskCacheOptions(),
    now: @escaping @Sendable () -> Int64
  ) throws(DiskCacheError) {
    do throws(SystemError) {
      self.directory = try Files.absolute(directory)
    } catch {
      throw DiskCacheError(error)
    }
    self.options = options
    self.now = now
    files = BodyFiles(directory: self.directory)
    try withIndex { _ in }
  }

  deinit { flush() }

  // MARK: - Entries

  /// The body stored last under a key, byte for byte; nil when there is none, or none undamaged.
  ///
  /// Keys are compared by their UTF-8 bytes.
  public func body(for key: String) throws(DiskCacheError) -> [UInt8]? {
    let time = now()
    // Another process may replace the entry between the index and the file: look again.
    for _ in 0..<3 {
      guard let entry = try find(key, time) else { break }
      // A damaged index may lead to the row of another key.
      if entry.key.utf8.elementsEqual(key.utf8), let body = try read(entry) {
        counters.hits.wrappingAdd(1, ordering: .relaxed)
        return body
      }
      if drop(entry) { break }
    }
    counters.misses.wrappingAdd(1, ordering: .relaxed)
    return nil
  }

  /// Whether there is an entry under a key; its body is not looked at, and it is no access.
  public func contains(_ key: String) throws(DiskCacheError) -> Bool {
    try withIndex { index throws(DiskCacheError) in try index.id(of: key) != nil }
  }

  /// Stores a body in place of the one under the same key; then removes what is over the limits,
  /// oldest access first.
  ///
  /// When it throws, the older body is still there; only a body over the limit removes it, as it is
  /// out of date.
  public func store(_ body: [UInt8], for key: String) throws(DiskCacheError) {
    guard body.count <= options.byteLimit, options.countLimit > 0 else {
      try remove(key)
      throw .bodyOverLimit(bytes: body.count, limit: options.byteLimit)
    }
    if body.count <= DiskCacheFormat.inlineLimit {
      try insert(body, key, written: nil)
    } else {
      do throws(DiskCacheError) {
        try insert(body, key, written: write(body))
      } catch .system(let error) where error.isMissing {
        // Another process took our file for abandoned, or removed the folder.
        try insert(body, key, written: write(body))
      }
    }
    try sweepSometimes()
  }

  /// Removes the entry under a key, if there is one.
  public func remove(_ key: String) throws(DiskCacheError) {
    let removed = try withIndex { index throws(DiskCacheError) in
      try index.change { () throws(DiskCacheError) in try index.remove(key: key) }
    }
    files.remove(removed)
  }

  /// Writes the access times that are still in memory; a store and the release do so as well.
  public func flush() {
    state.withLock { Self.flush(&$0) }
  }

  /// What the cache holds and how it has been used since it was opened.
  public var statistics: DiskCacheStatistics {
    get throws(DiskCacheError) {
      let totals = try withIndex { index throws(DiskCacheError) in try index.totals() }
      return counters.statistics(entries: Int(totals.count), bytes: Int(totals.bytes))
    }
  }

  // MARK: - Reading

  private func find(_ key: String, _ time: Int64) throws(DiskCacheError) -> DiskIndex.Entry? {
    try withState { state, index throws(DiskCacheError) in
      guard let entry = try index.entry(key) else { return nil }
      state.accesses[entry.id] = time
      state.reads += 1
      if state.reads >= 128 { Self.flush(&state) }
      return entry
    }
  }

  /// The body of an entry, or nil when it is damaged or gone.
  func read(_ entry: DiskIndex.Entry) throws(DiskCacheError) -> [UInt8]? {
    guard entry.length >= 0 else { return nil }
    let body: [UInt8]
    if let inline = entry.body {
      body = inline
    } else {
      do throws(SystemError) {
        let path = files.path(key: entry.key, id: entry.id)
        body = try Files.read(path, maximumBytes: Int(entry.length))
      } catch {
        if error.isDamage { return nil }
        throw DiskCacheError(error)
      }
    }
    guard body.count == entry.length,
      DiskCacheFormat.checksum(of: body, key: entry.key) == entry.checksum
    else { return nil }
    return body
  }

  /// Removes a damaged entry; false when somebody else has replaced or removed it meanwhile.
  func drop(_ entry: DiskIndex.Entry) -> Bool {
    // A disk that cannot be written keeps the entry: the next read will find it damaged again.
    let removed = try? withIndex { index throws(DiskCacheError) in try index.remove(id: entry.id) }
    guard removed ?? true else { return false }
    counters.dropped.wrappingAdd(1, ordering: .relaxed)
    if entry.body == nil { files.discard(files.path(key: entry.key, id: entry.id)) }
    return true
  }

  private static func flush(_ state: inout State) {
    state.reads = 0
    guard let index = state.index, !state.accesses.isEmpty else { return }
    let accesses = state.accesses
    // Reads must not fail, or wait, for their access times: they are tried again later.
    let noted: Void? = try? index.change(waits: false) { () throws(DiskCacheError) in
      try index.note(accesses)
    }
    if noted != nil || accesses.count > 4096 { state.accesses = [:] }
  }

  // MARK: - Writing

  /// Writes a body to a file that is not published yet.
  private func write(_ body: [UInt8]) throws(DiskCacheError) -> String {
    do throws(SystemError) {
      do throws(SystemError) { return try files.write(body) } catch {
        guard error.isMissing else { throw error }
      }
    } catch {
      throw DiskCacheError(error)
    }
    // The folder is missing: report it when all is gone, else make it.
    try withIndex { _ in }
    do throws(SystemError) {
      try files.createFolders()
      return try files.write(body)
    } catch {
      throw DiskCacheError(error)
    }
  }

  private func insert(
    _ body: [UInt8],
    _ key: String,
    written: String?
  ) throws(DiskCacheError) {
    let checksum = DiskCacheFormat.checksum(of: body, key: key)
    let time = now()
    var published: String?
    do throws(DiskCacheError) {
      let gone = try withState { state, index throws(DiskCacheError) in
        let gone = try index.change { () throws(DiskCacheError) in
          try index.note(state.accesses)
          let replaced = try index.remove(key: key)
          let id = try index.add(
            key: key,
            length: body.count,
            checksum: checksum,
            body: written == nil ? body : nil,
            time: time
          )
          if let written {
            try publish(written, key, id)
            published = files.path(key: key, id: id)
          }
          let evicted = try index.evict(
            toBytes: options.byteLimit,
            count: options.countLimit,
            keeping: id
          )
          return (replaced: replaced, evicted: evicted)
        }
        state.accesses = [:]
        return gone
      }
      counters.evictions.wrappingAdd(gone.evicted.count, ordering: .relaxed)
      files.remove(gone.replaced + gone.evicted)
    } catch {
      for path in [written, published] {
        if let path { files.discard(path) }
      }
      throw error
    }
  }

  private func publish(_ written: String, _ key: String, _ id: Int64) throws(DiskCacheError) {
    do throws(SystemError) {
      try files.publish(written, key: key, id: id)
    } catch {
      throw DiskCacheError(error)
    }
  }

  /// Looks for leftovers in one of the 256 folders at every 64th store.
  private func sweepSometimes() throws(DiskCacheError) {
    let stores = state.withLock { state in
      state.stores += 1
      return state.stores
    }
    guard stores % 64 == 1 else { return }
    if stores == 1 { _ = files.removeAbandoned() }
    let folder = DiskCacheFormat.hex(UInt64.random(in: 0...255)).suffix(2)
    _ = try sweep(folder: String(folder))
  }

  // MARK: - The index

  /// Runs `body` with the index, opened when it is not, under the lock.
  ///
  /// An index that turns out to be damaged is set aside, and `body` runs again with a new one.
  func withIndex<R: Sendable>(
    _ body: (DiskIndex) throws(DiskCacheError) -> R
  ) throws(DiskCacheError) -> R {
    try withState { _, index throws(DiskCacheError) in try body(index) }
  }

  private func withState<R: Sendable>(
    _ body: (inout State, DiskIndex) throws(DiskCacheError) -> R
  ) throws(DiskCacheError) -> R {
    try state.withLock { (state) throws(DiskCacheError) -> R in
      do throws(DiskCacheError) {
        let index = try opened(&state)
        return try body(&state, index)
      } catch .corrupt {
        try setAside(&state)
        let index = try opened(&state)
        return try body(&state, index)
      }
    }
  }

  private var indexPath: String { "\(directory)/index.sqlite" }

  private func opened(_ state: inout State) throws(DiskCacheError) -> DiskIndex {
    if let index = state.index {
      if Files.identity(indexPath) == state.identity { return index }
      state = State()
      throw .removed(path: directory)
    }
    do throws(SystemError) {
      try files.createFolders()
      // SQLite makes files that all may read; one that exists keeps its permissions.
      if !Files.exists(indexPath) { try? Files.create(indexPath, []) }
    } catch {
      throw DiskCacheError(error)
    }
    let index = try DiskIndex(path: indexPath)
    state.index = index
    state.identity = Files.identity(indexPath)
    return index
  }

  private func setAside(_ state: inout State) throws(DiskCacheError) {
    let identity = state.identity
    state = State()
    // Another process may have been faster.
    if let identity, identity != Files.identity(indexPath) { return }
    do throws(SystemError) {
      try Files.rename(indexPath, to: "\(directory)/index.damaged")
      try Files.remove("\(indexPath)-wal")
      try Files.remove("\(indexPath)-shm")
      try files.removeAll()
    } catch {
      throw DiskCacheError(error)
    }
    counters.rebuilds.wrappingAdd(1, ordering: .relaxed)
  }
}
