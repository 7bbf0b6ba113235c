import IkranPixels
import Synchronization
import IkranSystem

/// The first page of a table's file.
///
/// The first 512 bytes describe the file; they never change and carry a checksum. They are followed
/// by words that change. Offsets are in bytes; `docs/table-format.md` lists them.
struct TableHeader {
  static let version: UInt32 = 3
  static let magic: [UInt8] = Array("IKRTABLE".utf8)
  static let byteOrder: UInt32 = 0x0102_0304
  /// Processes that may have one table open at once: one bit each in a record.
  static let processCount = 64
  /// The byte of the file whose lock a process needs to open, close or replace it.
  static let openingLock = 3072
  /// The bytes of the file that a process locks for as long as it has the table open.
  static let processLocks = 3080..<3080 + processCount
  private static let checkedByteCount = 504
  private static let maximumParts = 32

  let start: UnsafeMutableRawPointer

  // Changed rarely.
  /// Whether another file has replaced this one.
  var isReplaced: SharedWord { SharedWord(start, 1024) }
  /// A random number, another one when the file is opened after an unclean shutdown: checksums are
  /// then verified again.
  ///
  /// A counter in a page that a power loss may have left older than the records would repeat.
  var session: SharedWord { SharedWord(start, 1032) }
  /// The directory's offset in pages, and in the low 8 bits the binary logarithm of its buckets.
  var directory: SharedWord { SharedWord(start, 1040) }
  /// Odd while the directory is being rebuilt.
  var directoryEpoch: SharedWord { SharedWord(start, 1048) }

  /// Whether the table has been synchronized (bit 0): a file that replaces it is synchronized
  /// first.
  ///
  /// Bit 1: a synchronization failed, so what of it is on the disk is unknown.
  var isSynchronized: SharedWord { SharedWord(start, 1456) }
  /// Whether to synchronize the file has failed.
  ///
  /// The system says so once, to one open file; a later `fdatasync` would succeed without a write.
  var lostWrites: Bool { isSynchronized.value & 2 != 0 }
  /// Remembers that to synchronize the file failed.
  func noteLostWrites() { isSynchronized.insert(2) }
  /// Forgets it, when all that the file has now comes from the disk.
  func forgetLostWrites() { isSynchronized.remove(2) }

  /// Chunks whose disk space is allocated: bytes after them are never touched.
  var chunkCount: SharedWord { SharedWord(start, 1056) }

  /// The number of uses so far of all entries; the time of the last one.
  var clock: SharedWord { SharedWord(start, 1152) }

  /// The writer's lock, which a process needs to change records or the directory: see
  /// ``TableLock``.
  var writer: SharedWord { SharedWord(start, 1280) }
  /// The word of a process in ``writer``, which it writes when it opens the file.
  func lockWord(of number: Int) -> SharedWord { SharedWord(start, 2048 + 8 * number) }

  // Changed with the writer's lock held.
  /// Not 0 while records and directory are inconsistent.
  var isChanging: SharedWord { SharedWord(start, 1288) }
  var publishedCount: SharedWord { SharedWord(start, 1296) }
  var reservedCount: SharedWord { SharedWord(start, 1304) }
  var retiredCount: SharedWord { SharedWord(start, 1312) }
  var supersededCount: SharedWord { SharedWord(start, 1320) }
  var tombstoneCount: SharedWord { SharedWord(start, 1328) }
  /// A bit for each process that has not closed the table.
  var processes: SharedWord { SharedWord(start, 1336) }
  /// Counts releases of retired pictures; changed without the lock.
  var releases: SharedWord { SharedWord(start, 1216) }

  // Written by the last process that closes the table.
  var isClosed: SharedWord { SharedWord(start, 1408) }
  private var bootHigh: SharedWord { SharedWord(start, 1416) }
  private var bootLow: SharedWord { SharedWord(start, 1424) }
  private var device: SharedWord { SharedWord(start, 1432) }
  private var inode: SharedWord { SharedWord(start, 1440) }
  private var modified: SharedWord { SharedWord(start, 1448) }

  /// The chunks of a present or former directory: the first chunk in the upper half, then 24 bits
  /// with the number of chunks, then 8 check bits: the other bytes and 0xA5, exclusive-ored.
  private func part(_ index: Int) -> SharedWord { SharedWord(start, 1536 + 8 * index) }

  private static func check(_ part: UInt64) -> UInt64 {
    var sum: UInt64 = 0xA5
    for shift in stride(from: 8 as UInt64, to: 64, by: 8) { sum ^= part >> shift & 0xFF }
    return sum
  }

  /// The chunks that have no slots.
  var directoryChunks: [Range<Int>] {
    (0..<Self.maximumParts).compactMap { index in
      let part = part(index).relaxed
      guard part != 0, Self.check(part) == part & 0xFF else { return nil }
      let first = Int(part >> 32)
      return first..<first + Int(part >> 8 & 0xFF_FFFF)
    }
  }

