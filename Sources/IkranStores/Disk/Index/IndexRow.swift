/// One entry as the index has it.
struct IndexRow: Sendable {
  let hash: Int64
  let serial: Int64
  let kind: StoredKind
  /// The body's bytes, as they were given.
  let length: Int64
  /// The bytes that are kept, `extended` included.
  var size: Int64
  /// XXH64 of the kept body.
  let checksum: Int64
  /// Microseconds since 1970.
  var stored: Int64
  /// The key and the extended data as they are kept.
  let key: [UInt8]
  var extended: [UInt8]

  /// The kept body, if it is in the index and was read.
  var body: [UInt8]?
  /// Microseconds since 1970, as far as the index knows.
  var accessed: Int64 = 0
  /// Reads since it took its place in its queue, as far as the index knows.
  var uses: Int64 = 0
  /// The checksum that the index has for this row.
  var keptMark: Int64 = 0

  /// The checksum over all of an entry that must not change unnoticed.
  ///
  /// XXH64 over these as 64-bit words: hash, serial, kind, length, size, checksum, stored, and
  /// XXH64 of the key and of the extended data, each seeded with the hash.
  var mark: Int64 {
    let seed = UInt64(bitPattern: hash)
    let numbers = [hash, serial, kind.rawValue, length, size, checksum, stored]
    let words = numbers.map { UInt64(bitPattern: $0) }
    let texts = [Checksum.of(key, seed: seed), Checksum.of(extended, seed: seed)]
    return Int64(bitPattern: Checksum.of(words + texts))
  }

  /// More than any body has; sums of a few such sizes are still numbers.
  private static let sizes: Range<Int64> = 0..<1 << 48

  /// Whether the row is as it was written.
  var isSound: Bool {
    mark == keptMark && Self.sizes.contains(length) && Self.sizes.contains(size)
      && size >= extended.count
  }

  /// Takes times that lie after `now` back to it; the row stays sound.
  mutating func date(notAfter now: Int64) {
    accessed = min(accessed, now)
    guard stored > now else { return }
    stored = now
    keptMark = mark
  }

  /// The bytes of a sound entry's body as it is kept.
  var bodySize: Int { Int(size) - extended.count }

  /// What its file is called, if it has one.
  var name: BodyName { BodyName(hash: hash, serial: serial) }

  /// The checksum of a body as it is kept: it covers the key's hash, so that another key's fails.
  static func checksum(of body: [UInt8], hash: Int64) -> Int64 {
    Int64(bitPattern: Checksum.of(body, seed: UInt64(bitPattern: hash)))
  }
}

/// Which body a file holds.
struct BodyName: Hashable, Sendable {
  let hash: Int64
  let serial: Int64

  /// The file's path below the cache's folder; nothing of the key itself gets into it.
  var path: String {
    let digits = DiskCacheFormat.hex(UInt64(bitPattern: hash))
    let number = DiskCacheFormat.hex(UInt64(bitPattern: serial))
    return "bodies/\(digits.prefix(2))/\(digits)-\(number)"
  }

  init(hash: Int64, serial: Int64) {
    self.hash = hash
    self.serial = serial
  }

  /// Reads a file's name; nil when it is no such name.
  init?(fileName: String) {
    let parts = fileName.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 16 }),
      let hash = UInt64(parts[0], radix: 16), let serial = UInt64(parts[1], radix: 16)
    else { return nil }
    self.init(hash: Int64(bitPattern: hash), serial: Int64(bitPattern: serial))
  }
}

/// How much an index holds.
struct IndexTotals: Equatable, Sendable {
  var count: Int64 = 0
  var bytes: Int64 = 0
  /// The part that is in the small queue.
  var smallCount: Int64 = 0
  var smallBytes: Int64 = 0
  /// The last serial number, or place in a queue, that was given out.
  var serial: Int64 = 0

  /// False when the numbers cannot be right; they are then counted anew.
  var isSound: Bool {
    smallCount >= 0 && smallCount <= count && smallBytes >= 0 && smallBytes <= bytes
      && serial >= 0 && serial < 1 << 61
  }

  /// Gives out a number.
  mutating func next() -> Int64 {
    serial += 1
    return serial
  }

  /// Takes an entry in.
  mutating func add(size: Int64, isSmall: Bool) { change(by: 1, size, isSmall) }

  /// Takes an entry out.
  mutating func remove(size: Int64, isSmall: Bool) { change(by: -1, 0 &- size, isSmall) }

  /// Notes another size of an entry.
  mutating func grow(by size: Int64, isSmall: Bool) { change(by: 0, size, isSmall) }

  // Sizes come from the disk: sums that leave the range make the totals unsound, and no trap.
  private mutating func change(by count: Int64, _ size: Int64, _ isSmall: Bool) {
    self.count &+= count
    bytes &+= size
    if isSmall {
      smallCount &+= count
      smallBytes &+= size
    }
  }
}
