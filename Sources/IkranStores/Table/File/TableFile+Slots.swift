import Synchronization

/// What this process knows of free and old slots: hints, each checked before it is used.
struct TableSlots {
  /// A slot with the time of its last use.
  struct Use: Comparable {
    let lastUse: UInt64
    let slot: Int

    static func < (lhs: Use, rhs: Use) -> Bool { lhs.lastUse < rhs.lastUse }
  }

  var free: [Int] = []
  var deallocated: [Int] = []
  /// The slots of replaced pictures that wait for `synchronize`.
  var superseded: [Int] = []
  /// The least recently used slots of the last scan, the oldest at the end.
  var oldest: [Use] = []
  /// The last use of those that fit in `oldest`; nil while all do.
  private var bound: Use?
  var releases: UInt64 = 0

  /// Adds a use to `oldest`, which is unordered until ``trimOldest(to:)``.
  mutating func note(_ use: Use, keepingOldest limit: Int) {
    if let bound, use >= bound { return }
    oldest.append(use)
    if oldest.count / 2 >= limit { trimOldest(to: limit) }
  }

  /// Sorts `oldest` and keeps the `limit` oldest ones.
  mutating func trimOldest(to limit: Int) {
    oldest.sort(by: >)
    guard oldest.count > limit else { return }
    oldest.removeFirst(oldest.count - limit)
    bound = oldest.first
  }
}

// Everything here runs with the writer's lock held.
extension TableFile {
  /// Runs a change with the writer's lock held.
  ///
  /// - Parameters:
  ///   - deadline: When to give up waiting for the lock; nil waits without limit.
  ///   - body: The change.
  /// - Returns: Nil when the change must be made in another file or with a larger mapping; `body`
  ///   has not run then, or has changed no entry.
  /// - Throws: ``TableError``.
  func change<R: Sendable>(
    until deadline: ContinuousClock.Instant? = nil,
    _ body: (inout TableSlots) throws(TableError) -> R
  ) throws(TableError) -> R? {
    // A fork would share the locks with its parent.
    guard !isForked else { return nil }
    guard !isReadOnly else { throw .readOnly(path: mapped.path) }
    guard let deadline else {
      return try writer.withLock { (slots) throws(TableError) -> R? in
        try change(&slots, until: nil, body)
      }
    }
    while true {
      let attempt = try writer.withLockIfAvailable { (slots) throws(TableError) -> R? in
        try change(&slots, until: deadline, body)
      }
      if let attempt { return attempt }
      guard ContinuousClock.now < deadline else {
        throw .system(.tryAgain("lock", mapped.path))
      }
      BackgroundThread.pause()
    }
  }

