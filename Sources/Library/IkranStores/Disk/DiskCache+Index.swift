import IkranSystem

/// The connections to the index.
extension DiskCache {
  /// Runs `body` with the open index, under the lock.
  ///
  /// If the index turns out to be damaged it is replaced, and `body` runs again with a new one.
  func withIndex<R: Sendable>(
    _ body: (DiskIndex) throws(DiskCacheError) -> R
  ) throws(DiskCacheError) -> R {
    try withState { _, index throws(DiskCacheError) in try body(index) }
  }

  /// Runs `body`, which changes nothing, with a connection of its own, so that it does not wait for
  /// a change of this process or of another one.
  ///
  /// If that fails, as when the index is damaged or was replaced, `body` runs again as in
  /// ``withState``, which replaces what is damaged and throws.
  func withReader<R: Sendable>(
    checksFolder: Bool = true,
    _ body: (inout State, DiskIndex) throws(DiskCacheError) -> R
  ) throws(DiskCacheError) -> R {
    let result = reader.withLock { (state) -> R? in
      do throws(DiskCacheError) {
        let index = try opened(&state, checksFolder, isReader: true)
        return try body(&state, index)
      } catch {
        state = State()
        return nil
      }
    }
    if let result { return result }
    return try withState(checksFolder: checksFolder, body)
  }

  /// Throws if the folder was removed or replaced; the next call then opens what is there.
  ///
  /// C function: `stat`.
  func checkFolder(_ state: inout State) throws(DiskCacheError) {
    if Files.identity(state.path) == state.identity { return }
    state = State()
    // What has their names now belongs to another cache.
    _ = spares.takeAll()
    throw .removed(path: files.directory)
  }

  /// Runs `body` with the lock held; the index may be closed.
  func withClosedState<R: Sendable>(
    _ body: (inout State) throws(DiskCacheError) -> R
  ) throws(DiskCacheError) -> R {
    try state.withLock { (state) throws(DiskCacheError) -> R in try body(&state) }
  }

  /// Runs `body` with the whole state and the open index, under the lock, as ``withIndex`` does.
  ///
  /// `checksFolder` is false for a reader that calls ``checkFolder`` itself
  /// where no file of the folder confirms what it has read.
  func withState<R: Sendable>(
    checksFolder: Bool = true,
    _ body: (inout State, DiskIndex) throws(DiskCacheError) -> R
  ) throws(DiskCacheError) -> R {
    try withClosedState { (state) throws(DiskCacheError) -> R in
      try withOpenState(&state, checksFolder: checksFolder, body)
    }
  }

  /// Runs `body` like ``withState``, for a caller that holds the lock.
  ///
  /// If there is no room for what connections share, `body` runs again with a connection that has
  /// the index to itself, and is closed afterwards.
  func withOpenState<R: Sendable>(
    _ state: inout State,
    checksFolder: Bool = true,
    _ body: (inout State, DiskIndex) throws(DiskCacheError) -> R
  ) throws(DiskCacheError) -> R {
    defer { if state.isPrivate { state = State() } }
    do throws(DiskCacheError) {
      let index = try opened(&state, checksFolder)
      return try body(&state, index)
    } catch .corrupt {
      try replaceDamagedIndex(&state)
    } catch .unknownFormat {
      try setAside(&state)
    } catch {
      // Otherwise reads would find what the removed folder had.
      if case .removed = error { reader.withLock { reset(&$0) } }
      guard let index = state.index, !index.handle.isIntact else { throw error }
      state = State()
      guard error.isFull else { throw error }
      state.isPrivate = true
    }
    let index = try opened(&state, checksFolder)
    return try body(&state, index)
  }

  /// Where the index of a cache in a folder is.
  package static func indexPath(_ directory: String) -> String { "\(directory)/index.sqlite" }

