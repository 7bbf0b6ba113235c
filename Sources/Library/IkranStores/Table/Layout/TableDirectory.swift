import Synchronization

/// The hash table that leads from an id to its slot: open addressing with linear probing.
///
/// A bucket is 8 bytes: the upper half of the id's hash, and the slot's number plus 2; 0 is empty,
/// 1 a tombstone. It is only a hint: the record has the id. Read without a lock.
struct TableDirectory {
  static let largestSlot = UInt64(UInt32.max) - 2
  private static let tombstone: UInt64 = 1

  let start: UnsafeMutableRawPointer
  let shift: Int

  var bucketCount: Int { 1 << shift }

  @inline(__always)
  static func hash(_ id: TableID) -> UInt64 {
    var hash = id.high ^ (id.low &* 0x9E37_79B9_7F4A_7C15)
    hash = (hash ^ hash &>> 32) &* 0xD6E8_FEB8_6659_FD93
    return hash ^ hash &>> 32
  }

  @inline(__always)
  func bucket(_ index: Int) -> SharedWord { SharedWord(start, index &* 8) }

  /// The first bucket of an id for whose slot `isMatch` is true.
  @inline(__always)
  func find(_ id: TableID, _ isMatch: (Int) -> Bool) -> Int? {
    let hash = Self.hash(id)
    let mask = bucketCount &- 1
    let tag = hash & 0xFFFF_FFFF_0000_0000
    var index = Int(truncatingIfNeeded: hash) & mask
    // Bounded: a damaged directory may have no empty bucket.
    for _ in 0...mask {
      let bucket = bucket(index).value
      if bucket == 0 { return nil }
      let slot = bucket & 0xFFFF_FFFF
      if bucket & 0xFFFF_FFFF_0000_0000 == tag, slot > Self.tombstone,
        isMatch(Int(truncatingIfNeeded: slot &- 2))
      {
        return index
      }
      index = (index &+ 1) & mask
    }
    return nil
  }

  /// Enters a slot under an id that has no bucket yet; true if it took a tombstone's bucket.
  ///
  /// - Returns: Nil when there is no bucket left.
  func insert(_ id: TableID, _ slot: Int) -> Bool? {
    let hash = Self.hash(id)
    let mask = bucketCount - 1
    var index = Int(truncatingIfNeeded: hash) & mask
    for _ in 0...mask {
      let bucket = bucket(index)
      let found = bucket.relaxed
      if found & 0xFFFF_FFFF <= Self.tombstone {
        bucket.value = Self.word(hash, slot)
        return found != 0
      }
      index = (index + 1) & mask
    }
    return nil
  }

  /// Makes a bucket lead to another slot of the same id.
  func replace(_ index: Int, _ id: TableID, _ slot: Int) {
    bucket(index).value = Self.word(Self.hash(id), slot)
  }

  /// Empties a bucket; true if that leaves a tombstone.
  func remove(_ index: Int) -> Bool {
    let isLast = bucket((index + 1) & (bucketCount - 1)).relaxed == 0
    bucket(index).value = isLast ? 0 : Self.tombstone
    return !isLast
  }

  /// Empties all buckets.
  func clear() {
    for index in 0..<bucketCount where bucket(index).relaxed != 0 { bucket(index).relaxed = 0 }
  }

  private static func word(_ hash: UInt64, _ slot: Int) -> UInt64 {
    hash & 0xFFFF_FFFF_0000_0000 | UInt64(slot) + 2
  }
}

extension TableFile {
  /// The first slot number that the file has no room for.
  @inline(__always)
  var slotEnd: Int {
    let chunks = Int(truncatingIfNeeded: min(header.chunkCount.value, UInt64(UInt32.max)))
    let known = chunksThere.load(ordering: .relaxed)
    return (chunks <= known ? chunks : min(chunks, readFileLength())) &<< layout.slotShift
  }

  /// The directory now; nil when its recorded offset is impossible.
  @inline(__always)
  var directory: TableDirectory? {
    let word = header.directory.value
    let shift = Int(word & 0xFF)
    let pages = word &>> 8
    guard shift <= 32, pages > 0, pages < UInt64(mapped.capacity / TableLayout.pageByteCount) else {
      return nil
    }
    let offset = Int(pages) &* TableLayout.pageByteCount
    let end = offset &+ 8 &<< shift
    guard
      end <= layout.chunkOffset(chunksThere.load(ordering: .relaxed))
        || end <= layout.chunkOffset(readFileLength())
    else { return nil }
    return TableDirectory(start: mapped.start + offset, shift: shift)
  }

  /// Reads the file's length; returns how many chunks the file and the mapping have room for.
  @inline(never)
  private func readFileLength() -> Int {
    // A file whose length cannot be read counts as empty.
    noteFileLength((try? mapped.status().byteCount) ?? 0)
  }

  /// Notes the file's length; returns how many chunks the file and the mapping have room for.
  @discardableResult
  func noteFileLength(_ length: Int) -> Int {
    let room = min(length, mapped.capacity) - TableLayout.headerByteCount
    let chunks = min(max(0, room) / layout.chunkByteCount, chunkCapacity)
    chunksThere.store(chunks, ordering: .relaxed)
    return chunks
  }
}
