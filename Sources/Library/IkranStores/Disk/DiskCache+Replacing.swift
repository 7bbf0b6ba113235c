import Synchronization
import IkranSystem

extension DiskCache {
  /// Renames a damaged index, so that a new one is created, unless another process has done so.
  func replaceDamagedIndex(_ state: inout State) throws(DiskCacheError) {
    let isDone = try withUnusedIndex(&state) { (files, path) throws(SystemError) in
      // The index is renamed last: if this process dies before, the next one repeats all steps.
      files.removeAll()
      try Files.remove("\(path)-wal")
      try Files.remove("\(path)-shared")
      try Files.rename(path, to: "\(files.directory)/index.damaged")
    }
    if isDone { counters.rebuilds.wrappingAdd(1, ordering: .relaxed) }
  }

  /// Moves an index of an unknown format and its bodies to the folder `aside`, so that an empty
  /// cache takes their place; the program that wrote them may still want them.
  ///
  /// The folder has room for one cache: the one set aside before is removed. ``removeAll()``
  /// removes it, too.
  func setAside(_ state: inout State) throws(DiskCacheError) {
    let isDone = try withUnusedIndex(&state) { (files, path) throws(SystemError) in
      let folder = files.aside
      // Without an index it is what a process that died has moved of this cache; what has the same
      // name here was made since.
      if Files.exists(Self.indexPath(folder)) { try Files.removeTree(folder) }
      try Files.createDirectories(folder)
      try Files.remove("\(path)-shared")
      for name in ["bodies", "index.sqlite-wal", "index.sqlite"]
      where Files.exists("\(files.directory)/\(name)") {
        if Files.exists("\(folder)/\(name)") {
          try Files.removeTree("\(files.directory)/\(name)")
        } else {
          try Files.rename("\(files.directory)/\(name)", to: "\(folder)/\(name)")
        }
      }
    }
    if isDone { counters.setAside.wrappingAdd(1, ordering: .relaxed) }
  }

  /// Whether the folder holds a cache that was set aside, now or by an earlier program.
  ///
  /// C function: `access`.
  package var hasSetAside: Bool { Files.exists(files.aside) }

  /// Removes the cache that was set aside, if there is one.
  func removeSetAside() throws(DiskCacheError) {
    do throws(SystemError) {
      if hasSetAside { try Files.removeTree(files.aside) }
    } catch {
      throw DiskCacheError(error)
    }
  }

  /// Closes the index, and runs `body` unless another process has replaced it; returns whether it
  /// ran.
  func withUnusedIndex(
    _ state: inout State,
    _ body: (_ files: BodyFiles, _ path: String) throws(SystemError) -> Void
  ) throws(DiskCacheError) -> Bool {
    let files = files
    let path = Self.indexPath(files.directory)
    let identity = state.identity ?? Files.identity(path)
    state = State()
    reader.withLock { reset(&$0) }
    _ = spares.takeAll()
    let folder = try files.opened()
    do throws(SystemError) {
      // Exclusive, so that no process opens the index between these steps: it could take the old
      // index's log for the new one's, as SQLite finds a log by its name.
      folder.lock(shared: false)
      defer { folder.unlock() }
      guard let identity, identity == Files.identity(path) else { return false }
      try body(files, path)
      return true
    } catch {
      throw DiskCacheError(error)
    }
  }
}
