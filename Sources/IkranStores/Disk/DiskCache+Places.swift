extension DiskCache {
  /// Opens the cache of a namespace: one of its own, with limits of its own, below a folder.
  ///
  /// - Parameters:
  ///   - directory: The folder, which may hold another cache and other namespaces.
  ///   - namespace: Any text. Different texts never share a folder, and none leads out of it.
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
    var name = namespace.isEmpty ? "%" : ""
    for byte in namespace.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        name.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        name += (byte < 16 ? "%0" : "%") + String(byte, radix: 16)
      }
    }
    guard name.utf8.count > 120 else { return name }
    let hashes = [1, 2].map { DiskCacheFormat.hex(Checksum.of(namespace, seed: $0)) }
    // No name has a "%" before a letter beyond "f" but this one.
    return "\(name.prefix(80))%x\(hashes.joined())"
  }

  /// Moves the cache to another folder, which is made when missing, and goes on there.
  ///
  /// Other calls wait meanwhile; no other process may use the cache. What else is in the old folder
  /// stays. To another disk everything is copied first.
  ///
  /// - Throws: `DiskCacheError.occupied` when a cache is there already; another error when files
  ///   cannot be moved. Then the cache goes on in the old folder.
  public func move(to directory: String) throws(DiskCacheError) {
    let target = try Self.absolute(directory)
    let time = now()
    try withClosedState { (state) throws(DiskCacheError) in
      let source = files
      guard source.directory != target else { return }
      guard !Files.exists(Self.indexPath(target)) else { throw .occupied(path: target) }
      Self.flush(&state, time)
      // The index is closed, which writes all of it to its file.
      state = State()
      do throws(SystemError) {
        try Self.move(from: source.directory, to: target)
      } catch {
        throw DiskCacheError(error)
      }
      place.withLock { $0 = BodyFiles(directory: target, moves: source.moves + 1) }
    }
  }

  private static func move(from source: String, to target: String) throws(SystemError) {
    try Files.createDirectories(target)
    try Files.remove("\(source)/index.sqlite-shm")
    // The index comes last: until it is there, the new folder holds no cache.
    let names = ["bodies", "incoming", "index.sqlite-wal", "index.sqlite"]
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
      // Half a cache is of no use there; what failed is what matters.
      for name in copied { try? Files.removeTree("\(target)/\(name)") }
      for name in renamed { try? Files.rename("\(target)/\(name)", to: "\(source)/\(name)") }
      throw error
    }
    // The cache is there now, whatever of the old files cannot be removed; the index goes first, so
    // that nobody takes the rest for a cache.
    for name in copied.reversed() { try? Files.removeTree("\(source)/\(name)") }
  }
}
