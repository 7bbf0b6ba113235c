import Synchronization

/// What this process remembers of free and old slots: hints, each checked before it is used.
struct TableSlots {
  var free: [Int] = []
  var hollow: [Int] = []
  /// The slots used longest ago when they were last looked at, oldest first.
  var oldest: [(lastUse: UInt64, slot: Int)] = []
  var releases: UInt64 = 0
}

// Everything here runs with the writer's lock held.
extension TableFile {
  /// Runs a change with the writer's lock held; nil when it has to be done in another file or with
  /// more addresses: `body` has not run, or has changed nothing that matters.
  func change<R: Sendable>(
    _ body: (inout TableSlots) throws(TableError) -> R
  ) throws(TableError) -> R? {
    try writer.withLock { (slots) throws(TableError) -> R? in
      do throws(SystemError) {
        try mapped.lock(TableHeader.writerLock)
      } catch {
        throw TableError(error)
      }
      defer { mapped.unlock(TableHeader.writerLock) }
      do throws(TableError) {
        guard try isReady(&slots) else { return nil }
        return try body(&slots)
      } catch {
        if lacksAddresses.load(ordering: .relaxed) { return nil }
        throw error
      }
    }
  }

  /// Whether this is the file to change, with all its parts in sight; it is mended first if it must.
  private func isReady(_ slots: inout TableSlots) throws(TableError) -> Bool {
    do throws(SystemError) {
      // Whoever sees a part of the table would take it for all there is.
      guard header.isReplaced.value == 0, try mapped.status().hasName, !isOutgrown else {
        return false
      }
      if header.isChanging.value != 0 {
        // A process died amid a change.
        slots = TableSlots()
        try mend()
      }
      return true
    } catch {
      throw TableError(error)
    }
  }

  /// Whether somebody with more addresses has made the file larger than this process can see.
  var isOutgrown: Bool {
    guard header.chunkCount.value > UInt64(chunkCapacity) else { return false }
    // A damaged number of chunks may be larger than the file.
    let length = (try? mapped.status().byteCount) ?? 0
    return length > mapped.capacity
  }

  /// Chunks that have addresses.
  var chunkCapacity: Int { slotCapacity >> layout.slotShift }

  /// Throws unless there are addresses for so many chunks behind the last one.
  func checkAddresses(moreChunks count: Int) throws(SystemError) {
    guard header.chunkCount.value > UInt64(max(0, chunkCapacity - count)) else { return }
    lacksAddresses.store(true, ordering: .relaxed)
    throw SystemError(code: 12, operation: "grow", path: mapped.path)
  }

  /// All slots, chunk by chunk.
  func forEachSlot(_ body: (Int, TableRecord) -> Void) {
    let parts = header.directoryChunks
    for chunk in 0..<slotEnd >> layout.slotShift where !parts.contains(where: { $0 ~= chunk }) {
      forEachSlot(ofChunk: chunk, body)
    }
  }

  func forEachSlot(ofChunk chunk: Int, _ body: (Int, TableRecord) -> Void) {
    let first = chunk << layout.slotShift
    for slot in first..<min(first + layout.slotsPerChunk, slotCapacity) {
      body(slot, record(slot))
    }
  }

  private var slotCount: UInt64 {
    let chunks = slotEnd >> layout.slotShift
    let parts = header.directoryChunks.reduce(0) { $0 + $1.clamped(to: 0..<chunks).count }
    return UInt64(max(0, chunks - parts)) << UInt64(layout.slotShift)
  }

  // MARK: - Taking a slot

  /// A slot for a new picture, which only this process touches until it is published or abandoned.
  ///
  /// Entries over the limit leave first, the one used longest ago before the others; a picture for
  /// an id that has one already needs no room besides its own.
  func reserveSlot(
    for id: TableID,
    _ slots: inout TableSlots,
    limit: Int,
    evicted: inout Int
  ) throws(SystemError) -> Int {
    var left = 0
    let count = UInt64(slot(of: id) == nil ? limit : limit + 1)
    while header.publishedCount.value >= count, evictOldest(&slots, limit) { left += 1 }
    evicted = left
    // More than one leaves after a time when all were held: their room goes back to the disk.
    if left > 1 { look(&slots, limit: limit) }
    let slot = try freeSlot(&slots, limit)
    let record = record(slot)
    let state = TableRecord.State(bits: record.state.value)
    record.state.exchange(
      TableRecord.State(.reserved, use: state.use &+ 1, session: session).bits
    )
    header.reservedCount.value &+= 1
    pin(slot, record)
    return slot
  }

  /// Gives a reserved slot back unpublished, and ends its pin.
  func abandon(_ slot: Int, _ slots: inout TableSlots) {
    takeBack(slot)
    header.reservedCount.value &-= 1
    free(slot, &slots)
  }

