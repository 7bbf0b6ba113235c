import Synchronization
import IkranSystem

/// A disk cache for bodies under text keys, limited in bytes, entries and age.
///
/// Small bodies are in an SQLite index, larger ones in files. Every body has a checksum over itself
/// and its key, which each read verifies: after a crash at any point, on a damaged disk or next to
/// another process it never returns a wrong body. A damaged entry is dropped, counted, and reads as
/// a miss; a damaged index is renamed and replaced by an empty one. A cache of a newer version is
/// moved to the folder `aside` in its folder.
///
/// All calls are synchronous and block on the disk, also those that tasks make as a
/// ``BlockingStore`` has it; all are thread-safe. One lock guards changes of
/// the index, and another the connection that reads it; files are read and written outside them.
/// Several processes may use one folder: a call that changes the index waits for another process's
/// change, up to five seconds, and those of other threads that change it wait with it. Reads do not
/// wait for changes.
///
/// On a full disk stores throw, entries are read, and removing needs no room: if the index has none
/// for the change, files of other entries are removed first, and all entries when that is not
/// enough. A fork opens the cache again at its first call; fork while no other thread uses it.
///
/// A store does not wait for the disk: a power loss may lose the last stores. Reads are recorded in
/// memory and written with the next store, after every 128 entries and on release, so another
/// process that evicts may not know of the last reads here. When the index's log has 4 MB, and up
/// to 16 in a large cache, a store copies it into the index and waits for the disk three times.
public final class DiskCache: Sendable {
  struct State {
    var index: DiskIndex?
    /// The path of the index, and the file that is open, to notice that the folder was removed.
    var path = ""
    var identity: Files.Identity?
    /// Whether the index is open for one call, and locked for other processes until it ends.
    var isPrivate = false
    /// Shows in a fork that the index is its parent's.
    let process = ForkMarker()
    /// The hash at which the last search for expired entries ended.
    var lastExpiryHash: Int64 = .min
  }

  /// An entry's row in the index, and the folder that it was found in.
  struct IndexMatch: Sendable {
    let row: IndexRow
    let files: BodyFiles
    /// Whether it matches its checksum, and the hash it was searched with.
    let isValid: Bool
  }

  /// The limits of the cache, and how it stores bodies.
  public let options: DiskCacheOptions

  let now: @Sendable () -> Int64
  let encoding: EntryEncoding
  let counters = DiskCacheCounters()
  let currentFiles: Guarded<BodyFiles>
  let readOnlyCaches: [ReadOnlyDiskCache]
  /// Whether the index stays closed; looked at with the lock of `state` or `reader` held.
  let isSuspended = Atomic(false)
  /// The connection that changes the index; also reads with it where the other one fails.
  let state = Guarded(State())
  /// The connection of ``find(_:readsBody:)`` and ``contains(_:)``, which do not wait for a change.
  ///
  /// Its lock is taken after that of `state` by those who hold both.
  let reader = Guarded(State())
  /// Reads that are not in the index yet, by hash.
  let reads = Guarded<[Int64: DiskIndex.Access]>([:])
  /// The entries of threads that wait for the lock of the state to store them.
  let waiting = Guarded<[Insertion]>([])
  let spares: SpareFiles

  /// The absolute path of the folder.
  public var directory: String { files.directory }

  var files: BodyFiles { currentFiles.withLock { $0 } }

  /// Opens the cache in a folder, which is created when missing, for this user only.
  ///
  /// - Throws: `DiskCacheError` when the folder cannot be created or written.
  public convenience init(
    directory: String,
    options: DiskCacheOptions = DiskCacheOptions()
  ) throws(DiskCacheError) {
    try self.init(directory: directory, options: options, now: WallClock.microseconds)
  }

  /// Opens the cache with a custom clock, which returns microseconds since 1970.
  public init(
    directory: String,
    options: DiskCacheOptions = DiskCacheOptions(),
    now: @escaping @Sendable () -> Int64
  ) throws(DiskCacheError) {
    self.options = options
    self.now = now
    encoding = try EntryEncoding(options)
    spares = SpareFiles(byteLimit: options.byteLimit)
    readOnlyCaches = options.readOnlyDirectories.compactMap { ReadOnlyDiskCache(directory: $0) }
    currentFiles = Guarded(BodyFiles(directory: try Self.absolute(directory)))
    try withIndex { _ in }
  }

