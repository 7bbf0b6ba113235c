@testable import IkranStores
@testable import IkranSystem

/// Changes to the bytes of a table's file, as an input describes them.
struct TableEdits {
  private var file: [UInt8]
  private let firstSlots = TableLayout.headerByteCount + 4096 + 64 * 4096

  /// The bytes after a few changes.
  static func edited(_ bytes: [UInt8], _ input: inout InputReader) -> [UInt8] {
    var edits = TableEdits(file: bytes)
    let count = 1 + input.below(8)
    for _ in 0..<count where !input.isAtEnd { edits.change(&input) }
    return edits.file
  }

  private init(file: [UInt8]) { self.file = file }

  private mutating func change(_ input: inout InputReader) {
    let (region, position) = (input.byte() % 11, input.word())
    let (operation, value) = (input.byte(), input.byte())
    switch region {
    case 0:
      put(position % 504, operation, value)
      repairHeader()
    case 1, 2: put(512 + position % 170 * 8, operation, value)
    case 3: put(TableLayout.headerByteCount + position % 512 * 8, operation, value)
    case 4, 5: put(firstSlots + position % 64 * 64 + (position >> 6) % 8 * 8, operation, value)
    case 6:
      put(firstSlots + 4096 + position % 64 * 4096 + (position >> 6) % 72 * 8, operation, value)
    case 7: resize(position * (operation & 3 == 0 ? 1 : 64), isLonger: value >= 128)
    case 8: copy(64, from: firstSlots + position % 64 * 64, to: firstSlots + operation % 64 * 64)
    case 9:
      let start = TableLayout.headerByteCount
      copy(8, from: start + position % 512 * 8, to: start + (operation << 1) % 512 * 8)
    default: put((position << 6 | operation) % max(1, file.count), value, operation)
    }
  }

  private mutating func put(_ offset: Int, _ operation: Int, _ value: Int) {
    guard offset >= 0, offset + 8 <= file.count else { return }
    file.withUnsafeMutableBytes { bytes in
      let old = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      let new: UInt64 =
        switch operation & 7 {
        case 0: old ^ 1 << UInt64(value & 63)
        case 1: interestingNumbers[value % interestingNumbers.count]
        case 2: old &+ UInt64(value & 15)
        case 3: old &- UInt64(value & 15)
        case 4: UInt64(value)
        case 5: old << UInt64(value & 63)
        case 6: old & ~0xFF | UInt64(value)
        default: old.byteSwapped
        }
      bytes.storeBytes(of: new, toByteOffset: offset, as: UInt64.self)
    }
  }

  /// The header's checksum, so that what it covers is looked at.
  private mutating func repairHeader() {
    guard file.count >= 512 else { return }
    let sum = file.withUnsafeBytes { Checksum.of($0[..<504]) }
    file.withUnsafeMutableBytes { $0.storeBytes(of: sum, toByteOffset: 504, as: UInt64.self) }
  }

  private mutating func resize(_ count: Int, isLonger: Bool) {
    if isLonger {
      file += [UInt8](repeating: 0, count: min(count, 4 << 20))
    } else {
      file.removeLast(min(count, file.count))
    }
  }

  private mutating func copy(_ count: Int, from source: Int, to target: Int) {
    guard source >= 0, target >= 0, max(source, target) + count <= file.count else { return }
    file.replaceSubrange(target..<target + count, with: Array(file[source..<source + count]))
  }
}
