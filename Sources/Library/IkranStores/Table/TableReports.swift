/// One entry of a table, without its picture.
package struct TableEntry: Sendable, Hashable {
  /// What the entry is stored under.
  package let id: TableID
  /// The version of the source that it shows.
  package let version: TableID
  /// When it was last stored or retrieved: larger is later.
  package let lastUse: UInt64
  /// Whether its picture is held.
  package let isHeld: Bool
}

/// The result of verifying a whole table.
package struct TableReport: Sendable, Hashable {
  /// Entries whose pictures were read and compared with their checksums.
  package let checked: Int
  /// Damaged entries, which were removed.
  package let dropped: Int
  /// Whether the directory did not lead to every entry and was rebuilt.
  package let directoryWasRebuilt: Bool
}

/// What a table holds and how this process has used it.
public struct TableStatistics: Sendable, Hashable {
  /// Pictures that were found.
  public let hits: Int
  /// Pictures that were not there, or of another version.
  public let misses: Int
  /// Entries evicted to keep within the limits.
  public let evictions: Int
  /// Entries now.
  public let count: Int
  /// Removed and replaced pictures that are still held.
  public let held: Int
  /// The bytes of all slots in use.
  public let byteCount: Int
  /// The bytes that the file takes up on the disk.
  public let fileByteCount: Int
}