  deinit {
    // The last connection to close copies the log into the index, which a reader cannot.
    reader.withLock { reset(&$0) }
    state.withLock { leaveParent(&$0) }
    flush()
    discardSpares()
  }

  static func absolute(_ directory: String) throws(DiskCacheError) -> String {
    do throws(SystemError) {
      return try Files.absolute(directory)
    } catch {
      throw DiskCacheError(error)
    }
  }

  // MARK: - Entries

  /// The body stored last under a key, byte for byte; nil when there is none or it is damaged.
  ///
  /// Keys are compared by their UTF-8 bytes. The cost is that of ``entry(for:)``.
  public func body(for key: String) throws(DiskCacheError) -> [UInt8]? {
    try entry(for: key)?.body
  }

  /// The entry stored last under a key; nil when there is none or it is damaged.
  ///
  /// Keys are compared by their UTF-8 bytes. An expired entry is removed, and the result is nil.
  ///
  /// Cost: the lock of the index is held for a search in it. A body in a file takes five system
  /// calls (two for a lock of the index, `open`, `read`, `close`), one in the index three (`stat`
  /// and the locks), and more for pages of the index that are not in memory. The body is read into
  /// the memory that is returned, and its checksum computed there; an encrypted or deflated one is
  /// copied once more. The first read since a store, and then each 64th part of the maximum age, is
  /// recorded, and each 128th of these writes to the index.
  public func entry(for key: String) throws(DiskCacheError) -> DiskCacheEntry? {
    let name = try encoding.name(of: key)
    var attempts = 0
    while attempts < 3,
      let found = try unlessSuspended({ () throws(DiskCacheError) in
        try find(name)
      })
    {
      if let entry = try read(found) {
        counters.hits.wrappingAdd(1, ordering: .relaxed)
        return entry
      }
      if try drop(found) { break }
      // Another process replaced it after its row was read, or the cache moved: try again.
      attempts += found.files == files ? 1 : 0
    }
    for other in readOnlyCaches {
      guard let entry = other.entry(for: name, encoding, now()) else { continue }
      counters.hits.wrappingAdd(1, ordering: .relaxed)
      return entry
    }
    counters.misses.wrappingAdd(1, ordering: .relaxed)
    return nil
  }

  /// Whether there is an entry under a key, here or in a read-only folder.
  ///
  /// Its body and its age are not checked, and it does not count as an access. Cost: the lock of
  /// the index, a search in it, three system calls.
  public func contains(_ key: String) throws(DiskCacheError) -> Bool {
    let name = try encoding.name(of: key)
    let serial = try unlessSuspended { () throws(DiskCacheError) in
      try withReader { _, index throws(DiskCacheError) in try index.serial(of: name.hash) }
    }
    return serial != nil || readOnlyCaches.contains { $0.contains(name) }
  }

  /// Stores a body in place of the one under the same key; then evicts what is over the limits.
  ///
  /// When it throws, the older body is still stored, unless the new body is over the limit: the
  /// older one is then out of date and removed. The cost is that of ``store(_:extended:for:)``.
  public func store(_ body: [UInt8], for key: String) throws(DiskCacheError) {
    try store(body, extended: [], for: key)
  }

  /// Stores a body with additional data, in place of the entry under the same key; then evicts what
  /// is over the limits.
  ///
  /// When it throws, the older entry is still stored, unless the new body is over the limit: the
  /// older one is then out of date and removed.
  ///
  /// Cost: a body over 16 KB is written to a file first, over that of an evicted one if there is
  /// one, without a copy in memory. Then the lock of the index is held for one transaction, which
  /// writes about six pages of 4 KB to its log; the file is renamed in it. Threads that wait for
  /// the lock share the next transaction, and each returns when it is committed. It does not wait
  /// for the disk, unless the log has to be copied. Each 64th store looks for expired entries, and
  /// each 512th for files without an entry.
  public func store(
    _ body: [UInt8],
    extended: [UInt8],
    for key: String
  ) throws(DiskCacheError) {
    let new = try NewEntry(encoded(body, extended, key))
    try new.entry.flags.contains(.inline) ? insert([new]) : insertFile(new.entry)
    // The body is stored; a clean-up that fails is repeated later.
    try? cleanUp(after: 1)
  }

