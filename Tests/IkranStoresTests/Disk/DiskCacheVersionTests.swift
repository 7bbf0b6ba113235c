import Support
import Testing

@testable import IkranStores

/// Caches that earlier versions have written.
@Suite(.timeLimit(.minutes(10))) struct DiskCacheVersionTests {
  private let directory: TemporaryDirectory
  private let large = [UInt8](repeating: 5, count: 20_000)

  init() throws { directory = try TemporaryDirectory() }

  private var path: String { "\(directory.path)/cache" }

  @Test func aCacheOfVersion1KeepsItsEntries() throws {
    try Files.createDirectories("\(path)/incoming")
    let keys = (0..<200).map { "https://example.com/\($0)" }
    func body(_ number: Int) -> [UInt8] {
      [UInt8](repeating: UInt8(number), count: number % 2 == 0 ? 100 : 20_000)
    }
    do {
      let handle = try SQLiteHandle.open("\(path)/index.sqlite", busyMilliseconds: 100)
      try handle.execute(Self.schema1)
      let entry = try handle.prepare(
        "INSERT INTO entries(key, length, checksum, accessed, created) VALUES(?1, ?2, ?3, ?4, 5)"
      )
      let inline = try handle.prepare("INSERT INTO bodies VALUES(?1, ?2)")
      for (number, key) in keys.enumerated() {
        let bytes = body(number)
        entry.bind(key, at: 1)
        entry.bind(Int64(bytes.count), at: 2)
        entry.bind(Int64(bitPattern: Checksum.of(bytes, seed: Checksum.of(key))), at: 3)
        entry.bind(Int64(5 + number % 3), at: 4)
        try handle.run(entry)
        let id = Int64(number) + 1
        if number % 2 == 0 {
          inline.bind(id, at: 1)
          inline.bind(bytes, at: 2)
          try handle.run(inline)
        } else {
          let hash = [1, 2].map { String(hexadecimal: Checksum.of(key, seed: $0)) }.joined()
          let folder = "\(path)/bodies/\(hash.prefix(2))"
          try Files.createDirectories(folder)
          try Files.create("\(folder)/\(hash)-\(String(hexadecimal: UInt64(id)))", bytes)
        }
      }
    }
    let cache = try DiskCache(
      directory: path,
      options: DiskCacheOptions(maximumAge: .never)
    )
    #expect(try cache.statistics.count == 200)
    #expect(try cache.statistics.byteCount == 100 * 20_100)
    for (number, key) in keys.enumerated() {
      let entry = try #require(try cache.entry(for: key))
      #expect(entry == DiskCacheEntry(body: body(number), stored: 5))
    }
    let report = try cache.verify()
    #expect(report.checked == 200 && report.dropped == 0 && report.orphansRemoved == 0)
    #expect(try cache.statistics.rebuilds == 0)
    try cache.store(large, for: keys[0])
    #expect(try DiskCache(directory: path, options: cache.options).body(for: keys[0]) == large)
  }

  /// Version 2 has the same tables, and XXH64 of all bodies.
  @Test(arguments: [true, false])
  func aCacheOfVersion2IsRead(isReadOnly: Bool) throws {
    do {
      let cache = try DiskCache(directory: path)
      try cache.store(large, for: "large")
      try cache.store([1, 2, 3], for: "small")
    }
    try makeVersion2()
    let options = DiskCacheOptions(readOnlyDirectories: [path])
    let cache =
      try isReadOnly
      ? DiskCache(directory: "\(directory.path)/other", options: options)
      : DiskCache(directory: path)
    #expect(try cache.body(for: "large") == large)
    #expect(try cache.body(for: "small") == [1, 2, 3])
    #expect(try cache.statistics.setAside == 0 && cache.statistics.dropped == 0)
    let handle = try SQLiteHandle.open("\(path)/index.sqlite", busyMilliseconds: 100)
    #expect(try handle.version() == (isReadOnly ? 2 : DiskCacheFormat.version))
  }

  /// Gives the rows the checksums of version 2.
  private func makeVersion2() throws {
    let handle = try SQLiteHandle.open("\(path)/index.sqlite", busyMilliseconds: 100)
    let entry = try handle.prepare(
      "SELECT hash, serial, kind, length, size, stored, key, extended FROM entries"
    )
    let update = try handle.prepare(
      "UPDATE entries SET kind = ?2, checksum = ?3, mark = ?4 WHERE hash = ?1"
    )
    var rows: [IndexRow] = []
    while try handle.step(entry) {
      let (hash, flags) = (entry.integer(0), StoredFlags(rawValue: entry.integer(2)))
      let body = flags.contains(.inline) ? [1, 2, 3] : large
      rows.append(
        IndexRow(
          hash: hash,
          serial: entry.integer(1),
          flags: flags.subtracting(.xxh3),
          length: entry.integer(3),
          size: entry.integer(4),
          checksum: Int64(bitPattern: Checksum.of(body, seed: UInt64(bitPattern: hash))),
          stored: entry.integer(5),
          key: entry.bytes(6) ?? [],
          extended: entry.bytes(7) ?? []
        )
      )
    }
    for row in rows {
      update.bind(row.hash, at: 1)
      update.bind(row.flags.rawValue, at: 2)
      update.bind(row.checksum, at: 3)
      update.bind(row.rowChecksum, at: 4)
      try handle.run(update)
    }
    try handle.execute("PRAGMA user_version = 2")
  }

  private static let schema1 = """
    CREATE TABLE entries(
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      key TEXT NOT NULL UNIQUE,
      length INTEGER NOT NULL,
      checksum INTEGER NOT NULL,
      accessed INTEGER NOT NULL,
      created INTEGER NOT NULL);
    CREATE INDEX entries_accessed ON entries(accessed);
    CREATE TABLE bodies(id INTEGER PRIMARY KEY, body BLOB NOT NULL);
    CREATE TABLE totals(id INTEGER PRIMARY KEY CHECK(id = 1), count INTEGER NOT NULL,
      bytes INTEGER NOT NULL);
    INSERT INTO totals VALUES(1, 0, 0);
    CREATE TRIGGER entry_added AFTER INSERT ON entries BEGIN
      UPDATE totals SET count = count + 1, bytes = bytes + new.length;
    END;
    CREATE TRIGGER entry_removed AFTER DELETE ON entries BEGIN
      UPDATE totals SET count = count - 1, bytes = bytes - old.length;
      DELETE FROM bodies WHERE id = old.id;
    END;
    PRAGMA user_version = 1;
    """
}
