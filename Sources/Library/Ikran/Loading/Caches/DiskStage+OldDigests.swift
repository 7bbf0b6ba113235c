import IkranStores
import IkranSystem

extension DiskStage {
  /// Removes what an earlier version stored with digests that passwords can be guessed from.
  ///
  /// Makes the file `mark` in the end: where that is, this was done. Takes about 10 µs for each
  /// entry, once.
  func removeOldDigests(from cache: DiskCache, markingIn mark: String) {
    do throws(DiskCacheError) {
      // Where the folder has had a key, this may have been done in part.
      var hasRemains = secret.isStored && !secret.wasMade
      for key in try cache.keys() {
        guard let bytes = try cache.extended(for: key), StoredResponse.hasOldDigests(bytes) else {
          continue
        }
        try cache.remove(key)
        hasRemains = true
      }
      // SQLite leaves removed bytes in free pages: they go with these.
      if hasRemains { try cache.trim() }
      secret.load()
      try? Files.create(mark, [])
    } catch {
      counters.count(.diskFailed("\(error)"))
    }
  }
}
