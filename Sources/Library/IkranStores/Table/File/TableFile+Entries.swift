import IkranPixels
import Synchronization
import IkranSystem

// MARK: - Reading

extension TableFile {
  /// What a look-up finds.
  enum SlotLookup {
    /// The slot, and its record's state at that moment.
    case slot(Int, TableRecord.State)
    case missing
    /// The entry is being changed: repeat the look-up with the writer's lock held.
    case retry
    /// The look-up would touch pages that this process has not touched before.
    case cold
  }

  /// Looks an entry up, without a lock.
  ///
  /// With `onlyWarm` it touches no page of records or pictures for the first time.
  @inline(__always)
  func find(_ id: TableID, _ version: TableID?, onlyWarm: Bool = false) -> SlotLookup {
    let epoch = header.directoryEpoch.value
    guard let directory else { return .retry }
    var found: (slot: Int, state: TableRecord.State)?
    var mustRetry = false
    var isCold = false
    let slotEnd = slotEnd
    _ = directory.find(id) { slot in
      // A collision of half hashes is as rare as a change in progress, and treated like one.
      mustRetry = true
      guard slot < slotEnd else { return false }
      if !isKnown(slot) {
        isCold = onlyWarm
        guard !onlyWarm else { return true }
        guard isStored(slot) else { return false }
        adviseWillNeed(slot)
      }
      let record = record(slot)
      let state = TableRecord.State(bits: record.state.value)
      guard state.isPublished, record.hasID(id) else { return false }
      found = (slot, state)
      return true
    }
    if isCold { return .cold }
    if let found {
      let record = record(found.slot)
      if let version, !record.hasVersion(version) {
        return record.state.ordered == found.state.bits ? .missing : .retry
      }
      return .slot(found.slot, found.state)
    }
    let isWhole = epoch & 1 == 0 && header.directoryEpoch.value == epoch
    return mustRetry || !isWhole ? .retry : .missing
  }

  /// Has the system read the pictures of these ids; uses the directory only, as reading a record
  /// might wait for the disk.
  func prefetch(_ ids: [TableID]) {
    guard let directory else { return }
    let slotEnd = slotEnd
    for id in ids {
      _ = directory.find(id) { slot in
        if slot < slotEnd { adviseWillNeed(slot) }
        return false
      }
    }
  }

  /// Which look-ups change the clock and the record of what they find: all processes share both.
  struct UseCounting {
    /// An entry whose last recorded use is one of this many last ones is not recorded again.
    let recent: UInt64
    /// 1 when the clock counts recorded uses; else a power of two, which each stripe of look-ups
    /// adds at once.
    let step: UInt64
    private let mask: UInt64

    /// For a table of this many entries: exact below 128, so that the last half always stays above.
    init(limit: Int) {
      step = limit < 1024 ? 1 : 8
      mask = step == 1 ? .max : step - 1
      // What the stripes have not added yet.
      let late = step == 1 ? 0 : Int(step) * StripeLocks.maximumCount
      recent = limit < 128 ? 1 : UInt64(limit / 2 - late)
    }

    /// Whether a look-up adds the step; `number` counts those of its stripe.
    @inline(__always)
    func isDue(_ number: UInt64) -> Bool { ~number & mask == 0 }
  }

  /// What a retrieval finds.
  enum Retrieved {
    case picture(PixelMemory)
    case missing
    case retry
    /// The picture is new to this process or session, and may take as long as the disk does.
    case cold
    /// The picture does not match its checksum.
    case damaged(Int, TableRecord.State)
  }

  /// Retrieves a picture, without a lock.
  ///
  /// Its slot is pinned until its memory is released, which then ends one use of `counted`, or
  /// retains this file when that is nil. With `onlyWarm` it neither verifies a picture nor touches
  /// its pages for the first time.
  @inline(__always)
  func retrieve(
    _ id: TableID,
    _ version: TableID?,
    _ counted: CountedFile?,
    uses: UseCounting,
    onlyWarm: Bool = false
  ) -> Retrieved {
    if mustCopy { return onlyWarm ? .cold : copyPicture(id, version) }
    switch find(id, version, onlyWarm: onlyWarm) {
    case .missing: return .missing
    case .retry: return .retry
    case .cold: return .cold
    case .slot(let slot, let state):
      let record = record(slot)
      guard pin(slot, record) else { return .retry }
      // Once the file is left, a slot that had a pin shows its old picture, whatever the record
      // says.
      guard record.state.ordered == state.bits, !hasLeft else {
        unpin(slot)
        return .retry
      }
      if state.tag != record.tag(session) {
        if onlyWarm || !check(slot, record, state) {
          unpin(slot)
          return onlyWarm ? .cold : .damaged(slot, state)
        }
      }
      let clock = header.clock.relaxed
      if clock &- record.lastUse.relaxed >= uses.recent {
        record.lastUse.relaxed = uses.step == 1 ? header.clock.increment() : clock
      }
      return .picture(memory(slot, counted))
    }
  }

