import Support
import Testing

@testable import IkranStores

/// Rows with valid checksums and impossible numbers.
@Suite(.timeLimit(.minutes(10))) struct DiskCacheForgeryTests {
  private let directory: TemporaryDirectory
  private let key = "key"

  init() throws { directory = try TemporaryDirectory() }

  private var path: String { "\(directory.path)/cache" }

  /// Changes numbers of the only entry, and its row checksum to match.
  private func forge(
    length: Int64? = nil,
    size: Int64? = nil,
    stored: Int64? = nil,
    flags: StoredFlags? = nil
  ) throws {
    let handle = try SQLiteHandle.open("\(path)/index.sqlite", busyMilliseconds: 100)
    let entry = try handle.prepare(
      "SELECT hash, serial, kind, length, size, checksum, stored, key, extended FROM entries"
    )
    try #require(try handle.step(entry))
    let row = IndexRow(
      hash: entry.integer(0),
      serial: entry.integer(1),
      flags: flags ?? StoredFlags(rawValue: entry.integer(2)),
      length: length ?? entry.integer(3),
      size: size ?? entry.integer(4),
      checksum: entry.integer(5),
      stored: stored ?? entry.integer(6),
      key: entry.bytes(7) ?? [],
      extended: entry.bytes(8) ?? []
    )
    entry.reset()
    try handle.execute(
      """
      UPDATE entries SET kind = \(row.flags.rawValue), length = \(row.length), size = \(row.size),
        stored = \(row.stored), mark = \(row.rowChecksum)
      """
    )
  }

  /// Uses every call on a cache with a forged entry, then stores an ordinary one.
  private func useAll(_ cache: DiskCache) throws {
    _ = try cache.statistics
    _ = try cache.list()
    // An entry over the limit cannot be made larger.
    _ = try? cache.extend([1, 2, 3], for: key)
    #expect(try cache.entry(for: key) == nil)
    _ = try cache.verify()
    try cache.trim(toBytes: 0)
    try cache.store([7], for: key)
    #expect(try cache.body(for: key) == [7])
  }

  @Test(
    arguments: [100, 20_000],
    [.max, .max - 1, 1 << 62, 1 << 45, 1 << 33] as [Int64]
  )
  func anImpossibleSizeIsDamage(bodyBytes: Int, size: Int64) throws {
    do {
      let cache = try DiskCache(directory: path)
      try cache.store([UInt8](repeating: 5, count: bodyBytes), extended: [1], for: key)
    }
    try forge(size: size)
    try useAll(DiskCache(directory: path))
  }

  @Test(arguments: [.max, 1 << 62, 1 << 33, 1 << 30] as [Int64])
  func anImpossibleLengthIsDamage(length: Int64) throws {
    do {
      let cache = try DiskCache(directory: path)
      try cache.store([UInt8](repeating: 5, count: 500), for: key)
    }
    try forge(length: length, flags: [.inline, .deflated])
    try useAll(DiskCache(directory: path))
  }

  @Test func aChecksumThatABodyIsTooShortForIsDamage() throws {
    do {
      let cache = try DiskCache(directory: path)
      try cache.store([5], for: key)
    }
    try forge(flags: [.inline, .xxh3])
    try useAll(DiskCache(directory: path))
  }

  @Test(arguments: [.min, .max, -1 << 62, 1 << 62] as [Int64])
  func anImpossibleTimeIsReadOrExpired(stored: Int64) throws {
    do {
      let cache = try DiskCache(directory: path)
      try cache.store([5], for: key)
    }
    try forge(stored: stored)
    let options = DiskCacheOptions(maximumAge: .sinceStored(.seconds(60)))
    let body = try DiskCache(directory: path, options: options).body(for: key)
    #expect(body == (stored > 0 ? [5] : nil))
  }
}
