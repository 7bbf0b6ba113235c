import IkranSystem

/// A disk cache in a folder that this process may read and not write: what is stored is dropped.
///
/// Expired entries are found, too, as they cannot be removed.
package final class UnwritableDiskCache: DataCaching {
  private let cache: ReadOnlyDiskCache
  private let encoding: EntryEncoding

  /// Opens the cache in a folder; nil when there is none that can be read.
  package init?(directory: String, options: DiskCacheOptions) {
    guard let cache = ReadOnlyDiskCache(directory: directory),
      let encoding = try? EntryEncoding(options)
    else { return nil }
    (self.cache, self.encoding) = (cache, encoding)
  }

  package func entry(for key: String) throws -> DiskCacheEntry? {
    cache.entry(for: try encoding.name(of: key), encoding, WallClock.microseconds())
  }

  package func body(for key: String) throws -> [UInt8]? { try entry(for: key)?.body }

  package func extended(for key: String) throws -> [UInt8]? { try entry(for: key)?.extended }

  package func contains(_ key: String) throws -> Bool {
    cache.contains(try encoding.name(of: key))
  }

  package func store(_ body: [UInt8], for key: String) {}

  package func remove(_ key: String) {}

  package func removeAll() {}

  package func suspend() { cache.suspend() }

  package func resume() { cache.resume() }
}
