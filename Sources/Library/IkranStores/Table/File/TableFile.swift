import IkranPixels
import Synchronization
import IkranSystem

/// One mapped table file with the state that this process has for it.
///
/// A picture keeps the file that it is in alive, even when another file has replaced it. Look-ups
/// take no lock. Changes hold the lock `writer` of this process and then the writer's lock of the
/// file, which the system drops when a process dies.
final class TableFile: PixelOwner, @unchecked Sendable {  // shared words are atomic
  let mapped: MappedFile
  /// The writer's lock of the file; nil when this process may not write it.
  let lock: TableLock?
  let identity: Files.Identity
  let layout: TableLayout
  let header: TableHeader
  /// Slots that have addresses.
  let slotCapacity: Int
  /// How many addresses were requested for its limit; the mapping may have fewer.
  let wanted: Int
  /// Whether a change did not fit into the mapping: the next opening maps the file again.
  let lacksAddresses = Atomic(false)
  private let isNameOnDisk = Atomic(false)
  /// Whether pins have ended whose bits are still in the records.
  private let hasSkippedUnpins = Atomic(false)
  /// The chunks that the file had room for when its length was last read.
  ///
  /// If the header says that there are more, the length is read again.
  let chunksThere = Atomic(0)
  /// This process's bit in the records; 0 when it may not write the file.
  let process: UInt64
  let session: UInt64
  /// 32 bits a slot: how often this process has pinned it, and whether it has ever looked at it.
  private let pins: ReservedMemory
  private let marker: ForkMarker
  /// The number of the process that uses the file; once it has left a number that no process has.
  private let user: Atomic<UInt64>
  /// Whether the locks were released; held by the thread that leaves the file.
  let leaving = Guarded(false)
  /// Puts whose slots are reserved, and neither published nor given up yet.
  let fillings = Atomic(0)
  let keptDrawings = KeptDrawings()
  let writer = Guarded(TableSlots(), spinning: true)
  /// Which processes live, as far as the present change has asked.
  let living = LivingProcesses()
  let earlyWriteback: EarlyWriteback

  final class WeakReference: Sendable {
    weak let file: TableFile?
    let number: ObjectIdentifier

    init(_ file: TableFile) {
      self.file = file
      number = ObjectIdentifier(file)
    }
  }

  /// The files that this process has open: all its tables over one file share one `TableFile`.
  static let files = Guarded<[Files.Identity: WeakReference]>([:])

  init(
    _ mapped: MappedFile,
    _ identity: Files.Identity,
    _ layout: TableLayout,
    process: UInt64,
    lock: TableLock?,
    wanted: Int
  ) throws(SystemError) {
    self.mapped = mapped
    self.lock = lock
    self.identity = identity
    self.wanted = wanted
    self.layout = layout
    self.process = process
    earlyWriteback = EarlyWriteback(slotByteCount: layout.slotByteCount)
    header = TableHeader(start: mapped.start)
    session = header.session.value
    let chunks = (mapped.capacity - TableLayout.headerByteCount) / layout.chunkByteCount
    slotCapacity = min(chunks << layout.slotShift, Int(TableDirectory.largestSlot))
    pins = try ReservedMemory(byteCount: slotCapacity * 4)
    marker = ForkMarker()
    user = Atomic(marker.process)
  }

  deinit {
    // Compares addresses: loading another file's weak reference here could make this the last
    // strong one, and its deinit would wait for this lock.
    let number = ObjectIdentifier(self)
    Self.files.withLock { [identity] files in
      if files[identity]?.number == number { files[identity] = nil }
    }
    OpenTableFiles.remove(self)
    if !hasLeft { unregister(until: .now + .milliseconds(16)) }
  }

  /// Whether this process is a fork of the one that opened the file.
  ///
  /// The two share locks and process number, so only the first may use the file: the fork opens it
  /// again, and its releases of inherited pictures, whose bits are not its own, change nothing.
  @inline(__always)
  var isForked: Bool { marker.isForked }

  /// Whether this process does not use the file any more, or is a fork of the one that does.
  ///
  /// It has no locks then, and changes nothing.
  @inline(__always)
  var hasLeft: Bool { !marker.isProcess(user.load(ordering: .sequentiallyConsistent)) }

  /// Counts the file as left, for ever: look-ups open it again, and changes are made there.
  ///
  /// Also in forks, whose number is 0 until it is asked for: so 0 says that of no file.
  func leave() { user.store(~marker.process, ordering: .sequentiallyConsistent) }

  /// Whether this process may not write the file: it gets copies of pictures.
  @inline(__always)
  var isReadOnly: Bool { process == 0 }