  /// Copies a picture of a file that this process may not write, and so cannot pin.
  ///
  /// The copy is verified: what it was made from may have been replaced at the same time, and
  /// no writer may have verified it since a power loss.
  @inline(never)
  private func copyPicture(_ id: TableID, _ version: TableID?) -> Retrieved {
    for _ in 0..<8 {
      guard case .slot(let slot, let state) = find(id, version), isStored(slot) else {
        return .missing
      }
      let record = record(slot)
      let (found, checksum) = (record.version, record.checksum.relaxed)
      guard let memory = try? PixelMemory(byteCount: layout.pictureByteCount) else {
        return .missing
      }
      UnsafeMutableRawBufferPointer(start: memory.start, count: memory.byteCount)
        .copyMemory(from: picture(slot))
      atomicMemoryFence(ordering: .acquiring)
      guard record.state.ordered == state.bits else { continue }
      let copy = UnsafeRawBufferPointer(start: memory.start, count: memory.byteCount)
      let isWhole = TableRecord.checksum(copy, id, found) == checksum
      return isWhole ? .picture(memory) : .missing
    }
    return .missing
  }

  /// Compares a picture with its checksum; a match is noted in its record for this session.
  @inline(never)
  func check(_ slot: Int, _ record: TableRecord, _ state: TableRecord.State) -> Bool {
    guard isWhole(slot, record) else { return false }
    let checked = TableRecord.State(.published, use: state.use, tag: record.tag(session))
    _ = record.state.replace(state.bits, by: checked.bits)
    return true
  }

  /// Whether a picture matches its checksum.
  func isWhole(_ slot: Int, _ record: TableRecord) -> Bool {
    TableRecord.checksum(picture(slot), record.id, record.version) == record.checksum.relaxed
  }
}

// MARK: - Changing, with the writer's lock held

extension TableFile {
  /// Makes a reserved slot the entry of an id; the slot that the id had is retired.
  func publish(
    _ slot: Int,
    _ id: TableID,
    _ version: TableID,
    checksum: UInt64,
    lastUse: UInt64? = nil,
    _ slots: inout TableSlots
  ) throws(SystemError) {
    try ensureFreeBucket()
    let record = record(slot)
    record.idHigh.relaxed = id.high
    record.idLow.relaxed = id.low
    record.versionHigh.relaxed = version.high
    record.versionLow.relaxed = version.low
    record.checksum.relaxed = checksum
    record.lastUse.relaxed = lastUse ?? header.clock.increment()
    let state = TableRecord.State(bits: record.state.value)
    header.isChanging.value = 1
    defer { header.isChanging.value = 0 }
    record.state.value =
      TableRecord.State(.published, use: state.use, tag: record.tag(session)).bits
    header.reservedCount.value &-= 1
    header.publishedCount.value &+= 1
    guard let directory else { return }
    var old: Int?
    let bucket = directory.find(id) { candidate in
      guard candidate != slot, isPublished(candidate, id) else { return false }
      old = candidate
      return true
    }
    if let bucket, let old {
      directory.replace(bucket, id, slot)
      allocator.replaced(old, &slots)
    } else if directory.insert(id, slot) == true {
      header.tombstoneCount.value &-= 1
    }
  }

  /// Removes the entry of an id; false when there is none.
  func remove(_ id: TableID, _ slots: inout TableSlots) -> Bool {
    guard let slot = slot(of: id) else { return false }
    header.isChanging.value = 1
    defer { header.isChanging.value = 0 }
    removeBucket(of: id, slot)
    allocator.retire(slot, &slots)
    if header.supersededCount.value > 0 { allocator.freeSuperseded(&slots) { $0.hasID(id) } }
    return true
  }

  /// The slot of an id.
  func slot(of id: TableID) -> Int? {
    var found: Int?
    _ = directory?.find(id) { slot in
      guard isPublished(slot, id) else { return false }
      found = slot
      return true
    }
    return found
  }

  /// Removes a slot from the directory.
  func removeBucket(of id: TableID, _ slot: Int) {
    guard let directory, let bucket = directory.find(id, { $0 == slot }) else { return }
    if directory.remove(bucket) { header.tombstoneCount.value &+= 1 }
  }

  func isPublished(_ slot: Int, _ id: TableID) -> Bool {
    guard slot < slotEnd else { return false }
    let record = record(slot)
    return TableRecord.State(bits: record.state.value).isPublished && record.hasID(id)
  }
}