  private func opened(
    _ state: inout State,
    _ checksFolder: Bool,
    isReader: Bool = false
  ) throws(DiskCacheError) -> DiskIndex {
    try checkSuspension()
    leaveParent(&state)
    if let index = state.index {
      if checksFolder { try checkFolder(&state) }
      index.handle.refresh()
      return index
    }
    let files = files
    let path = Self.indexPath(files.directory)
    if !isReader { try files.createFolders() }
    let folder = try files.opened()
    // Alone while an older version's way of sharing the index is excluded.
    folder.lock(shared: LockedFile.isLink("\(path)-shm"))
    defer { folder.unlock() }
    // SQLite creates files that everyone may read; an existing file keeps its permissions.
    if !isReader, !Files.exists(path) { try? Files.create(path, []) }
    // Recorded before the file is read: if it is damaged, another process may replace it first.
    state.identity = Files.identity(path)
    let index =
      if isReader { try DiskIndex(readingOnly: path) } else { try index(path, files, &state) }
    state.index = index
    state.path = path
    state.identity = Files.identity(path)
    return index
  }

  /// Opens the index; for this call alone where the disk has no room for what connections share.
  private func index(
    _ path: String,
    _ files: BodyFiles,
    _ state: inout State
  ) throws(DiskCacheError) -> DiskIndex {
    // A tenth of a large cache: the more changes share a copy, the less each waits for the disk.
    let log = max(4 << 20, min(options.byteLimit / 10, 16 << 20))
    var opened: DiskIndex?
    if !state.isPrivate {
      do throws(DiskCacheError) {
        opened = try DiskIndex(path: path, files, logByteCount: log, isPrivate: false)
      } catch  where error.isFull {
        state.isPrivate = true
      }
    }
    let index = if let opened { opened } else { try openedAlone(path, files, logByteCount: log) }
    if index.wasMigrated { try files.removeOrphans(index) }
    return index
  }

  /// Opens the index for no other connection, also not for reads of this cache.
  ///
  /// - Throws: `.full` while other processes have it open, as sharing it with them needs room.
  private func openedAlone(
    _ path: String,
    _ files: BodyFiles,
    logByteCount: Int
  ) throws(DiskCacheError) -> DiskIndex {
    try reader.withLock { (reader) throws(DiskCacheError) -> DiskIndex in
      reset(&reader)
      do throws(DiskCacheError) {
        return try DiskIndex(path: path, files, logByteCount: logByteCount, isPrivate: true)
      } catch .busy(let path) {
        throw .full(path: path)
      }
    }
  }

  /// In a fork, leaves its parent's connection, files and recorded reads alone, so that others are
  /// opened.
  func leaveParent(_ state: inout State) {
    guard state.process.isForked else { return }
    if let index = state.index { SQLiteHandle.abandon(index) }
    state = State()
    _ = spares.takeAll()
    reads.withLock { $0 = [:] }
  }

  /// Closes the index, except a parent's.
  func reset(_ state: inout State) {
    leaveParent(&state)
    state = State()
  }

  // MARK: - A full disk

  /// Runs a change that removes entries; on a full disk again when files are removed, and if there
  /// is still no room for it, removes all entries and gives the result of `emptied`.
  func withRoom<R>(
    orEmptied emptied: @autoclosure () -> R,
    _ change: () throws(DiskCacheError) -> R
  ) throws(DiskCacheError) -> R {
    do throws(DiskCacheError) { return try change() } catch  where error.isFull {}
    freeRoom()
    do throws(DiskCacheError) { return try change() } catch  where error.isFull {}
    let result = emptied()
    try removeIndex()
    return result
  }

  /// Removes files with 1 MB or more of entries, which then read as missing.
  private func freeRoom() {
    discardSpares()
    _ = files.removeAbandoned()
    var byteCount = 0
    var last: Int64? = .min
    while let hash = last, byteCount < 1 << 20 {
      // What cannot be read now cannot be chosen.
      let rows = try? withIndex { index throws(DiskCacheError) in try index.rows(after: hash) }
      last = rows?.last?.hash
      for row in rows ?? []
      where row.isValid && !row.flags.contains(.inline) && byteCount < 1 << 20 {
        if files.discard(files.path(row.name)) { byteCount += row.bodySize }
      }
    }
  }

  /// Removes the index with all bodies; the next call makes an empty one.
  private func removeIndex() throws(DiskCacheError) {
    try withClosedState { (state) throws(DiskCacheError) in
      _ = try withUnusedIndex(&state) { (files, path) throws(SystemError) in
        files.removeAll()
        try Files.remove("\(path)-wal")
        try Files.remove("\(path)-shared")
        try Files.remove(path)
      }
    }
  }
}