  /// Writes the limits and names that were requested, if the file may be written.
  func update(format: TableFormat) {
    if !isReadOnly, !header.has(format), canWriteHeader { header.update(format: format) }
  }

  /// Whether the table's name must be opened again before the next look-up.
  @inline(__always)
  var mustReopen: Bool { header.isReplaced.relaxed != 0 || hasLeft }

  /// Unregisters this process, which holds no picture of the file's own memory any more.
  func unregister(until deadline: ContinuousClock.Instant) {
    // A replaced file is not opened again. When the lock cannot be had, the next process verifies
    // the pictures once more: a `get` may be what releases the file, and must not wait for long.
    guard canWriteHeader, header.isReplaced.value == 0, !isForked, let lock,
      (try? mapped.lock(TableHeader.openingLock, until: deadline)) != nil
    else { return }
    defer { mapped.unlock(TableHeader.openingLock) }
    guard (try? lock.lock(until: deadline)) != nil else { return }
    // The next process with this number clears the bits that could not be cleared.
    if !hasSkippedUnpins.load(ordering: .relaxed) { header.processes.remove(process) }
    let isLast = !mapped.isLockedElsewhere(TableHeader.processLocks)
    lock.unlock()
    guard isLast, header.isReplaced.value == 0 else { return }
    let now = WallClock.microseconds() * 1000
    header.endUse(at: now)
    mapped.setModified(now)
  }

  /// Makes all entries put so far survive a power loss; fails for ever once it has failed.
  ///
  /// C function: `fdatasync`.
  func synchronizeData() throws(SystemError) {
    guard !header.lostWrites else { throw .lostWrites(mapped.path) }
    do throws(SystemError) { try mapped.synchronize() } catch {
      header.noteLostWrites()
      throw error
    }
    // Another process may have got the error.
    guard !header.lostWrites else { throw .lostWrites(mapped.path) }
  }

  /// Makes all entries put so far, and the file's name, survive a power loss.
  func synchronize() throws(SystemError) {
    try synchronizeData()
    guard !isNameOnDisk.load(ordering: .relaxed) else { return }
    Files.synchronizeFolder(of: mapped.path)
    isNameOnDisk.store(true, ordering: .relaxed)
  }

  // MARK: - Pinning pictures

