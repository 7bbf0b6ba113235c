extension SlotAllocator {
  /// Evicts entries over the limit, which several drawings at once can leave; returns how many.
  func evict(_ slots: inout TableSlots, limit: Int) -> Int {
    var count = 0
    while file.header.publishedCount.value > UInt64(limit), evictOldest(&slots, limit) {
      count += 1
    }
    return count
  }

  /// Evicts the least recently used entry that is not held; false when all are held.
  func evictOldest(_ slots: inout TableSlots, _ limit: Int) -> Bool {
    if evictKnown(&slots) { return true }
    scanRecords(&slots, limit: limit)
    if evictKnown(&slots) { return true }
    // All candidates of the bounded scan are held; the second scan considers every entry.
    let known = slots.oldest.count + slots.held.count
    if known >= Int(clamping: file.header.publishedCount.value) { return false }
    scanRecords(&slots, limit: limit, all: true)
    return evictKnown(&slots)
  }

  private func evictKnown(_ slots: inout TableSlots) -> Bool {
    // What this process holds stays in the list: it is still the oldest when it is released.
    var index = slots.oldest.endIndex
    var held: [TableSlots.Use] = []
    defer {
      slots.oldest.removeSubrange(index...)
      slots.oldest += held.reversed()
    }
    while index > 0 {
      index -= 1
      let use = slots.oldest[index]
      let record = file.record(use.slot)
      let state = TableRecord.State(bits: record.state.value)
      guard state.isPublished, record.lastUse.relaxed == use.lastUse else { continue }
      let holders = file.livingHolders(record)
      if holders == 0, evict(use.slot, record, state, &slots) { return true }
      if holders & ~file.process == 0 { held.append(use) } else { slots.setAside(use) }
    }
    return false
  }

  private func evict(
    _ slot: Int,
    _ record: TableRecord,
    _ state: TableRecord.State,
    _ slots: inout TableSlots
  ) -> Bool {
    file.header.isChanging.value = 1
    defer { file.header.isChanging.value = 0 }
    record.state.exchange(state.turned(.retired).bits)
    // A reader may have pinned it just now.
    guard file.livingHolders(record) == 0 else {
      record.state.exchange(state.bits)
      return false
    }
    file.removeBucket(of: record.id, slot)
    record.state.exchange(state.turned(.free).bits)
    file.header.publishedCount.value &-= 1
    slots.free.append(slot)
    return true
  }

  /// Ends an entry whose bucket is gone or leads to another slot.
  func retire(_ slot: Int, _ slots: inout TableSlots) {
    file.header.publishedCount.value &-= 1
    free(slot, &slots)
  }

  // MARK: - Scanning all records

  /// Reads every record: finds free slots and old entries, frees slots that are no longer held, and
  /// deallocates free slots that the limit does not need.
  func scanRecords(_ slots: inout TableSlots, limit: Int, all: Bool = false) {
    slots.forget()
    slots.releases = file.header.releases.value
    var counts: (published: UInt64, reserved: UInt64, retired: UInt64) = (0, 0, 0)
    defer { file.header.supersededCount.value = UInt64(slots.superseded.count) }
    let candidates = all ? Int.max : max(1024, Int(clamping: file.header.publishedCount.value) / 16)
    file.forEachSlot { slot, record in
      var state = TableRecord.State(bits: record.state.value)
      let mayBeAbandoned = state.kind == .reserved || state.kind == .retired
      if state.kind == nil || (mayBeAbandoned && file.livingHolders(record) == 0) {
        state = state.turned(.free)
        record.state.exchange(state.bits)
      }
      switch state.kind {
      case .published:
        counts.published += 1
        let use = TableSlots.Use(lastUse: record.lastUse.relaxed, slot: slot)
        slots.add(use, keepingOldest: candidates)
      case .reserved: counts.reserved += 1
      case .retired: counts.retired += 1
      case .superseded: slots.superseded.append(slot)
      case .deallocated: slots.deallocated.append(slot)
      case .free, nil: slots.free.append(slot)
      }
    }
    file.header.publishedCount.value = counts.published
    file.header.reservedCount.value = counts.reserved
    file.header.retiredCount.value = counts.retired
    let used = Int(clamping: counts.published + counts.reserved + counts.retired)
    deallocateUnneeded(&slots, keeping: max(0, limit - used) + file.layout.slotsPerChunk)
    slots.free.reverse()
    slots.trimOldest(to: candidates)
  }

  private func deallocateUnneeded(_ slots: inout TableSlots, keeping count: Int) {
    while slots.free.count > count, let slot = slots.free.popLast() {
      let record = file.record(slot)
      let state = TableRecord.State(bits: record.state.value)
      record.state.exchange(state.turned(.deallocated).bits)
      let offset = file.layout.pictureOffset(slot)
      file.mapped.punchHole(offset..<offset + file.layout.slotByteCount)
      slots.deallocated.append(slot)
    }
  }
}
