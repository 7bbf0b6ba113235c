import Synchronization

/// The hash table that leads from an id to its slot: open addressing with linear probing.
///
/// A place is 8 bytes: the upper half of the id's hash, and the slot's number plus 2; 0 is empty, 1
/// a tombstone. It only says where to look: the record decides. Read without a lock.
struct TableDirectory {
  static let largestSlot = UInt64(UInt32.max) - 2
  private static let tombstone: UInt64 = 1

  let start: UnsafeMutableRawPointer
  let shift: Int

  var placeCount: Int { 1 << shift }

  @inline(__always)
  static func hash(_ id: TableID) -> UInt64 {
    var hash = id.high ^ (id.low &* 0x9E37_79B9_7F4A_7C15)
    hash = (hash ^ hash &>> 32) &* 0xD6E8_FEB8_6659_FD93
    return hash ^ hash &>> 32
  }

  @inline(__always)
  func place(_ index: Int) -> SharedWord { SharedWord(start, index &* 8) }

  /// The first place of an id for whose slot `isMatch` is true.
  @inline(__always)
  func find(_ id: TableID, _ isMatch: (Int) -> Bool) -> Int? {
    let hash = Self.hash(id)
    let mask = placeCount &- 1
    let tag = hash & 0xFFFF_FFFF_0000_0000
    var index = Int(truncatingIfNeeded: hash) & mask
    // Bounded: a damaged directory may have no empty place.
    for _ in 0...mask {
      let place = place(index).value
      if place == 0 { return nil }
      let slot = place & 0xFFFF_FFFF
      if place & 0xFFFF_FFFF_0000_0000 == tag, slot > Self.tombstone,
        isMatch(Int(truncatingIfNeeded: slot &- 2))
      {
        return index
      }
      index = (index &+ 1) & mask
    }
    return nil
  }

  /// Enters a slot under an id that has no place yet; true if it took a tombstone's place.
  ///
  /// - Returns: Nil when there is no place left.
  func insert(_ id: TableID, _ slot: Int) -> Bool? {
    let hash = Self.hash(id)
    let mask = placeCount - 1
    var index = Int(truncatingIfNeeded: hash) & mask
    for _ in 0...mask {
      let place = place(index)
      let found = place.relaxed
      if found & 0xFFFF_FFFF <= Self.tombstone {
        place.value = Self.word(hash, slot)
        return found != 0
      }
      index = (index + 1) & mask
    }
    return nil
  }

  /// Lets a place lead to another slot of the same id.
  func replace(_ index: Int, _ id: TableID, _ slot: Int) {
    place(index).value = Self.word(Self.hash(id), slot)
  }

  /// Empties a place; true if that leaves a tombstone.
  func remove(_ index: Int) -> Bool {
    let isLast = place((index + 1) & (placeCount - 1)).relaxed == 0
    place(index).value = isLast ? 0 : Self.tombstone
    return !isLast
  }

  /// Empties all places.
  func clear() {
    for index in 0..<placeCount where place(index).relaxed != 0 { place(index).relaxed = 0 }
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
    return (chunks <= known ? chunks : min(chunks, lookAtLength())) &<< layout.slotShift
  }

  /// The directory now; nil when its place makes no sense.
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
        || end <= layout.chunkOffset(lookAtLength())
    else { return nil }
    return TableDirectory(start: mapped.start + offset, shift: shift)
  }

  /// How many chunks the file and the addresses have room for, as the file is now.
  @inline(never)
  private func lookAtLength() -> Int {
    // Without an answer nothing is there.
    let length = (try? mapped.status().byteCount) ?? 0
    let room = min(length, mapped.capacity) - TableLayout.headerByteCount
    let chunks = min(max(0, room) / layout.chunkByteCount, chunkCapacity)
    chunksThere.store(chunks, ordering: .relaxed)
    return chunks
  }
}