  /// Whether the list of directories has room for one more, of this many chunks.
  func canAddDirectory(_ chunks: Range<Int>) -> Bool {
    chunks.count <= 0xFF_FFFF && (0..<Self.maximumParts).contains { part($0).relaxed == 0 }
  }

  /// Registers one more range of chunks without slots; false when the list is full.
  func addDirectory(_ chunks: Range<Int>) -> Bool {
    guard chunks.count <= 0xFF_FFFF else { return false }
    for index in 0..<Self.maximumParts where part(index).relaxed == 0 {
      let word = UInt64(chunks.lowerBound) << 32 | UInt64(chunks.count) << 8
      part(index).value = word | Self.check(word)
      return true
    }
    return false
  }

  /// Lowers the number of chunks to `count`; no directory has chunks after that.
  ///
  /// Later chunks of slots would otherwise get the numbers of a directory.
  func dropChunks(from count: Int) {
    chunkCount.value = UInt64(count)
    clipParts()
  }

  /// Makes the directories in the list end where the chunks do.
  func clipParts() {
    let end = chunkCount.value
    for index in 0..<Self.maximumParts {
      let word = part(index).relaxed
      let (first, count) = (word >> 32, word >> 8 & 0xFF_FFFF)
      guard word != 0, first + count > end else { continue }
      let rest = first < end ? first << 32 | (end - first) << 8 : 0
      part(index).value = rest == 0 ? 0 : rest | Self.check(rest)
    }
  }

  /// Removes damaged entries of the list of directories; false when there are none.
  func dropsDamagedParts() -> Bool {
    var drops = false
    for index in 0..<Self.maximumParts {
      let word = part(index).relaxed
      guard word != 0, Self.check(word) != word & 0xFF else { continue }
      part(index).value = 0
      drops = true
    }
    return drops
  }
}

// MARK: - What the file is

extension TableHeader {
  /// What kind of file the first bytes show.
  enum Verdict: Hashable {
    case table(TableLayout)
    case otherVersion
    case damaged(String)
    case notATable
  }

  /// Reads the first 512 bytes of a file, or fewer if it has no more.
  static func verdict(_ page: UnsafeRawBufferPointer, fileByteCount: Int) -> Verdict {
    let bytes = UnsafeRawBufferPointer(rebasing: page.prefix(512))
    func half(_ offset: Int) -> UInt32 { bytes.load(fromByteOffset: offset, as: UInt32.self) }
    guard fileByteCount >= TableLayout.headerByteCount, bytes.count == 512 else {
      // A truncated table, or a small file that is no table.
      let hasMagic = magic.starts(with: bytes.prefix(8))
      return hasMagic ? .damaged("it was cut short") : .notATable
    }
    guard bytes.prefix(8).elementsEqual(magic) else {
      return bytes.allSatisfy { $0 == 0 } ? .damaged("its first page is empty") : .notATable
    }
    guard half(8) == byteOrder, half(12) == version else { return .otherVersion }
    let checksum = bytes.load(fromByteOffset: checkedByteCount, as: UInt64.self)
    guard Checksum.of(bytes.prefix(checkedByteCount)) == checksum else {
      return .damaged("its first page has another checksum")
    }
    let size = PixelSize(width: Int(half(24)), height: Int(half(28)))
    guard let pixels = PixelFormat(rawValue: UInt8(truncatingIfNeeded: half(36))),
      let layout = try? TableLayout(size: size, pixels: pixels),
      bytes.prefix(64).elementsEqual(unchanging(layout))
    else { return .otherVersion }
    return .table(layout)
  }

  /// Writes the first page of a new table, whose directory fills the first chunks.
  func initialize(_ layout: TableLayout, directoryShift: Int) {
    let page = UnsafeMutableRawBufferPointer(start: start, count: TableLayout.headerByteCount)
    page.initializeMemory(as: UInt8.self, repeating: 0)
    page.copyBytes(from: Self.unchanging(layout))
    start.storeBytes(of: UInt64(WallClock.microseconds()), toByteOffset: 64, as: UInt64.self)
    start.storeBytes(of: .random(in: 0 ... .max), toByteOffset: 72, as: UInt64.self)
    let checked = UnsafeRawBufferPointer(start: start, count: Self.checkedByteCount)
    start.storeBytes(
      of: Checksum.of(checked.prefix(Self.checkedByteCount)),
      toByteOffset: Self.checkedByteCount,
      as: UInt64.self
    )
    beginSession()
    clock.value = 1
    let chunks = layout.chunkCount(directoryShift: directoryShift)
    _ = addDirectory(0..<chunks)
    chunkCount.value = UInt64(chunks)
    setDirectory(offset: layout.chunkOffset(0), shift: directoryShift)
  }

  /// The first 64 bytes, which the layout decides.
  private static func unchanging(_ layout: TableLayout) -> [UInt8] {
    var bytes = magic
    func add(_ value: some FixedWidthInteger) {
      withUnsafeBytes(of: value) { bytes += $0 }
    }
    add(byteOrder)
    add(version)
    add(UInt32(TableLayout.headerByteCount))
    add(UInt32(TableLayout.recordByteCount))
    add(UInt32(layout.size.width))
    add(UInt32(layout.size.height))
    add(UInt32(layout.bytesPerRow))
    add(UInt32(layout.pixels.rawValue))
    add(UInt64(layout.slotByteCount))
    add(UInt64(layout.chunkByteCount))
    add(UInt32(layout.slotsPerChunk))
    add(UInt32(TableLayout.pageByteCount))
    return bytes
  }