  /// Frees a slot, or retires it when somebody still sees what is in it.
  private func free(_ slot: Int, _ slots: inout TableSlots) {
    let record = record(slot)
    let state = TableRecord.State(bits: record.state.value)
    record.state.exchange(state.turned(.retired).bits)
    if livingHolders(record) == 0 {
      record.state.exchange(state.turned(.free).bits)
      slots.free.append(slot)
    } else {
      header.retiredCount.value &+= 1
    }
  }

  private func freeSlot(_ slots: inout TableSlots, _ limit: Int) throws(SystemError) -> Int {
    if let slot = knownFreeSlot(&slots) { return slot }
    let used =
      header.publishedCount.value &+ header.reservedCount.value &+ header.retiredCount.value
    // Hollow slots that are known are no reason to look at all.
    if used &+ UInt64(slots.hollow.count) < slotCount || header.releases.value != slots.releases {
      look(&slots, limit: limit)
      if let slot = knownFreeSlot(&slots) { return slot }
    }
    while let slot = slots.hollow.last {
      if TableRecord.State(bits: record(slot).state.value).kind == .hollow {
        // A slot without room stays in the list: there may be room next time.
        let offset = layout.pictureOffset(slot)
        try mapped.reserve(offset..<offset + layout.slotByteCount)
        slots.hollow.removeLast()
        return slot
      }
      slots.hollow.removeLast()
    }
    return try grow(&slots)
  }

  private func knownFreeSlot(_ slots: inout TableSlots) -> Int? {
    while let slot = slots.free.popLast() {
      if TableRecord.State(bits: record(slot).state.value).kind == .free { return slot }
    }
    return nil
  }

  /// Adds a chunk; its room is taken first.
  ///
  /// Where the disk has no room for a whole chunk, it gets its records and its first slot: the others
  /// are hollow and take their room one by one, as long as there is any.
  private func grow(_ slots: inout TableSlots) throws(SystemError) -> Int {
    try checkAddresses(moreChunks: 1)
    let chunk = Int(clamping: header.chunkCount.value)
    let first = chunk << layout.slotShift
    let offset = layout.chunkOffset(chunk)
    let others = first + 1..<first + layout.slotsPerChunk
    let hasAllRoom = try reserveChunk(at: offset)
    // Bytes that were behind the last chunk may be there still.
    for word in 0..<TableLayout.pageByteCount / 8 {
      SharedWord(mapped.start, offset + word * 8).relaxed = 0
    }
    if hasAllRoom {
      slots.free += others.reversed()
    } else {
      let hollow = TableRecord.State(.hollow, use: 0, session: 0)
      for slot in others { record(slot).state.relaxed = hollow.bits }
      slots.hollow += others.reversed()
    }
    header.chunkCount.value = UInt64(chunk + 1)
    return first
  }

  /// Takes room for a chunk behind the last one, or for its records and first slot if that is all
  /// the disk has; true when it is the whole chunk.
  private func reserveChunk(at offset: Int) throws(SystemError) -> Bool {
    let end = offset + layout.chunkByteCount
    do throws(SystemError) {
      try mapped.reserve(offset..<end)
      return true
    } catch {
      guard error.isFull, layout.slotsPerChunk > 1 else { throw error }
    }
    try mapped.reserve(offset..<offset + TableLayout.pageByteCount + layout.slotByteCount)
    // The number of chunks never counts more than the file's length.
    try mapped.extend(to: end)
    return false
  }

  // MARK: - Eviction

  /// Removes what is over the limit, because several drew at once; returns how many entries.
  func evict(_ slots: inout TableSlots, limit: Int) -> Int {
    var count = 0
    while header.publishedCount.value > UInt64(limit), evictOldest(&slots, limit) { count += 1 }
    return count
  }

  /// Removes the entry used longest ago that nobody holds; false when all are held.
  private func evictOldest(_ slots: inout TableSlots, _ limit: Int) -> Bool {
    if evictKnown(&slots) { return true }
    look(&slots, limit: limit)
    if evictKnown(&slots) { return true }
    // All that were looked at are held; perhaps not all were looked at.
    if slots.oldest.count >= Int(clamping: header.publishedCount.value) { return false }
    look(&slots, limit: limit, all: true)
    return evictKnown(&slots)
  }

