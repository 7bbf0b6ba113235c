/// A cache of another's that is asked and never changed.
final class ReadOnlyShelf: Sendable {
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

  /// What is stored under a key; nil when there is nothing, or when reading it fails.
  func entry(for name: BodyForm.Name, _ form: BodyForm, _ now: Int64) -> DiskCacheEntry? {
    // Somebody else's cache may be damaged or have gone: for us it then has no such entry.
    guard var row = try? index.withLock({ index in try index.row(name.hash) }),
      row.isSound, form.matches(row),
      let key = try? form.key(of: row), key.elementsEqual(name.key.utf8)
    else { return nil }
    row.date(notAfter: now)
    return try? files.entry(of: row, form)
  }

  /// Whether there is an entry under a key.
  func contains(_ name: BodyForm.Name) -> Bool {
    (try? index.withLock { index in try index.serial(of: name.hash) }) != nil
  }
}
