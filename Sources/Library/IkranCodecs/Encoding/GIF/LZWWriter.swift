/// Compresses palette indices as GIF does (GIF89a, appendix F).
struct LZWWriter {
  private static let empty = UInt32.max
  /// More than twice as many as there are codes, so that a search is short.
  private static let slotCount = 1 << 14

  private let clear: UInt32
  private let firstSize: UInt32
  /// Strings by hash: 12 bits of the code of all but its last index, that index, and its own code.
  private var slots: [UInt32] = []
  private var data: [UInt8] = []
  private var bits: UInt32 = 0
  private var bitCount: UInt32 = 0

  /// Creates a writer of indices of `depth` bits, 2 to 8.
  init(depth: Int) {
    clear = 1 << UInt32(depth)
    firstSize = UInt32(depth) + 1
  }

  /// The codes of the indices, with an end code.
  mutating func compress(_ indices: [UInt8]) -> [UInt8] {
    slots = [UInt32](repeating: Self.empty, count: Self.slotCount)
    data.reserveCapacity(indices.count / 2)
    var (next, size) = (clear + 2, firstSize)
    write(clear, size)
    guard let first = indices.first else {
      write(clear + 1, size)
      return finish()
    }
    var code = UInt32(first)
    for index in indices.dropFirst() {
      let string = code << 8 | UInt32(index)
      let slot = slot(of: string)
      if slots[slot] != Self.empty {
        code = slots[slot] & 0xFFF
        continue
      }
      write(code, size)
      code = UInt32(index)
      if next < 4_096 {
        slots[slot] = string << 12 | next
        // The decoder knows this code one step later.
        if next == 1 << size { size += 1 }
        next += 1
      } else {
        write(clear, size)
        slots = [UInt32](repeating: Self.empty, count: Self.slotCount)
        (next, size) = (clear + 2, firstSize)
      }
    }
    write(code, size)
    if next == 1 << size, size < 12 { size += 1 }
    write(clear + 1, size)
    return finish()
  }

  /// Where a string is in the table, or where it belongs.
  private func slot(of string: UInt32) -> Int {
    var slot = Int((string &* 0x9E37_79B1) >> 18)
    while slots[slot] != Self.empty, slots[slot] >> 12 != string {
      slot = (slot + 1) & (Self.slotCount - 1)
    }
    return slot
  }

  private mutating func write(_ code: UInt32, _ size: UInt32) {
    bits |= code << bitCount
    bitCount += size
    while bitCount >= 8 {
      data.append(UInt8(truncatingIfNeeded: bits))
      bits >>= 8
      bitCount -= 8
    }
  }

  private mutating func finish() -> [UInt8] {
    if bitCount > 0 { data.append(UInt8(truncatingIfNeeded: bits)) }
    return data
  }
}
