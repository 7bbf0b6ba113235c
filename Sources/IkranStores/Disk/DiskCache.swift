import Synchronization

/// Bodies on the disk under text keys, within a number of bytes and of entries and up to an age.
///
/// Small bodies live in an SQLite index, larger ones in files. Every body carries a checksum over
/// itself and its key, which each read verifies: a crash at any point, a damaged disk or another
/// process never make it return a wrong body. What is damaged is dropped, counted, and reads as a
/// miss; a damaged index is set aside and begun anew.
///
/// All calls are synchronous and block on the disk; all are thread-safe. One lock guards the index;
/// files are read and written outside it. Several processes may use one folder.
///
/// A store is not forced to the disk: a power loss may take the last ones along. Reads are noted in
/// memory and written with the next store, for every 128 entries and on release, so another process
/// that evicts may not know of the last reads here.
public final class DiskCache: Sendable {
  struct State {
    var index: DiskIndex?
    /// The index file that is open, to notice that the folder was removed.
    var identity: Files.Identity?
    /// Reads that the index does not know of, by hash.
    var accesses: [Int64: DiskIndex.Access] = [:]
    /// Where the last look for entries that are too old ended.
    var aged: Int64 = .min
  }

  /// An entry as the index has it, and the files it was found with.
  struct Found: Sendable {
    let row: IndexRow
    let files: BodyFiles
  }

  /// How much the cache may hold, for how long and in which form.
  public let options: DiskCacheOptions

  let now: @Sendable () -> Int64
  let form: BodyForm
  let counters = DiskCacheCounters()
  let place: Guarded<BodyFiles>
  private let shelves: [ReadOnlyShelf]
  private let state = Guarded(State())

  /// The folder, seen from the root.
  public var directory: String { files.directory }

