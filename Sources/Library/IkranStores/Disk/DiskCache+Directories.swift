import IkranPixels
import IkranSystem

extension DiskCache {
  /// Opens the cache of a namespace: a separate cache with separate limits in a subfolder.
  ///
  /// - Parameters:
  ///   - directory: The parent folder, which may hold another cache and other namespaces.
  ///   - namespace: Any text. Each text has its own subfolder, and no text leads out of
  ///     `directory`.
  ///   - options: How much it may hold.
  /// - Throws: `DiskCacheError` when the folder cannot be made or written.
  public convenience init(
    directory: String,
    namespace: String,
    options: DiskCacheOptions = DiskCacheOptions()
  ) throws(DiskCacheError) {
    let folder = Self.folder(ofNamespace: namespace)
    try self.init(directory: "\(directory)/namespaces/\(folder)", options: options)
  }

  /// A name for a folder: letters, digits, `-` and `_` as they are, other bytes as `%` and two hex
  /// digits; of a long name only the beginning, and its hash.
  static func folder(ofNamespace namespace: String) -> String {
    guard !namespace.isEmpty else { return "%" }
    let name = PercentEncoding.encoded(namespace, keeping: "-_", uppercase: false)
    guard name.utf8.count > 120 else { return name }
    let hashes = [1, 2].map { String(hexadecimal: Checksum.of(namespace, seed: $0)) }
    // "%x" occurs in no percent-encoded name, so no short name equals a long one.
    return "\(name.prefix(80))%x\(hashes.joined())"
  }

  /// Moves the cache to another folder, which is created when missing.
  ///
  /// Other calls wait until it is done; no other process may use the cache. Other files in the old
  /// folder stay there. If the folders are on different disks everything is copied.
  ///
  /// - Throws: `DiskCacheError.occupied` when the target holds a cache; another error when files
  ///   cannot be moved. The cache then stays in the old folder.
  public func move(to directory: String) throws(DiskCacheError) {
    let target = try Self.absolute(directory)
    let time = now()
    try withClosedState { (state) throws(DiskCacheError) in
      try checkSuspension()
      let source = files
      guard source.directory != target else { return }
      guard !Files.exists(Self.indexPath(target)) else { throw .occupied(path: target) }
      flush(state.index, time)
      discardSpares()
      // Reads wait until the files have moved.
      try reader.withLock { (reader) throws(DiskCacheError) in
        reset(&reader)
        // Releasing the index closes it, which writes all of it to its file.
        reset(&state)
        let moved = BodyFiles(directory: target, moves: source.moves + 1)
        let isNew = moved.isOurs
        do throws(SystemError) {
          try Self.move(from: source.directory, to: target)
        } catch {
          throw DiskCacheError(error)
        }
        source.unmark()
        if isNew { moved.mark() }
        currentFiles.withLock { $0 = moved }
      }
    }
  }

  private static func move(from source: String, to target: String) throws(SystemError) {
    try Files.createDirectories(target)
    for name in ["shm", "shared"] { try Files.remove("\(source)/index.sqlite-\(name)") }
    // The index is moved last: until then the new folder holds no cache.
    let names = ["bodies", "incoming", "ikran-secret", "index.sqlite-wal", "index.sqlite"]
      .filter { Files.exists("\(source)/\($0)") }
    var (renamed, copied): ([String], [String]) = ([], [])
    do throws(SystemError) {
      for name in names {
        let (old, new) = ("\(source)/\(name)", "\(target)/\(name)")
        do throws(SystemError) {
          try Files.rename(old, to: new)
          renamed.append(name)
        } catch {
          guard error.isOtherDisk else { throw error }
          try Files.copyTree(old, to: new)
          copied.append(name)
        }
      }
    } catch {
      // Undoes what was done; the first error is the one to report.
      for name in copied { try? Files.removeTree("\(target)/\(name)") }
      for name in renamed { try? Files.rename("\(target)/\(name)", to: "\(source)/\(name)") }
      throw error
    }
    // The move is complete even if some old files cannot be removed. The index is removed first, so
    // that no process takes the remaining files for a cache.
    for name in copied.reversed() { try? Files.removeTree("\(source)/\(name)") }
  }
}