  /// A body in its stored form.
  ///
  /// - Throws: `DiskCacheError`; one that is over the limit is out of date in the cache, and
  ///   removed.
  func encoded(
    _ body: [UInt8],
    _ extended: [UInt8],
    _ key: String
  ) throws(DiskCacheError) -> EncodedEntry {
    let entry = try encoding.encode(body, extended, encoding.name(of: key))
    guard entry.size <= options.byteLimit, options.countLimit > 0 else {
      try remove(key)
      throw .bodyOverLimit(bytes: entry.size, limit: options.byteLimit)
    }
    return entry
  }

  /// Replaces the additional data of an entry; false when there is no entry, or only an expired
  /// one.
  ///
  /// The body stays as it is. It counts as an access. When it throws, the older data are still
  /// stored. Cost: the lock of the index for one transaction.
  @discardableResult
  public func extend(
    _ extended: [UInt8],
    for key: String
  ) throws(DiskCacheError) -> Bool {
    try extend(extended, for: key) { _ in true }
  }

  /// The same, if the data that it has at that moment are wanted ones: no other process changes
  /// them in between.
  @discardableResult
  package func extend(
    _ extended: [UInt8],
    for key: String,
    where isWanted: (_ stored: [UInt8]) -> Bool
  ) throws(DiskCacheError) -> Bool {
    let name = try encoding.name(of: key)
    try encoding.checkRow(key, extended)
    let sealed = try encoding.sealed(extended, .extended, name.hash)
    let evicted = try withIndex { index throws(DiskCacheError) in
      let read = reads.withLock { $0[name.hash]?.time } ?? .min
      return try index.change { (totals) throws(DiskCacheError) -> [DiskIndex.Removed]? in
        guard var row = try index.row(name.hash), row.isValid, try isOf(row, name),
          !expiry().isOver(accessed: max(row.accessed, read), stored: row.stored),
          let stored = try encoding.extended(of: row), isWanted(stored)
        else { return nil }
        let size = row.size
        row.size = Int64(row.bodySize + sealed.count)
        guard row.size <= options.byteLimit else {
          throw .bodyOverLimit(bytes: Int(row.size), limit: options.byteLimit)
        }
        row.extended = sealed
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
  ///
  /// Cost: the lock of the index for one transaction, and the
  /// removal of a file.
  public func remove(_ key: String) throws(DiskCacheError) {
    let name = try encoding.name(of: key)
    let removed = try withRoom(orEmptied: nil) { () throws(DiskCacheError) in
      try withIndex { index throws(DiskCacheError) in
        try index.change { totals throws(DiskCacheError) in
          try index.remove(name.hash, &totals)
        }
      }
    }
    if let removed { files.remove([removed]) }
  }

  /// Writes the reads that are recorded in memory; a store and the release do so too.
  ///
  /// Cost: the lock of the index for one transaction. It does not wait for another process, and
  /// then tries again with the next reads.
  public func flush() {
    let time = now()
    state.withLock { flush($0.index, time) }
  }

  /// The cache's contents and its use since it was opened; it reads the totals from the index, and
  /// may wait for the disk.
  public var statistics: DiskCacheStatistics {
    get throws(DiskCacheError) {
      let totals = try withIndex { index throws(DiskCacheError) in try index.totals() }
      return counters.statistics(count: Int(totals.count), byteCount: Int(totals.bytes))
    }
  }

  // MARK: - The index

  var limits: DiskIndex.Limits {
    DiskIndex.Limits(bytes: options.byteLimit, count: options.countLimit)
  }

  func expiry() -> Expiry { Expiry(options.maximumAge, now: now()) }
}
