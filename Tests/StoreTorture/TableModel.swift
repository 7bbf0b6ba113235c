package import IkranStores

/// A model of a table: a list in the order of use, most recent first.
package struct TableModel: Equatable, Sendable {
  package typealias Entry = TorturePicture.Name

  /// The entries, most recently used first.
  package private(set) var entries: [Entry] = []
  /// The limit, without the held entries.
  package let maximumCount: Int

  /// A model without entries.
  package init(maximumCount: Int) { self.maximumCount = maximumCount }

  /// A model of a table's present entries.
  package init(of table: ImageTable, maximumCount: Int) throws(TableError) {
    self.maximumCount = maximumCount
    entries = try table.entries().map { Entry(id: $0.id.idNumber, version: $0.version.low) }
  }

  /// The version under an id.
  package func version(of id: UInt64) -> UInt64? { entries.first { $0.id == id }?.version }

  /// Counts a use of an id, and returns its version.
  package mutating func use(_ id: UInt64) -> UInt64? {
    guard let place = entries.firstIndex(where: { $0.id == id }) else { return nil }
    let entry = entries.remove(at: place)
    entries.insert(entry, at: 0)
    return entry.version
  }

  /// Evicts for a new picture of an id; returns the evicted entries.
  ///
  /// A picture that replaces one evicts no other entry.
  @discardableResult
  package mutating func makeRoom(for id: UInt64, held: Set<UInt64> = []) -> [Entry] {
    let limit = version(of: id) == nil ? maximumCount : maximumCount + 1
    var evicted: [Entry] = []
    while entries.count >= limit,
      let place = entries.lastIndex(where: { !held.contains($0.id) })
    {
      evicted.append(entries.remove(at: place))
    }
    return evicted
  }

  /// Adds a picture; returns the evicted entries.
  @discardableResult
  package mutating func put(
    _ id: UInt64,
    version: UInt64,
    held: Set<UInt64> = []
  ) -> [Entry] {
    let evicted = makeRoom(for: id, held: held)
    entries.removeAll { $0.id == id }
    entries.insert(Entry(id: id, version: version), at: 0)
    return evicted
  }

  /// Removes one entry; returns whether there was one.
  @discardableResult
  package mutating func remove(_ id: UInt64) -> Bool {
    let count = entries.count
    entries.removeAll { $0.id == id }
    return entries.count < count
  }

  /// Removes the entries of a version; returns how many there were.
  @discardableResult
  package mutating func removeAll(version: UInt64) -> Int {
    let count = entries.count
    entries.removeAll { $0.version == version }
    return count - entries.count
  }

  /// Removes all entries.
  package mutating func reset() { entries = [] }

  /// The entries without those that a killed process had already evicted.
  package func without(_ gone: some Sequence<Entry>) -> [Entry] {
    entries.filter { !gone.contains($0) }
  }
}
