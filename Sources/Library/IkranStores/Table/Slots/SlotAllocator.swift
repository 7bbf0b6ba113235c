import IkranSystem

/// Finds, frees and evicts the slots of a table's file.
///
/// Invariants: all of it runs with the writer's lock held (``TableFile/change(until:name:_:)``). A
/// slot is touched only when its disk space is allocated. A slot is used for another picture only
/// when no living process has pinned the old one: its state is changed first, then its holders are
/// read. What it finds in ``TableSlots`` are hints, as other processes change the records, too: the
/// record decides. The header's counts are those of the records.
struct SlotAllocator {
  let file: TableFile

  /// A slot for a new picture, which only this process touches until it is published or abandoned.
  ///
  /// Entries over the limit are evicted first, the least recently used one before the others. A
  /// picture that will replace one needs no other entry to leave.
  func reserveSlot(
    for id: TableID,
    _ slots: inout TableSlots,
    limit: Int,
    evicted: inout Int
  ) throws(SystemError) -> Int {
    var left = 0
    let count = UInt64(file.slot(of: id) == nil ? limit : limit + 1)
    while file.header.publishedCount.value >= count, evictOldest(&slots, limit) { left += 1 }
    evicted = left
    // More than one is evicted after a time when all were held: the scan frees their disk space.
    if left > 1 { scanRecords(&slots, limit: limit) }
    let slot = try freeSlot(&slots, limit)
    let record = file.record(slot)
    let state = TableRecord.State(bits: record.state.value)
    record.state.exchange(TableRecord.State(.reserved, use: state.use &+ 1, tag: 0).bits)
    file.header.reservedCount.value &+= 1
    // A file is left with the lock held that this runs under.
    _ = file.pin(slot, record)
    file.keptDrawings.remove(slot)
    return slot
  }

  /// Frees a reserved slot that was not published, and ends its pin.
  func abandon(_ slot: Int, _ slots: inout TableSlots) {
    file.unpin(slot)
    file.header.reservedCount.value &-= 1
    free(slot, &slots)
  }

  /// Frees a slot, or retires it while its picture is held.
  func free(_ slot: Int, _ slots: inout TableSlots) {
    let record = file.record(slot)
    let state = TableRecord.State(bits: record.state.value)
    record.state.exchange(state.turned(.retired).bits)
    if file.livingHolders(record) == 0 {
      record.state.exchange(state.turned(.free).bits)
      slots.free.append(slot)
    } else {
      file.header.retiredCount.value &+= 1
    }
  }

  private func freeSlot(_ slots: inout TableSlots, _ limit: Int) throws(SystemError) -> Int {
    if let slot = knownFreeSlot(&slots) { return slot }
    let used =
      file.header.publishedCount.value &+ file.header.reservedCount.value
      &+ file.header.retiredCount.value
      &+ file.header.supersededCount.value
    // A scan would find no free slot if all unused ones are known to be deallocated.
    if used &+ UInt64(slots.deallocated.count) < slotCount
      || file.header.releases.value != slots.releases
    {
      scanRecords(&slots, limit: limit)
      if let slot = knownFreeSlot(&slots) { return slot }
    }
    // A table that is no longer synchronized must not grow for ever.
    if slots.superseded.count >= max(64, limit / 8), synchronizeSuperseded(&slots),
      let slot = knownFreeSlot(&slots)
    {
      return slot
    }
    while let slot = slots.deallocated.last {
      if TableRecord.State(bits: file.record(slot).state.value).kind == .deallocated {
        // If the disk is full the slot stays in the list for the next attempt.
        let offset = file.layout.pictureOffset(slot)
        try file.mapped.preallocate(offset..<offset + file.layout.slotByteCount)
        slots.deallocated.removeLast()
        return slot
      }
      slots.deallocated.removeLast()
    }
    do throws(SystemError) { return try grow(&slots) } catch {
      guard error.isFull, synchronizeSuperseded(&slots), let slot = knownFreeSlot(&slots) else {
        throw error
      }
      return slot
    }
  }

  private func knownFreeSlot(_ slots: inout TableSlots) -> Int? {
    while let slot = slots.free.popLast() {
      if TableRecord.State(bits: file.record(slot).state.value).kind == .free { return slot }
    }
    return nil
  }

  /// Adds a chunk, whose disk space is allocated first.
  ///
  /// When the disk has no room for a whole chunk, only its records and its first slot are
  /// allocated. The other slots are marked as deallocated, and each is allocated before its first
  /// use.
  private func grow(_ slots: inout TableSlots) throws(SystemError) -> Int {
    try file.checkAddresses(moreChunks: 1)
    let chunk = Int(clamping: file.header.chunkCount.value)
    let first = chunk << file.layout.slotShift
    let offset = file.layout.chunkOffset(chunk)
    let others = first + 1..<first + file.layout.slotsPerChunk
    let hasAllRoom = try preallocateChunk(at: offset)
    // The file may have had bytes after its last chunk.
    for word in 0..<TableLayout.pageByteCount / 8 {
      SharedWord(file.mapped.start, offset + word * 8).relaxed = 0
    }
    if hasAllRoom {
      slots.free += others.reversed()
    } else {
      let deallocated = TableRecord.State(.deallocated, use: 0, tag: 0)
      for slot in others { file.record(slot).state.relaxed = deallocated.bits }
      slots.deallocated += others.reversed()
    }
    file.header.chunkCount.value = UInt64(chunk + 1)
    return first
  }

  /// Allocates disk space for a chunk after the last one; false when the disk had room only for its
  /// records and first slot.
  private func preallocateChunk(at offset: Int) throws(SystemError) -> Bool {
    let end = offset + file.layout.chunkByteCount
    do throws(SystemError) {
      try file.mapped.preallocate(offset..<end)
      return true
    } catch {
      guard error.isFull, file.layout.slotsPerChunk > 1 else { throw error }
    }
    try file.mapped.preallocate(
      offset..<offset + TableLayout.pageByteCount + file.layout.slotByteCount
    )
    // All counted chunks lie inside the file's length.
    try file.mapped.extend(to: end)
    return false
  }

  private var slotCount: UInt64 {
    let chunks = file.slotEnd >> file.layout.slotShift
    let parts = file.header.directoryChunks.reduce(0) { $0 + $1.clamped(to: 0..<chunks).count }
    return UInt64(max(0, chunks - parts)) << UInt64(file.layout.slotShift)
  }
}

extension TableFile {
  var allocator: SlotAllocator { SlotAllocator(file: self) }
}
