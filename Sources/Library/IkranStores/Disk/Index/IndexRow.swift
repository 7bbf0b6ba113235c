import IkranSystem

/// One row of the index.
struct IndexRow: Sendable {
  let hash: Int64
  let serial: Int64
  let flags: StoredFlags
  /// The body's bytes before compression and encryption.
  let length: Int64
  /// The stored bytes of the body and the extended data.
  var size: Int64
  /// Of the stored body; see ``StoredFlags/xxh3``.
  let checksum: Int64
  /// Microseconds since 1970.
  var stored: Int64
  /// The key and the extended data in their stored form.
  let key: [UInt8]
  var extended: [UInt8]

  /// The stored body, if it is in the index and was read.
  var body: [UInt8]?
  /// Microseconds since 1970, without reads that are not written yet.
  var accessed: Int64 = 0
  /// Reads since it got its queue key, without reads that are not written yet.
  var uses: Int64 = 0
  /// The checksum that was read with the row.
  var storedRowChecksum: Int64 = 0

  /// The checksum over the row, without the columns that change with every read.
  ///
  /// XXH64 over these as 64-bit words: hash, serial, flags, length, size, checksum, stored, and
  /// XXH64 of the key and of the extended data, each seeded with the hash.
  var rowChecksum: Int64 {
    let seed = UInt64(bitPattern: hash)
    let sums = (Checksum.of(key, seed: seed), Checksum.of(extended, seed: seed))
    let words = (
      hash.littleEndian, serial.littleEndian, flags.rawValue.littleEndian, length.littleEndian,
      size.littleEndian, checksum.littleEndian, stored.littleEndian, sums.0.littleEndian,
      sums.1.littleEndian
    )
    return Int64(bitPattern: Checksum.ofTuple(words))
  }

  /// More than any body has; sums of a few such sizes do not overflow.
  private static let sizes: Range<Int64> = 0..<1 << 48

  /// Whether the row matches its checksum and its numbers are in range.
  var isValid: Bool {
    rowChecksum == storedRowChecksum && Self.sizes.contains(length) && Self.sizes.contains(size)
      && size >= extended.count
  }

  /// Sets times after `now` back to `now`; the row stays valid.
  mutating func date(notAfter now: Int64) {
    accessed = min(accessed, now)
    guard stored > now else { return }
    stored = now
    storedRowChecksum = rowChecksum
  }

  /// The bytes of a valid entry's stored body.
  var bodySize: Int { Int(size) - extended.count }

  /// The name of its file, if it has one.
  var name: BodyName {
    let label = flags.contains(.labelled) ? FileLabel(before: key).bytes : []
    return BodyName(hash: hash, serial: serial, label: label)
  }

  /// The checksum of a stored body; seeded with the key's hash, so it fails under another key.
  ///
  /// - Returns: nil when the body is too short for the checksum that the flags name.
  static func checksum(of body: [UInt8], hash: Int64, _ flags: StoredFlags) -> Int64? {
    let seed = UInt64(bitPattern: hash)
    guard flags.contains(.xxh3) else { return Int64(bitPattern: Checksum.of(body, seed: seed)) }
    return Checksum.ofBody(body, seed: seed).map { Int64(bitPattern: $0) }
  }
}

/// The number of entries of an index and their bytes.
struct IndexTotals: Equatable, Sendable {
  var count: Int64 = 0
  var bytes: Int64 = 0
  /// The part that is in the small queue.
  var smallCount: Int64 = 0
  var smallBytes: Int64 = 0
  /// The last number that was used as a serial number or queue key.
  var serial: Int64 = 0

  /// False when the numbers are out of range; the entries are then counted again.
  var isValid: Bool {
    smallCount >= 0 && smallCount <= count && smallBytes >= 0 && smallBytes <= bytes
      && serial >= 0 && serial < 1 << 61
  }

  /// The next serial number or queue key.
  mutating func next() -> Int64 {
    serial += 1
    return serial
  }

  /// Adds an entry.
  mutating func add(size: Int64, isSmall: Bool) { change(by: 1, size, isSmall) }

  /// Subtracts an entry.
  mutating func remove(size: Int64, isSmall: Bool) { change(by: -1, 0 &- size, isSmall) }

  /// Changes the size of an entry.
  mutating func grow(by size: Int64, isSmall: Bool) { change(by: 0, size, isSmall) }

  // Sizes come from the disk: a sum that overflows makes the totals invalid and does not trap.
  private mutating func change(by count: Int64, _ size: Int64, _ isSmall: Bool) {
    self.count &+= count
    bytes &+= size
    if isSmall {
      smallCount &+= count
      smallBytes &+= size
    }
  }
}
