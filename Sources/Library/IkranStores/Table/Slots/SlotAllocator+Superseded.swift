// Replaced pictures of a table that is synchronized, with the writer's lock held.
//
// After a power loss the records may be as they were before the replacement, or the new picture may
// be torn: then the replaced one is the entry. So its slot keeps its record and its picture until
// `synchronize` has put the new picture on the disk.
extension SlotAllocator {
  /// Ends an entry that another slot replaces.
  ///
  /// In a table that was never synchronized, and has no durable pictures, its slot is free at once.
  func replaced(_ slot: Int, _ slots: inout TableSlots) {
    guard file.header.isSynchronized.value != 0 else { return retire(slot, &slots) }
    let record = file.record(slot)
    let state = TableRecord.State(bits: record.state.value)
    record.state.exchange(state.turned(.superseded).bits)
    file.header.publishedCount.value &-= 1
    file.header.supersededCount.value &+= 1
    slots.superseded.append(slot)
  }

  /// The slots that the next `fdatasync` of the file allows to be freed, with their states.
  ///
  /// Those of ids without an entry are freed now: else a power loss could bring back what was
  /// removed.
  func supersededSlots(
    _ slots: inout TableSlots,
    limit: Int
  ) -> [(slot: Int, state: TableRecord.State)] {
    findAllSuperseded(&slots, limit: limit)
    let states = slots.superseded.map { slot in
      (slot: slot, state: TableRecord.State(bits: file.record(slot).state.value))
    }
    let isWanted = { (slot: Int) in file.slot(of: file.record(slot).id) != nil }
    freeSuperseded(states.filter { !isWanted($0.slot) }, &slots)
    return states.filter { isWanted($0.slot) }
  }

  /// Frees those of the slots that still have their states.
  func freeSuperseded(
    _ waiting: [(slot: Int, state: TableRecord.State)],
    _ slots: inout TableSlots
  ) {
    guard !waiting.isEmpty else { return }
    var freed: Set<Int> = []
    for (slot, state) in waiting {
      guard state.kind == .superseded, file.record(slot).state.value == state.bits else { continue }
      free(slot, &slots)
      file.header.supersededCount.value &-= 1
      freed.insert(slot)
    }
    slots.superseded.removeAll { freed.contains($0) }
  }

  /// Frees those replaced pictures that must not come back after a power loss.
  func freeSuperseded(_ slots: inout TableSlots, where isRemoved: (TableRecord) -> Bool) {
    findAllSuperseded(&slots, limit: .max / 2)
    let states = slots.superseded.filter { isRemoved(file.record($0)) }.map { slot in
      (slot: slot, state: TableRecord.State(bits: file.record(slot).state.value))
    }
    freeSuperseded(states, &slots)
  }

  /// Synchronizes the file and frees the slots of replaced pictures; false when there are none, or
  /// it has failed now or before.
  func synchronizeSuperseded(_ slots: inout TableSlots) -> Bool {
    guard file.header.supersededCount.value > 0 else { return false }
    let waiting = supersededSlots(&slots, limit: .max / 2)
    guard (try? file.synchronizeData()) != nil else { return false }
    freeSuperseded(waiting, &slots)
    return true
  }

  /// Finds the slots that other processes have left waiting.
  private func findAllSuperseded(_ slots: inout TableSlots, limit: Int) {
    slots.superseded.removeAll {
      TableRecord.State(bits: file.record($0).state.value).kind != .superseded
    }
    guard file.header.supersededCount.value != UInt64(slots.superseded.count) else { return }
    scanRecords(&slots, limit: limit)
  }

  /// Makes replaced pictures entries again where no newer picture of their id is whole; frees the
  /// others.
  func restoreSuperseded(_ slots: inout TableSlots) {
    var ids: [TableID: [Int]] = [:]
    for slot in slots.superseded { ids[file.record(slot).id, default: []].append(slot) }
    guard !ids.isEmpty else { return }
    file.forEachSlot { slot, record in
      let state = TableRecord.State(bits: record.state.value)
      guard state.isPublished, ids[record.id] != nil, file.check(slot, record, state) else {
        return
      }
      ids[record.id] = nil
    }
    var restored: Set<Int> = []
    for candidates in ids.values {
      let latestFirst = candidates.sorted {
        file.record($0).lastUse.relaxed > file.record($1).lastUse.relaxed
      }
      if let slot = latestFirst.first(where: { file.isWhole($0, file.record($0)) }) {
        restored.insert(slot)
      }
    }
    for slot in slots.superseded where restored.contains(slot) {
      let record = file.record(slot)
      let state = TableRecord.State(bits: record.state.value)
      record.state.exchange(state.turned(.published).bits)
      file.header.publishedCount.value &+= 1
      file.header.supersededCount.value &-= 1
    }
    let rest = slots.superseded.filter { !restored.contains($0) }
    slots.superseded = rest
    freeSuperseded(
      rest.map { (slot: $0, state: TableRecord.State(bits: file.record($0).state.value)) },
      &slots
    )
  }
}
