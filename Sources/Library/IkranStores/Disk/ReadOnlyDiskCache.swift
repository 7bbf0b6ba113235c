import IkranSystem

/// The cache of another program or of the system, which is queried and never changed.
final class ReadOnlyDiskCache: Sendable {
  private let files: BodyFiles
  private let index: Guarded<DiskIndex>

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
    guard var row = try? index.withLock({ index in try index.row(name.hash) }),
      row.isValid, encoding.matches(row),
      let key = try? encoding.key(of: row), key.elementsEqual(name.key.utf8)
    else { return nil }
    row.date(notAfter: now)
    return try? files.entry(of: row, encoding)
  }

  /// Whether there is an entry under a key.
  func contains(_ name: EntryEncoding.Name) -> Bool {
    (try? index.withLock { index in try index.serial(of: name.hash) }) != nil
  }
}
