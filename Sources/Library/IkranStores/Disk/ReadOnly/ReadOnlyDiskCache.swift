import Synchronization
import IkranSystem

/// The cache of another program or of the system, which is queried and never changed.
final class ReadOnlyDiskCache: Sendable {
  private let files: BodyFiles
  /// Nil while the cache is suspended, and until the next look-up after that.
  private let index: Guarded<DiskIndex?>
  private let isSuspended = Atomic(false)

  /// Opens the cache in a folder; nil when there is none that can be read.
  init?(directory: String) {
    guard let directory = try? Files.absolute(directory),
      let index = try? DiskIndex(readingOnly: DiskCache.indexPath(directory))
    else { return nil }
    files = BodyFiles(directory: directory)
    self.index = Guarded(index)
  }

  /// The entry under a key; nil when there is none, or when reading it fails.
  func entry(for name: EntryEncoding.Name, _ encoding: EntryEncoding, _ now: Int64)
    -> DiskCacheEntry?
  {
    // The owner may have removed or damaged the cache: it then counts as having no such entry.
    guard var row = look({ (index) throws(DiskCacheError) in try index.row(name.hash) }),
      row.isValid, encoding.matches(row),
      let key = try? encoding.key(of: row), key.elementsEqual(name.key.utf8)
    else { return nil }
    row.date(notAfter: now)
    return try? files.entry(of: row, encoding)
  }

  /// Whether there is an entry under a key.
  func contains(_ name: EntryEncoding.Name) -> Bool {
    look { (index) throws(DiskCacheError) in try index.serial(of: name.hash) } != nil
  }

  /// Looks into the index, which is opened when it is closed; nil when that fails, or while it is
  /// suspended.
  private func look<R: Sendable>(
    _ lookUp: @Sendable (DiskIndex) throws(DiskCacheError) -> R?
  ) -> R? {
    let found: R?? = try? index.withLock { (index) throws(DiskCacheError) -> R? in
      guard !isSuspended.load(ordering: .sequentiallyConsistent) else { return nil }
      let open =
        if let index { index } else {
          try DiskIndex(readingOnly: DiskCache.indexPath(files.directory))
        }
      index = open
      return try lookUp(open)
    }
    return found ?? nil
  }

  /// Closes the index with its locks, until ``resume()``: look-ups find nothing.
  func suspend() {
    isSuspended.store(true, ordering: .sequentiallyConsistent)
    index.withLock { $0 = nil }
  }

  /// Ends a suspension.
  func resume() { isSuspended.store(false, ordering: .sequentiallyConsistent) }
}