  private func evictKnown(_ slots: inout TableSlots) -> Bool {
    // Held ones stay in the list; they are still the oldest when they are released.
    var index = slots.oldest.endIndex
    var held: [(lastUse: UInt64, slot: Int)] = []
    defer {
      slots.oldest.removeSubrange(index...)
      slots.oldest += held.reversed()
    }
    while index > 0 {
      index -= 1
      let (lastUse, slot) = slots.oldest[index]
      let record = record(slot)
      let state = TableRecord.State(bits: record.state.value)
      guard state.isPublished, record.lastUse.relaxed == lastUse else { continue }
      guard livingHolders(record) == 0 else {
        held.append((lastUse, slot))
        continue
      }
      if evict(slot, record, state, &slots) { return true }
      held.append((lastUse, slot))
    }
    return false
  }

  private func evict(
    _ slot: Int,
    _ record: TableRecord,
    _ state: TableRecord.State,
    _ slots: inout TableSlots
  ) -> Bool {
    header.isChanging.value = 1
    defer { header.isChanging.value = 0 }
    record.state.exchange(state.turned(.retired).bits)
    // Somebody may have begun to look at it just now.
    guard livingHolders(record) == 0 else {
      record.state.exchange(state.bits)
      return false
    }
    removePlace(of: record.id, slot)
    record.state.exchange(state.turned(.free).bits)
    header.publishedCount.value &-= 1
    slots.free.append(slot)
    return true
  }

  /// Ends an entry whose place in the directory is gone or leads elsewhere.
  func retire(_ slot: Int, _ slots: inout TableSlots) {
    header.publishedCount.value &-= 1
    free(slot, &slots)
  }

  // MARK: - Looking at all slots

  /// Reads every record: finds free slots and old entries, frees what nobody sees any more, and
  /// gives room back that the limit does not need.
  func look(_ slots: inout TableSlots, limit: Int, all: Bool = false) {
    slots = TableSlots()
    slots.releases = header.releases.value
    var counts: (published: UInt64, reserved: UInt64, retired: UInt64) = (0, 0, 0)
    var oldest = OldestSlots(
      limit: all ? .max : max(1024, Int(clamping: header.publishedCount.value) / 16)
    )
    forEachSlot { slot, record in
      var state = TableRecord.State(bits: record.state.value)
      let mayBeAbandoned = state.kind == .reserved || state.kind == .retired
      if state.kind == nil || (mayBeAbandoned && livingHolders(record) == 0) {
        state = state.turned(.free)
        record.state.exchange(state.bits)
      }
      switch state.kind {
      case .published:
        counts.published += 1
        oldest.consider(record.lastUse.relaxed, slot)
      case .reserved: counts.reserved += 1
      case .retired: counts.retired += 1
      case .hollow: slots.hollow.append(slot)
      case .free, nil: slots.free.append(slot)
      }
    }
    header.publishedCount.value = counts.published
    header.reservedCount.value = counts.reserved
    header.retiredCount.value = counts.retired
    let used = Int(clamping: counts.published + counts.reserved + counts.retired)
    hollowOut(&slots, keeping: max(0, limit - used) + layout.slotsPerChunk)
    slots.free.reverse()
    slots.oldest = oldest.sortedLatestFirst()
  }

  private func hollowOut(_ slots: inout TableSlots, keeping count: Int) {
    while slots.free.count > count, let slot = slots.free.popLast() {
      let record = record(slot)
      let state = TableRecord.State(bits: record.state.value)
      record.state.exchange(state.turned(.hollow).bits)
      let offset = layout.pictureOffset(slot)
      mapped.giveBack(offset..<offset + layout.slotByteCount)
      slots.hollow.append(slot)
    }
  }
}

/// The slots used longest ago among all that are considered, a bounded number of them.
struct OldestSlots {
  private let limit: Int
  /// A heap with the latest use on top.
  private var heap: [(lastUse: UInt64, slot: Int)] = []

  init(limit: Int) { self.limit = limit }

  mutating func consider(_ lastUse: UInt64, _ slot: Int) {
    if heap.count < limit {
      heap.append((lastUse, slot))
      rise()
    } else if let latest = heap.first, lastUse < latest.lastUse {
      heap[0] = (lastUse, slot)
      sink()
    }
  }

  func sortedLatestFirst() -> [(lastUse: UInt64, slot: Int)] {
    heap.sorted { $0.lastUse > $1.lastUse }
  }

  private mutating func rise() {
    var index = heap.count - 1
    while index > 0 {
      let parent = (index - 1) / 2
      guard heap[index].lastUse > heap[parent].lastUse else { return }
      heap.swapAt(index, parent)
      index = parent
    }
  }

  private mutating func sink() {
    var index = 0
    while true {
      var largest = index
      for child in [2 * index + 1, 2 * index + 2]
      where child < heap.count && heap[child].lastUse > heap[largest].lastUse { largest = child }
      guard largest != index else { return }
      heap.swapAt(index, largest)
      index = largest
    }
  }
}