  /// Where a slot's picture can be read.
  func picture(_ slot: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: mapped.readOnlyStart + layout.pictureOffset(slot),
      count: layout.pictureByteCount
    )
  }

  /// Where the picture of a reserved slot is drawn.
  func drawing(_ slot: Int) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(
      start: mapped.start + layout.pictureOffset(slot),
      count: layout.pictureByteCount
    )
  }

  /// The memory of a slot's picture, which ends one pin of the slot when it is released.
  ///
  /// Its pages cannot be written: a stray write of a caller's C code ends the process instead of
  /// changing the file. `counted` has a use for it; nil retains this file.
  @inline(__always)
  func memory(_ slot: Int, _ counted: CountedFile?) -> PixelMemory {
    let owner: Unmanaged<AnyObject> =
      counted.map { .passUnretained($0) } ?? .passRetained(self)
    return PixelMemory(
      start: UnsafeMutableRawPointer(
        mutating: mapped.readOnlyStart + layout.pictureOffset(slot)
      ),
      byteCount: layout.pictureByteCount,
      ownedBy: owner,
      counted == nil ? Self.self : CountedFile.self,
      block: slot
    )
  }

  @inline(__always)
  func record(_ slot: Int) -> TableRecord {
    TableRecord(start: mapped.start + layout.recordOffset(slot))
  }

  /// Keeps a slot from being used for another picture until `unpin`.
  ///
  /// The first and the last pin of a process also change its bit in the record; while one thread
  /// does so, other threads spin for a few nanoseconds, or yield while it waits for the record's
  /// page.
  ///
  /// - Returns: False for the first pin of a slot when this process has left the file: it is not
  ///   made. What had a pin then is a copy, and gets more of them.
  @inline(__always)
  func pin(_ slot: Int, _ record: TableRecord) -> Bool {
    let pins = pins(slot)
    var rounds = 0
    while true {
      let before = pins.pointee.load(ordering: .relaxed)
      let count = before & Self.pinCount
      if count == 0 {
        guard exchange(pins, before, before | Self.pinCount) else { continue }
        let isPinned = !hasLeft
        if isPinned { record.holders.insert(process) }
        pins.pointee.store(isPinned ? before &+ 1 : before, ordering: .releasing)
        return isPinned
      }
      if count != Self.pinCount, exchange(pins, before, before &+ 1) { return true }
      rounds &+= 1
      if rounds > Self.spins { BackgroundThread.yield() }
    }
  }

  static func unpin(_ slot: Int, of owner: Unmanaged<AnyObject>) {
    owner._withUnsafeGuaranteedRef { unsafeDowncast($0, to: Self.self).unpin(slot) }
    owner.release()
  }

  /// On a full disk that cannot be stored into, the slot stays pinned until the file is closed.
  @inline(__always)
  var skipsUnpin: Bool {
    guard mapped.lacksRoom else { return false }
    hasSkippedUnpins.store(true, ordering: .relaxed)
    return true
  }

  /// Ends one pin.
  func unpin(_ slot: Int) {
    guard !isForked, hasLeft || !skipsUnpin else { return }
    let pins = pins(slot)
    var rounds = 0
    while true {
      let before = pins.pointee.load(ordering: .relaxed)
      let count = before & Self.pinCount
      if count == 1 {
        guard exchange(pins, before, before | Self.pinCount) else { continue }
        let record = record(slot)
        let isInFile = !hasLeft
        if isInFile {
          record.holders.remove(process)
        } else {
          // What leaves the file finds a pin, and removes the bit, or finds this.
          hasSkippedUnpins.store(true, ordering: .relaxed)
        }
        pins.pointee.store(before &- 1, ordering: .releasing)
        if isInFile, TableRecord.State(bits: record.state.ordered).isRetired {
          _ = header.releases.increment()
        }
        return
      }
      if count != Self.pinCount, exchange(pins, before, before &- 1) { return }
      rounds &+= 1
      if rounds > Self.spins { BackgroundThread.yield() }
    }
  }

  /// Whether this process holds a slot's picture.
  enum PinState { case free, held, changing }

  /// Whether this process holds a slot's picture, or a thread is just changing that.
  func pinState(_ slot: Int) -> PinState {
    switch pins(slot).pointee.load(ordering: .sequentiallyConsistent) & Self.pinCount {
    case 0: .free
    case Self.pinCount: .changing
    default: .held
    }
  }

  /// Whether this process has looked at a slot before.
  @inline(__always)
  func isKnown(_ slot: Int) -> Bool {
    pins(slot).pointee.load(ordering: .relaxed) & Self.isKnown != 0
  }

  /// Whether this process has written the slot's picture before, so that its pages are probably in
  /// memory and mapped.
  func wasWritten(_ slot: Int) -> Bool {
    pins(slot).pointee.load(ordering: .relaxed) & Self.wasWritten != 0
  }

  /// Notes that this process has written the slot's picture.
  func noteWritten(_ slot: Int) { set(Self.wasWritten, slot) }

  /// Has the system read a slot's record and picture at once; for a slot that is used for the first
  /// time.
  @inline(never)
  func adviseWillNeed(_ slot: Int) {
    let record = layout.recordOffset(slot) & ~(TableLayout.pageByteCount - 1)
    let picture = layout.pictureOffset(slot)
    mapped.adviseWillNeed(record..<record + TableLayout.pageByteCount)
    mapped.adviseWillNeed(picture..<picture + layout.pictureByteCount)
    set(Self.isKnown, slot)
  }

  private func set(_ flag: UInt32, _ slot: Int) {
    let pins = pins(slot)
    while true {
      let before = pins.pointee.load(ordering: .relaxed)
      // The thread that is changing the count would undo this; the next call repeats it.
      if before & Self.pinCount == Self.pinCount { return }
      if exchange(pins, before, before | flag) { return }
    }
  }

  /// The count of pins; all ones while the record's bit is being changed.
  private static let pinCount: UInt32 = 0x3FFF_FFFF
  /// How often a thread tries before it yields.
  private static let spins = 100
  private static let wasWritten: UInt32 = 0x4000_0000
  private static let isKnown: UInt32 = 0x8000_0000

  @inline(__always)
  private func pins(_ slot: Int) -> UnsafeMutablePointer<Atomic<UInt32>> {
    (pins.start + slot &* 4).assumingMemoryBound(to: Atomic<UInt32>.self)
  }

  @inline(__always)
  private func exchange(
    _ pins: UnsafeMutablePointer<Atomic<UInt32>>,
    _ expected: UInt32,
    _ desired: UInt32
  ) -> Bool {
    pins.pointee.compareExchange(
      expected: expected,
      desired: desired,
      ordering: .sequentiallyConsistent
    ).exchanged
  }

  /// The processes among a record's holders that live; the bits of the others are cleared in it.
  ///
  /// With the writer's lock held. The system is asked once in a change for each process.
  func livingHolders(_ record: TableRecord) -> UInt64 {
    let holders = record.holders.ordered
    guard holders & ~process != 0 else { return holders }
    let dead = holders & ~process & ~living.among(holders & ~process, in: mapped)
    if dead != 0 { record.holders.remove(dead) }
    return holders & ~dead
  }
}
