import IkranStores

/// Removals that the disk cache did not do, as it could not be opened or was busy.
///
/// Until they are done, what it has there is out of date.
struct MissedRemovals: Sendable {
  /// With more keys than this everything is removed.
  static let limit = 1000

  private var keys: Set<String> = []
  private var isAll = false

  var isEmpty: Bool { keys.isEmpty && !isAll }

  /// Whether what is under a key is to be removed.
  func contains(_ key: String) -> Bool { isAll || keys.contains(key) }

  /// Adds a key whose body is to be removed; nil for all bodies.
  mutating func add(_ key: String?) {
    if let key, !isAll { keys.insert(key) }
    guard key == nil || keys.count > Self.limit else { return }
    (isAll, keys) = (true, [])
  }

  /// Removes what is to be removed; waits for the disk.
  ///
  /// - Throws: The cache's error; what was not removed stays listed.
  mutating func apply(to cache: any DataCaching) throws {
    if isAll { try cache.removeAll() }
    isAll = false
    for key in keys {
      try cache.remove(key)
      keys.remove(key)
    }
  }
}
