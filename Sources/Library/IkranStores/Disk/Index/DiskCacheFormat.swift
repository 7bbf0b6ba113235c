/// The files of a disk cache.
///
/// ```
/// index.sqlite      the index, in write-ahead mode (with index.sqlite-wal while open)
/// index.sqlite-shared  what its connections share: locks, the log's index; ``SharedIndexHandle``
/// index.sqlite-shm  a link that keeps out programs that would map the log's index instead
/// incoming/P-N-R    a body being written by process P of the PID namespace N; R is random
/// bodies/XX/H-S     the body of the entry with hash H and serial number S, both in 16 hex digits;
///                   XX are H's first two. Never rewritten: a new body has a new number.
/// bodies/XX/H-S-L   the same with a label, ``FileNaming``
/// index.damaged     the last damaged index that was replaced
/// aside/            the last cache of an unknown format, such as a newer version's: index and bodies
/// namespaces/N/     the cache of a namespace, with the same files
/// ```
/// A body is written to `incoming`, then renamed and indexed inside one transaction: while no
/// process has the writer's lock, each file in `bodies` without an entry is left from a crash, or
/// is one that a running process keeps to write the next body over it. Serial numbers begin at
/// random, so that a file of another index in the same folder never has the name of one of this.
///
/// Table `entries`, one row for each key:
///
/// | column | what |
/// | --- | --- |
/// | `hash` | XXH64 of the key's UTF-8; in an encrypted cache the first 8 bytes of its keyed hash |
/// | `serial` | numbers the bodies; never used twice |
/// | `place` | the queue key: the order in its queue; from `mainQueue` on in the main queue |
/// | `uses` | reads since it got that queue key, at most ``DiskIndex/mostUses`` |
/// | `kind` | how the body is stored: ``StoredFlags`` |
/// | `length` | the body's bytes before compression and encryption |
/// | `size` | the stored bytes of the body and the extended data |
/// | `checksum` | XXH3 or XXH64 of the stored body, seeded with `hash`; see ``StoredFlags/xxh3`` |
/// | `accessed`, `stored` | microseconds since 1970 |
/// | `mark` | the row's checksum; see ``IndexRow/rowChecksum`` |
/// | `key`, `extended` | UTF-8 and the caller's data; both sealed in an encrypted cache |
///
/// Table `bodies`: `serial` and `body`, for bodies up to `inlineLimit` bytes.
///
/// Table `ghosts`: keys that were evicted soon after they were stored.
///
/// Table `totals`: one row with the number of entries and the sum of their sizes, of all and of
/// those in the small queue, and the last serial number.
///
/// Before a key may be its file's label; see ``StoredFlags/labelled``.
///
/// All hashes and checksums are stored as signed numbers with the same bits.
enum DiskCacheFormat {
  /// `user_version` of the index; version 1 is migrated, a newer one is set aside.
  ///
  /// Version 2 is the same without ``StoredFlags/xxh3``: its rows stay as they are.
  static let version: Int64 = 3

  /// Bodies up to this size are stored in the index.
  ///
  /// Measured: a get takes 8 µs at 4 KB and 12 at 16 KB from the index, 14 at 17 KB from a file.
  static let inlineLimit = 16 << 10

  /// The most bytes of a key and the additional data of its entry together: SQLite refuses rows
  /// that are much larger.
  static let rowLimit = 64 << 20

  /// The most bytes of a key and its value in a `BlobTable`.
  static let blobLimit = 512 << 20

  /// The first queue key of the main queue; smaller ones are in the small queue.
  static let mainQueue: Int64 = 1 << 62

  static let schema = """
    CREATE TABLE entries(
      hash INTEGER PRIMARY KEY,
      serial INTEGER NOT NULL,
      place INTEGER NOT NULL,
      uses INTEGER NOT NULL,
      kind INTEGER NOT NULL,
      length INTEGER NOT NULL,
      size INTEGER NOT NULL,
      checksum INTEGER NOT NULL,
      accessed INTEGER NOT NULL,
      stored INTEGER NOT NULL,
      mark INTEGER NOT NULL,
      key BLOB NOT NULL,
      extended BLOB NOT NULL);
    CREATE INDEX entries_place ON entries(place);
    CREATE TABLE bodies(serial INTEGER PRIMARY KEY, body BLOB NOT NULL);
    CREATE TABLE ghosts(slot INTEGER PRIMARY KEY, hash INTEGER NOT NULL, serial INTEGER NOT NULL);
    CREATE TABLE totals(
      id INTEGER PRIMARY KEY CHECK(id = 1),
      count INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      small_count INTEGER NOT NULL,
      small_bytes INTEGER NOT NULL,
      serial INTEGER NOT NULL);
    INSERT INTO totals VALUES(1, 0, 0, 0, 0, abs(random() % \(1 << 40)));
    PRAGMA user_version = \(version);
    """
}

/// How a body is stored; bits of the column `kind`.
struct StoredFlags: OptionSet, Sendable {
  let rawValue: Int64

  /// As a zlib stream.
  static let deflated = StoredFlags(rawValue: 1)
  /// Encrypted; after compression if it is deflated too.
  static let sealed = StoredFlags(rawValue: 2)
  /// In the index; without this bit in a file.
  static let inline = StoredFlags(rawValue: 4)
  /// Its checksum is XXH3; without this bit XXH64, as in version 2 and for fewer than 241 bytes.
  static let xxh3 = StoredFlags(rawValue: 8)
  /// By a `BodyCompressor`, whose id comes first.
  static let compressed = StoredFlags(rawValue: 16)
  /// Its file's name has a label, which is before the key, and a byte that counts it before both.
  static let labelled = StoredFlags(rawValue: 32)
}
