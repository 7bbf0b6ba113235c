/// One entry of a table, without its picture.
public struct TableEntry: Sendable, Hashable {
  /// What the entry is stored under.
  public let id: TableID
  /// The version of the source that it shows.
  public let version: TableID
  /// When it was last stored or retrieved: larger is later.
  public let lastUse: UInt64
  /// Whether its picture is held.
  public let isHeld: Bool
}

/// The result of verifying a whole table.
public struct TableReport: Sendable, Hashable {
  /// Entries whose pictures were read and compared with their checksums.
  public let checked: Int
  /// Damaged entries, which were removed.
  public let dropped: Int
  /// Whether the directory did not lead to every entry and was rebuilt.
  public let directoryWasRebuilt: Bool
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
  public let entries: Int
  /// Removed and replaced pictures that are still held.
  public let held: Int
  /// The bytes of all slots in use.
  public let byteCount: Int
  /// The bytes that the file takes up on the disk.
  public let fileByteCount: Int
}
