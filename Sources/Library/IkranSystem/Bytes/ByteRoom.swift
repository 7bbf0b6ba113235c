/// A buffer for bytes that arrive in any order.
///
/// Its memory is touched only where it is filled, so an empty large buffer takes no memory.
package struct ByteRoom: Sendable {
  private var bytes: [UInt8]

  /// Reserves `count` bytes.
  package init(count: Int) {
    bytes = Array(unsafeUninitializedCapacity: max(0, count)) { _, filled in
      filled = max(0, count)
    }
  }

  /// Copies a part of `source` to `offset` in the buffer.
  package mutating func fill(from offset: Int, with source: [UInt8], part: Range<Int>) {
    precondition(offset >= 0 && offset <= bytes.count, "The bytes begin outside the room.")
    precondition(part.count <= bytes.count - offset, "The bytes end outside the room.")
    precondition(
      part.lowerBound >= 0 && part.upperBound <= source.count,
      "There are no such bytes."
    )
    bytes.withUnsafeMutableBytes { room in
      source.withUnsafeBytes { source in
        let target = UnsafeMutableRawBufferPointer(rebasing: room[offset...])
        target.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[part]))
      }
    }
  }

  /// The bytes; those that were not filled are undefined.
  package consuming func taken() -> [UInt8] { bytes }
}