  private func change<R: Sendable>(
    _ slots: inout TableSlots,
    until deadline: ContinuousClock.Instant?,
    _ body: (inout TableSlots) throws(TableError) -> R
  ) throws(TableError) -> R? {
    do throws(SystemError) {
      try mapped.lock(TableHeader.writerLock, until: deadline)
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

  /// Whether this is the file to change, and all of it is mapped; recovers it first if needed.
  private func isReady(_ slots: inout TableSlots) throws(TableError) -> Bool {
    let status = try statusForChange()
    do throws(SystemError) {
      // A process that has mapped only a part of the table would take that part for the whole.
      guard header.isReplaced.value == 0, status.hasName, !needsRemap else { return false }
      if dropsMissingChunks(status) || header.isChanging.value != 0 {
        // Another program has cut chunks off, or a process died in the middle of a change.
        slots = TableSlots()
        try recover()
      }
      return true
    } catch {
      throw TableError(error)
    }
  }

  /// Whether another process has made the file larger than this process has mapped.
  var needsRemap: Bool {
    guard header.chunkCount.value > UInt64(chunkCapacity) else { return false }
    // A damaged number of chunks may be larger than the file.
    let length = (try? mapped.status().byteCount) ?? 0
    return length > mapped.capacity
  }

  /// The chunks that are mapped.
  var chunkCapacity: Int { slotCapacity >> layout.slotShift }

  /// Throws unless the mapping has room for this many chunks after the last one.
  func checkAddresses(moreChunks count: Int) throws(SystemError) {
    guard header.chunkCount.value > UInt64(max(0, chunkCapacity - count)) else { return }
    lacksAddresses.store(true, ordering: .relaxed)
    throw .noAddresses("grow", mapped.path)
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

  // MARK: - Reserving a slot

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
    let count = UInt64(slot(of: id) == nil ? limit : limit + 1)
    while header.publishedCount.value >= count, evictOldest(&slots, limit) { left += 1 }
    evicted = left
    // More than one is evicted after a time when all were held: the scan frees their disk space.
    if left > 1 { scanRecords(&slots, limit: limit) }
    let slot = try freeSlot(&slots, limit)
    let record = record(slot)
    let state = TableRecord.State(bits: record.state.value)
    record.state.exchange(TableRecord.State(.reserved, use: state.use &+ 1, tag: 0).bits)
    header.reservedCount.value &+= 1
    pin(slot, record)
    return slot
  }

  /// Frees a reserved slot that was not published, and ends its pin.
  func abandon(_ slot: Int, _ slots: inout TableSlots) {
    unpin(slot)
    header.reservedCount.value &-= 1
    free(slot, &slots)
  }

  /// Frees a slot, or retires it while its picture is held.
  func free(_ slot: Int, _ slots: inout TableSlots) {
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
      &+ header.supersededCount.value
    // A scan would find no free slot if all unused ones are known to be deallocated.
    if used &+ UInt64(slots.deallocated.count) < slotCount
      || header.releases.value != slots.releases
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
      if TableRecord.State(bits: record(slot).state.value).kind == .deallocated {
        // If the disk is full the slot stays in the list for the next attempt.
        let offset = layout.pictureOffset(slot)
        try mapped.preallocate(offset..<offset + layout.slotByteCount)
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
      if TableRecord.State(bits: record(slot).state.value).kind == .free { return slot }
    }
    return nil
  }

  /// Adds a chunk, whose disk space is allocated first.
  ///
  /// When the disk has no room for a whole chunk, only its records and its first slot are
  /// allocated. The other slots are marked as deallocated, and each is allocated before its first
  /// use.
  private func grow(_ slots: inout TableSlots) throws(SystemError) -> Int {
    try checkAddresses(moreChunks: 1)
    let chunk = Int(clamping: header.chunkCount.value)
    let first = chunk << layout.slotShift
    let offset = layout.chunkOffset(chunk)
    let others = first + 1..<first + layout.slotsPerChunk
    let hasAllRoom = try preallocateChunk(at: offset)
    // The file may have had bytes after its last chunk.
    for word in 0..<TableLayout.pageByteCount / 8 {
      SharedWord(mapped.start, offset + word * 8).relaxed = 0
    }
    if hasAllRoom {
      slots.free += others.reversed()
    } else {
      let deallocated = TableRecord.State(.deallocated, use: 0, tag: 0)
      for slot in others { record(slot).state.relaxed = deallocated.bits }
      slots.deallocated += others.reversed()
    }
    header.chunkCount.value = UInt64(chunk + 1)
    return first
  }

  /// Allocates disk space for a chunk after the last one; false when the disk had room only for its
  /// records and first slot.
  private func preallocateChunk(at offset: Int) throws(SystemError) -> Bool {
    let end = offset + layout.chunkByteCount
    do throws(SystemError) {
      try mapped.preallocate(offset..<end)
      return true
    } catch {
      guard error.isFull, layout.slotsPerChunk > 1 else { throw error }
    }
    try mapped.preallocate(offset..<offset + TableLayout.pageByteCount + layout.slotByteCount)
    // All counted chunks lie inside the file's length.
    try mapped.extend(to: end)
    return false
  }

  // MARK: - Eviction

  /// Evicts entries over the limit, which several drawings at once can leave; returns how many.
  func evict(_ slots: inout TableSlots, limit: Int) -> Int {
    var count = 0
    while header.publishedCount.value > UInt64(limit), evictOldest(&slots, limit) { count += 1 }
    return count
  }

  /// Evicts the least recently used entry that is not held; false when all are held.
  private func evictOldest(_ slots: inout TableSlots, _ limit: Int) -> Bool {
    if evictKnown(&slots) { return true }
    scanRecords(&slots, limit: limit)
    if evictKnown(&slots) { return true }
    // All candidates of the bounded scan are held; the second scan considers every entry.
    if slots.oldest.count >= Int(clamping: header.publishedCount.value) { return false }
    scanRecords(&slots, limit: limit, all: true)
    return evictKnown(&slots)
  }

  private func evictKnown(_ slots: inout TableSlots) -> Bool {
    // Held slots stay in the list: they are still the oldest when they are released.
    var index = slots.oldest.endIndex
    var held: [TableSlots.Use] = []
    defer {
      slots.oldest.removeSubrange(index...)
      slots.oldest += held.reversed()
    }
    while index > 0 {
      index -= 1
      let use = slots.oldest[index]
      let record = record(use.slot)
      let state = TableRecord.State(bits: record.state.value)
      guard state.isPublished, record.lastUse.relaxed == use.lastUse else { continue }
      if livingHolders(record) == 0, evict(use.slot, record, state, &slots) { return true }
      held.append(use)
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
    // A reader may have pinned it just now.
    guard livingHolders(record) == 0 else {
      record.state.exchange(state.bits)
      return false
    }
    removeBucket(of: record.id, slot)
    record.state.exchange(state.turned(.free).bits)
    header.publishedCount.value &-= 1
    slots.free.append(slot)
    return true
  }

  /// Ends an entry whose bucket is gone or leads to another slot.
  func retire(_ slot: Int, _ slots: inout TableSlots) {
    header.publishedCount.value &-= 1
    free(slot, &slots)
  }

  // MARK: - Scanning all records

  /// Reads every record: finds free slots and old entries, frees slots that are no longer held, and
  /// deallocates free slots that the limit does not need.
  func scanRecords(_ slots: inout TableSlots, limit: Int, all: Bool = false) {
    slots = TableSlots()
    slots.releases = header.releases.value
    var counts: (published: UInt64, reserved: UInt64, retired: UInt64) = (0, 0, 0)
    defer { header.supersededCount.value = UInt64(slots.superseded.count) }
    let candidates = all ? Int.max : max(1024, Int(clamping: header.publishedCount.value) / 16)
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
        let use = TableSlots.Use(lastUse: record.lastUse.relaxed, slot: slot)
        slots.note(use, keepingOldest: candidates)
      case .reserved: counts.reserved += 1
      case .retired: counts.retired += 1
      case .superseded: slots.superseded.append(slot)
      case .deallocated: slots.deallocated.append(slot)
      case .free, nil: slots.free.append(slot)
      }
    }
    header.publishedCount.value = counts.published
    header.reservedCount.value = counts.reserved
    header.retiredCount.value = counts.retired
    let used = Int(clamping: counts.published + counts.reserved + counts.retired)
    deallocateUnneeded(&slots, keeping: max(0, limit - used) + layout.slotsPerChunk)
    slots.free.reverse()
    slots.trimOldest(to: candidates)
  }

  private func deallocateUnneeded(_ slots: inout TableSlots, keeping count: Int) {
    while slots.free.count > count, let slot = slots.free.popLast() {
      let record = record(slot)
      let state = TableRecord.State(bits: record.state.value)
      record.state.exchange(state.turned(.deallocated).bits)
      let offset = layout.pictureOffset(slot)
      mapped.punchHole(offset..<offset + layout.slotByteCount)
      slots.deallocated.append(slot)
    }
  }
}