  var files: BodyFiles { place.withLock { $0 } }

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
    self.options = options
    self.now = now
    form = try BodyForm(options)
    shelves = options.readOnlyDirectories.compactMap { ReadOnlyShelf(directory: $0) }
    place = Guarded(BodyFiles(directory: try Self.absolute(directory)))
    try withIndex { _ in }
  }

  deinit { flush() }

  static func absolute(_ directory: String) throws(DiskCacheError) -> String {
    do throws(SystemError) {
      return try Files.absolute(directory)
    } catch {
      throw DiskCacheError(error)
    }
  }

  // MARK: - Entries

  /// The body stored last under a key, byte for byte; nil when there is none, or none undamaged.
  ///
  /// Keys are compared by their UTF-8 bytes.
  public func body(for key: String) throws(DiskCacheError) -> [UInt8]? {
    try entry(for: key)?.body
  }

  /// What was stored last under a key; nil when there is nothing, or nothing undamaged.
  ///
  /// Keys are compared by their UTF-8 bytes. One that is too old is removed and reads as nothing.
  public func entry(for key: String) throws(DiskCacheError) -> DiskCacheEntry? {
    let name = try form.name(of: key)
    var attempts = 0
    while attempts < 3, let found = try find(name) {
      if let entry = try read(found) {
        counters.hits.wrappingAdd(1, ordering: .relaxed)
        return entry
      }
      if drop(found) { break }
      // Another process replaced it between the index and the file, or the cache moved: look again.
      attempts += found.files == files ? 1 : 0
    }
    for shelf in shelves {
      guard let entry = shelf.entry(for: name, form, now()) else { continue }
      counters.hits.wrappingAdd(1, ordering: .relaxed)
      return entry
    }
    counters.misses.wrappingAdd(1, ordering: .relaxed)
    return nil
  }

  /// Whether there is an entry under a key, here or in a folder that is only read.
  ///
  /// Its body and its age are not looked at, and it is no access.
  public func contains(_ key: String) throws(DiskCacheError) -> Bool {
    let name = try form.name(of: key)
    let isHere = try withIndex { index throws(DiskCacheError) in
      try index.serial(of: name.hash) != nil
    }
    return isHere || shelves.contains { $0.contains(name) }
  }

  /// Stores a body in place of the one under the same key; then removes what is over the limits.
  ///
  /// When it throws, the older body is still there; only a body over the limit removes it, as it is
  /// out of date.
  public func store(_ body: [UInt8], for key: String) throws(DiskCacheError) {
    try store(body, extended: [], for: key)
  }

  /// Stores a body with data of the caller's beside it, in place of what is under the same key;
  /// then removes what is over the limits.
  ///
  /// When it throws, the older body is still there; only a body over the limit removes it, as it is
  /// out of date.
  public func store(
    _ body: [UInt8],
    extended: [UInt8],
    for key: String
  ) throws(DiskCacheError) {
    let draft = try form.pack(body, extended, form.name(of: key))
    guard draft.size <= options.byteLimit, options.countLimit > 0 else {
      try remove(key)
      throw .bodyOverLimit(bytes: draft.size, limit: options.byteLimit)
    }
    if draft.kind.contains(.inline) {
      try insert(draft, written: nil)
    } else {
      try insertFile(draft)
    }
    // The body is stored; what cannot be tidied now is tidied later.
    try? tidySometimes()
  }

  /// Replaces the data beside a body, which stays as it is; false when there is no such entry, or one
  /// that is too old.
  ///
  /// It counts as an access. When it throws, the older data are still there.
  @discardableResult
  public func extend(
    _ extended: [UInt8],
    for key: String
  ) throws(DiskCacheError) -> Bool {
    let name = try form.name(of: key)
    try form.checkRow(key, extended)
    let packed = try form.packed(extended, .extended, name.hash)
    let evicted = try withState { (state, index) throws(DiskCacheError) in
      let read = state.accesses[name.hash]?.time ?? .min
      return try index.change { (totals) throws(DiskCacheError) -> [DiskIndex.Removed]? in
        guard var row = try index.row(name.hash), row.isSound, try isOf(row, name),
          !expiry().isOver(accessed: max(row.accessed, read), stored: row.stored)
        else { return nil }
        let size = row.size
        row.size = Int64(row.bodySize + packed.count)
        guard row.size <= options.byteLimit else {
          throw .bodyOverLimit(bytes: Int(row.size), limit: options.byteLimit)
        }
        row.extended = packed
        row.accessed = now()
        guard try index.amend(row, oldSize: size, &totals) else { return nil }
        return try index.evict(to: limits, keeping: row.serial, expiry(), &totals)
      }
    }
    guard let evicted else { return false }
    counters.evictions.wrappingAdd(evicted.count, ordering: .relaxed)
    files.remove(evicted)
    return true
  }

  /// Removes the entry under a key, if there is one.
  public func remove(_ key: String) throws(DiskCacheError) {
    let name = try form.name(of: key)
    let removed = try withIndex { index throws(DiskCacheError) in
      try index.change { totals throws(DiskCacheError) in
        try index.remove(name.hash, &totals)
      }
    }
    if let removed { files.remove([removed]) }
  }

  /// Writes the reads that are still noted in memory; a store and the release do so as well.
  public func flush() {
    let time = now()
    state.withLock { Self.flush(&$0, time) }
  }

  /// What the cache holds and how it has been used since it was opened.
  public var statistics: DiskCacheStatistics {
    get throws(DiskCacheError) {
      let totals = try withIndex { index throws(DiskCacheError) in try index.totals() }
      return counters.statistics(entries: Int(totals.count), bytes: Int(totals.bytes))
    }
  }

  // MARK: - The index

  var limits: DiskIndex.Limits {
    DiskIndex.Limits(bytes: options.byteLimit, count: options.countLimit)
  }

  func expiry() -> Expiry { Expiry(options.maximumAge, now: now()) }

  /// Runs `body` with the index, opened when it is not, under the lock.
  ///
  /// An index that turns out to be damaged is set aside, and `body` runs again with a new one.
  func withIndex<R: Sendable>(
    _ body: (DiskIndex) throws(DiskCacheError) -> R
  ) throws(DiskCacheError) -> R {
    try withState { _, index throws(DiskCacheError) in try body(index) }
  }

  /// Runs `body` with the lock held, with no regard to whether the index is open.
  func withClosedState<R: Sendable>(
    _ body: (inout State) throws(DiskCacheError) -> R
  ) throws(DiskCacheError) -> R {
    try state.withLock { (state) throws(DiskCacheError) -> R in try body(&state) }
  }

  func withState<R: Sendable>(
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

  static func indexPath(_ directory: String) -> String { "\(directory)/index.sqlite" }

  private func opened(_ state: inout State) throws(DiskCacheError) -> DiskIndex {
    let files = files
    let path = Self.indexPath(files.directory)
    if let index = state.index {
      if Files.identity(path) == state.identity { return index }
      state = State()
      throw .removed(path: files.directory)
    }
    try files.createFolders()
    let folder = try files.opened()
    folder.lock(shared: true)
    defer { folder.unlock() }
    // SQLite makes files that all may read; one that exists keeps its permissions.
    if !Files.exists(path) { try? Files.create(path, []) }
    // Known before it is read: when it turns out to be damaged, another process may set it aside first.
    state.identity = Files.identity(path)
    let index = try DiskIndex(path: path, files)
    if index.wasMigrated { try files.removeOrphans(index) }
    state.index = index
    state.identity = Files.identity(path)
    return index
  }

  /// Makes room for a new index, unless another process has done so.
  private func setAside(_ state: inout State) throws(DiskCacheError) {
    let files = files
    let path = Self.indexPath(files.directory)
    let identity = state.identity
    state = State()
    let folder = try files.opened()
    do throws(SystemError) {
      // One at a time, and while nobody opens it: by its name, a log would be taken for another's.
      folder.lock(shared: false)
      defer { folder.unlock() }
      guard let identity, identity == Files.identity(path) else { return }
      // The index goes last: as long as it is there, whoever comes later begins here again.
      files.removeAll()
      try Files.remove("\(path)-wal")
      try Files.remove("\(path)-shm")
      try Files.rename(path, to: "\(files.directory)/index.damaged")
    } catch {
      throw DiskCacheError(error)
    }
    counters.rebuilds.wrappingAdd(1, ordering: .relaxed)
  }
}