  /// Begins a new session, whose number no other session has had.
  func beginSession() { session.value = .random(in: 1 ... .max) }

  /// Makes the directory's epoch odd: look-ups that find nothing are repeated until it is even.
  func beginDirectory() {
    directoryEpoch.value |= 1
    // The relaxed stores into buckets that follow must not become visible before the epoch.
    atomicMemoryFence(ordering: .releasing)
  }

  func setDirectory(offset: Int, shift: Int) {
    directory.value = UInt64(offset / TableLayout.pageByteCount) << 8 | UInt64(shift)
  }
}

// MARK: - What may change from one opening to the next

extension TableHeader {
  /// Writes limits and names, which are used when the file is opened without a format.
  func update(format: TableFormat) {
    for (index, word) in Self.words(format).enumerated() {
      SharedWord(start, 512 + 8 * index).relaxed = word
    }
  }

  /// Whether the limits and names are those of the format.
  func has(_ format: TableFormat) -> Bool {
    Self.words(format).enumerated().allSatisfy { SharedWord(start, 512 + 8 * $0).relaxed == $1 }
  }

  /// The words from byte 512 on.
  private static func words(_ format: TableFormat) -> [UInt64] {
    var words = [
      UInt64(format.maximumCount), UInt64(format.byteLimit ?? 0), UInt64(format.access.rawValue),
    ]
    words.reserveCapacity(3 + 2 * (1 + TableFormat.maximumNameBytes / 8))
    for text in [format.name, format.family] { add(text, to: &words) }
    return words
  }

  /// The format as it was written last; impossible values are replaced by defaults.
  func format(_ layout: TableLayout) -> TableFormat {
    var format = TableFormat(text(536), size: layout.size, pixels: layout.pixels)
    if format.name.isEmpty { format.name = "table" }
    format.family = text(640)
    let count = Int(clamping: SharedWord(start, 512).relaxed)
    if count > 0 { format.maximumCount = count }
    let bytes = Int(clamping: SharedWord(start, 520).relaxed)
    if bytes > 0 { format.byteLimit = bytes }
    let access = UInt32(truncatingIfNeeded: SharedWord(start, 528).relaxed)
    format.access = TableAccess(rawValue: access) ?? .owner
    return format
  }

  /// Eight bytes of length, then UTF-8, as words because other processes may read it.
  private static func add(_ text: String, to words: inout [UInt64]) {
    let count = words.count
    words += repeatElement(0, count: 1 + TableFormat.maximumNameBytes / 8)
    for (index, byte) in text.utf8.prefix(TableFormat.maximumNameBytes).enumerated() {
      words[count] += 1
      words[count + 1 + index / 8] |= UInt64(byte) << UInt64(index % 8 * 8)
    }
  }

  private func text(_ offset: Int) -> String {
    let count = min(SharedWord(start, offset).relaxed, UInt64(TableFormat.maximumNameBytes))
    let bytes = (0..<Int(count)).map { index in
      let word = SharedWord(start, offset + 8 + index / 8 * 8).relaxed
      return UInt8(truncatingIfNeeded: word >> UInt64(index % 8 * 8))
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

// MARK: - The last shutdown

extension TableHeader {
  /// How the last user of the file stopped using it.
  enum Shutdown {
    /// Closed, and not written since: every verified checksum still holds.
    case clean
    /// Killed, and the kernel has the same file in memory since: all writes are complete.
    case killed
    /// The machine was rebooted, the disk was taken away, or the file was copied or written by
    /// another program: any page may be torn.
    case unknown
  }

  /// How the last use ended, from the file's present status and whether the kernel has kept it in
  /// memory since then.
  func lastShutdown(_ status: MappedFile.Status, isKept: Bool) -> Shutdown {
    let boot = BootID.current
    guard isKept, !lostWrites, bootHigh.relaxed == boot.high, bootLow.relaxed == boot.low,
      boot != (0, 0),
      device.relaxed == status.identity.device, inode.relaxed == status.identity.inode
    else { return .unknown }
    guard isClosed.relaxed == 1 else { return .killed }
    return modified.relaxed == UInt64(bitPattern: status.modified) ? .clean : .unknown
  }

  /// Records that the file is in use, with the boot id, device and inode.
  func beginUse(_ status: MappedFile.Status) {
    isClosed.value = 0
    let boot = BootID.current
    bootHigh.relaxed = boot.high
    bootLow.relaxed = boot.low
    device.relaxed = status.identity.device
    inode.relaxed = status.identity.inode
  }

  /// Records that the last user closes the file and will set its time of change to `time`.
  func endUse(at time: Int64) {
    modified.relaxed = UInt64(bitPattern: time)
    isClosed.value = 1
  }
}
