import IkranPixels
import IkranSystem

/// The record of one slot: 64 bytes, one cache line, which all processes share.
struct TableRecord {
  /// The state of a slot.
  enum Kind: UInt64 {
    case free = 0
    /// A process is drawing into it; no other process reads it.
    case reserved = 1
    /// It holds an entry's picture.
    case published = 2
    /// Its picture was removed or replaced, and may still be held.
    case retired = 3
    /// Free, without disk space: it was deallocated, or never allocated.
    case deallocated = 4
    /// It holds the picture of an entry that was replaced after the last `synchronize`: the disk
    /// may not have the new one yet.
    case superseded = 5
  }

  /// A slot's kind, a number that tells its uses apart, and the tag of the session in which its
  /// picture was stored or verified.
  struct State: Hashable {
    var bits: UInt64

    init(bits: UInt64) { self.bits = bits }

    init(_ kind: Kind, use: UInt64, tag: UInt64) {
      bits = kind.rawValue | (use & 0xFF_FFFF) << 8 | tag << 32
    }

    var kind: Kind? { Kind(rawValue: bits & 0xFF) }
    @inline(__always) var isPublished: Bool { bits & 0xFF == 2 }
    @inline(__always) var isRetired: Bool { bits & 0xFF == 3 }
    var use: UInt64 { bits >> 8 & 0xFF_FFFF }
    @inline(__always) var tag: UInt64 { bits >> 32 }

    /// The same use of the slot, as another kind.
    func turned(_ kind: Kind) -> State { State(kind, use: use, tag: tag) }
  }

  let start: UnsafeMutableRawPointer

  @inline(__always) var state: SharedWord { SharedWord(start, 0) }
  /// A bit for each process that holds the picture or draws it.
  @inline(__always) var holders: SharedWord { SharedWord(start, 8) }
  @inline(__always) var idHigh: SharedWord { SharedWord(start, 16) }
  @inline(__always) var idLow: SharedWord { SharedWord(start, 24) }
  @inline(__always) var versionHigh: SharedWord { SharedWord(start, 32) }
  @inline(__always) var versionLow: SharedWord { SharedWord(start, 40) }
  /// The header's clock when the entry was used last.
  @inline(__always) var lastUse: SharedWord { SharedWord(start, 48) }
  /// XXH3 of the picture, seeded with the ids.
  @inline(__always) var checksum: SharedWord { SharedWord(start, 56) }

  @inline(__always)
  var id: TableID { TableID(high: idHigh.relaxed, low: idLow.relaxed) }
  var version: TableID { TableID(high: versionHigh.relaxed, low: versionLow.relaxed) }

  @inline(__always)
  func hasID(_ id: TableID) -> Bool { idHigh.relaxed == id.high && idLow.relaxed == id.low }

  @inline(__always)
  func hasVersion(_ version: TableID) -> Bool {
    versionHigh.relaxed == version.high && versionLow.relaxed == version.low
  }

  /// The 32 bits in the state of a record whose picture was stored or verified in a session.
  ///
  /// They depend on the session's random number and on this record's checksum: a record of another
  /// session has them by chance alone, one time in 2³².
  @inline(__always)
  func tag(_ session: UInt64) -> UInt64 {
    var hash = (session ^ checksum.relaxed) &* 0x9E37_79B9_7F4A_7C15
    hash = (hash ^ hash &>> 32) &* 0xD6E8_FEB8_6659_FD93
    return hash &>> 32
  }

  /// The checksum of a picture under these ids: another entry's picture never has it.
  static func checksum(
    _ picture: UnsafeRawBufferPointer,
    _ id: TableID,
    _ version: TableID
  ) -> UInt64 {
    let seed = seed(id, version)
    return isSmall(picture.count)
      ? Checksum.of(picture[...], seed: seed) : Bitmap.checksum(of: picture, seed: seed)
  }

  /// The seed of the checksum of a picture under these ids.
  static func seed(_ id: TableID, _ version: TableID) -> UInt64 {
    withUnsafeBytes(
      of: (
        id.high.littleEndian, id.low.littleEndian, version.high.littleEndian,
        version.low.littleEndian
      )
    ) { Checksum.of($0[...]) }
  }

  /// Whether a picture is too small for XXH3 and has XXH64 for its checksum.
  static func isSmall(_ byteCount: Int) -> Bool { byteCount < Bitmap.fewestCheckedBytes }
}
