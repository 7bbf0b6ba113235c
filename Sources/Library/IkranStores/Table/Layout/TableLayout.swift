import IkranPixels

/// The offsets in a table's file; `docs/table-format.md` describes them too.
///
/// header (4096 bytes) · chunk 0 · chunk 1 · …, where a chunk is one page of records and as many
/// slots, or a part of the directory.
struct TableLayout: Hashable, Sendable {
  static let headerByteCount = 4096
  static let recordByteCount = 64
  static let pageByteCount = 4096

  let size: PixelSize
  let pixels: PixelFormat
  /// Bytes from the start of one row to the start of the next: a multiple of 64.
  let bytesPerRow: Int
  /// The bytes of one picture, the last row's padding included.
  let pictureByteCount: Int
  /// The bytes from one slot to the next: whole pages.
  let slotByteCount: Int
  /// A chunk has 2 to the power of this many slots: about 2 MiB, at most 64, whose records fill a
  /// page.
  let slotShift: Int
  let chunkByteCount: Int

  init(size: PixelSize, pixels: PixelFormat) throws(TableError) {
    let rows = pixels.bytesPerRow(width: size.width)?.multipliedReportingOverflow(by: size.height)
    guard size.isPositive, let rows, !rows.overflow, rows.partialValue <= 1 << 32,
      let bytesPerRow = pixels.bytesPerRow(width: size.width)
    else { throw .invalidFormat(reason: "no slot can hold \(size) pixels") }
    self.size = size
    self.pixels = pixels
    self.bytesPerRow = bytesPerRow
    pictureByteCount = rows.partialValue
    slotByteCount = (rows.partialValue + Self.pageByteCount - 1) & ~(Self.pageByteCount - 1)
    let slots = min(64, max(1, (2 << 20) / slotByteCount))
    slotShift = Int.bitWidth - (slots - 1).leadingZeroBitCount
    chunkByteCount = Self.pageByteCount + slotByteCount << slotShift
  }

  var slotsPerChunk: Int { 1 << slotShift }

  @inline(__always)
  func chunkOffset(_ chunk: Int) -> Int { Self.headerByteCount &+ chunk &* chunkByteCount }

  @inline(__always)
  func recordOffset(_ slot: Int) -> Int {
    chunkOffset(slot &>> slotShift) &+ (slot & (slotsPerChunk &- 1)) &* Self.recordByteCount
  }

  @inline(__always)
  func pictureOffset(_ slot: Int) -> Int {
    chunkOffset(slot &>> slotShift) &+ Self.pageByteCount
      &+ (slot & (slotsPerChunk &- 1)) &* slotByteCount
  }

  /// The chunks that a directory of `1 << directoryShift` buckets fills.
  func chunkCount(directoryShift: Int) -> Int {
    (8 << directoryShift + chunkByteCount - 1) / chunkByteCount
  }

  /// The smallest directory in which this many entries fill at most two thirds of the buckets.
  static func directoryShift(entries: Int) -> Int {
    let most = min(max(256, entries), 1 << 32)
    let buckets = most + most / 2
    return Int.bitWidth - (buckets - 1).leadingZeroBitCount
  }
}
