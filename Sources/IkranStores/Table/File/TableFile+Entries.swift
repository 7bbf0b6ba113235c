import IkranPixels

// MARK: - Reading

extension TableFile {
  /// What a look-up finds.
  enum Found {
    /// The slot, and its record's state at that moment.
    case slot(Int, TableRecord.State)
    case missing
    /// Somebody is changing just that: look again with the writer's lock held.
    case disturbed
  }

  /// Looks an entry up, without a lock.
  @inline(__always)
  func find(_ id: TableID, _ version: TableID?) -> Found {
    let epoch = header.directoryEpoch.value
    guard let directory else { return .disturbed }
    var found: (slot: Int, state: TableRecord.State)?
    var isDisturbed = false
    let slotEnd = slotEnd
    _ = directory.find(id) { slot in
      // An entry of another id under the same half of a hash is as rare as a change.
      isDisturbed = true
      guard slot < slotEnd else { return false }
      if !isKnown(slot) { announce(slot) }
      let record = record(slot)
      let state = TableRecord.State(bits: record.state.value)
      guard state.isPublished, record.hasID(id) else { return false }
      found = (slot, state)
      return true
    }
    if let found {
      let record = record(found.slot)
      if let version, !record.hasVersion(version) {
        return record.state.ordered == found.state.bits ? .missing : .disturbed
      }
      return .slot(found.slot, found.state)
    }
    let isWhole = epoch & 1 == 0 && header.directoryEpoch.value == epoch
    return isDisturbed || !isWhole ? .disturbed : .missing
  }

  /// Has the pictures of these ids fetched, as far as the directory tells: no record is waited for.
  func prefetch(_ ids: [TableID]) {
    guard let directory else { return }
    let slotEnd = slotEnd
    for id in ids {
      _ = directory.find(id) { slot in
        if slot < slotEnd { announce(slot) }
        return false
      }
    }
  }

  /// What a retrieval finds.
  enum Retrieved {
    case picture(PixelMemory)
    case missing
    case disturbed
    /// The picture is not the one that was stored.
    case damaged(Int, TableRecord.State)
  }

  /// Retrieves a picture, without a lock; it stays as it is for as long as its memory is kept, which
  /// keeps `lender`, this file or one of its own.
  @inline(__always)
  func retrieve(
    _ id: TableID,
    _ version: TableID?,
    _ lender: any PixelLender
  ) -> Retrieved {
    switch find(id, version) {
    case .missing: return .missing
    case .disturbed: return .disturbed
    case .slot(let slot, let state):
      let record = record(slot)
      pin(slot, record)
      guard record.state.ordered == state.bits else {
        takeBack(slot)
        return .disturbed
      }
      if state.session != session, !check(slot, record, state) {
        takeBack(slot)
        return .damaged(slot, state)
      }
      record.lastUse.relaxed = header.clock.increment()
      return .picture(memory(slot, lentBy: lender))
    }
  }

  /// Compares a picture with its checksum, and remembers for this session that it is right.
  @inline(never)
  func check(_ slot: Int, _ record: TableRecord, _ state: TableRecord.State) -> Bool {
    let sum = TableRecord.checksum(
      UnsafeRawBufferPointer(picture(slot)),
      record.id,
      record.version
    )
    guard sum == record.checksum.relaxed else { return false }
    let checked = TableRecord.State(.published, use: state.use, session: session)
    _ = record.state.replace(state.bits, by: checked.bits)
    return true
  }
}

// MARK: - Changing, with the writer's lock held

extension TableFile {
  /// Makes a reserved slot the one of an entry; the one it had is retired.
  func publish(
    _ slot: Int,
    _ id: TableID,
    _ version: TableID,
    checksum: UInt64,
    lastUse: UInt64? = nil,
    _ slots: inout TableSlots
  ) throws(SystemError) {
    try makePlaceForOneMore()
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
    record.state.value = state.turned(.published).bits
    header.reservedCount.value &-= 1
    header.publishedCount.value &+= 1
    guard let directory else { return }
    var old: Int?
    let place = directory.find(id) { candidate in
      guard candidate != slot, isPublished(candidate, id) else { return false }
      old = candidate
      return true
    }
    if let place, let old {
      directory.replace(place, id, slot)
      retire(old, &slots)
    } else if directory.insert(id, slot) == true {
      header.tombstoneCount.value &-= 1
    }
  }

  /// Removes the entry of an id, of one version or any; false when there is none.
  func remove(_ id: TableID, _ slots: inout TableSlots) -> Bool {
    guard let slot = slot(of: id) else { return false }
    header.isChanging.value = 1
    defer { header.isChanging.value = 0 }
    removePlace(of: id, slot)
    retire(slot, &slots)
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

  /// Takes a slot's place out of the directory.
  func removePlace(of id: TableID, _ slot: Int) {
    guard let directory, let place = directory.find(id, { $0 == slot }) else { return }
    if directory.remove(place) { header.tombstoneCount.value &+= 1 }
  }

  private func isPublished(_ slot: Int, _ id: TableID) -> Bool {
    guard slot < slotEnd else { return false }
    let record = record(slot)
    return TableRecord.State(bits: record.state.value).isPublished && record.hasID(id)
  }
}

// MARK: - The directory as a whole, with the writer's lock held

extension TableFile {
  private func makePlaceForOneMore() throws(SystemError) {
    guard let directory else { return try mend() }
    let used = header.publishedCount.value &+ header.tombstoneCount.value
    guard used >= UInt64(directory.placeCount) / 4 * 3 else { return }
    if header.publishedCount.value >= UInt64(directory.placeCount) / 2 {
      try makeDirectory(entries: Int(clamping: header.publishedCount.value &* 2))
    }
    rebuildDirectory()
  }

  /// Takes room for a larger directory behind the last chunk, and makes it the one.
  private func makeDirectory(entries: Int) throws(SystemError) {
    let shift = TableLayout.directoryShift(entries: entries)
    let count = layout.chunkCount(directoryShift: shift)
    try checkAddresses(moreChunks: count)
    let first = Int(clamping: header.chunkCount.value)
    let chunks = first..<first + count
    let offset = layout.chunkOffset(first)
    try mapped.reserve(offset..<offset + 8 << shift)
    try mapped.extend(to: layout.chunkOffset(chunks.upperBound))
    // What no mark says to be a directory may be pictures.
    let old = isDirectoryWhole ? directory : nil
    header.isChanging.value = 1
    header.directoryEpoch.value |= 1
    guard header.addDirectory(chunks) else {
      throw SystemError(code: 27, operation: "grow", path: mapped.path)
    }
    header.chunkCount.value = UInt64(chunks.upperBound)
    header.setDirectory(offset: offset, shift: shift)
    if let old {
      let start = old.start - mapped.start
      mapped.giveBack(start..<start + 8 << old.shift)
    }
  }

  /// Fills the directory anew from the records.
  func rebuildDirectory() {
    guard let directory else { return }
    header.isChanging.value = 1
    header.directoryEpoch.value |= 1
    directory.clear()
    var published: UInt64 = 0
    var losers = TableSlots()
    forEachSlot { slot, record in
      guard TableRecord.State(bits: record.state.value).isPublished else { return }
      published += 1
      guard let place = directory.find(record.id, { isPublished($0, record.id) }) else {
        _ = directory.insert(record.id, slot)
        return
      }
      // Two pictures of one entry, which a crash or damage left.
      let other = Int(directory.place(place).relaxed & 0xFFFF_FFFF) - 2
      let isBetter = isBetter(slot, than: other)
      if isBetter { directory.replace(place, record.id, slot) }
      retire(isBetter ? other : slot, &losers)
      published -= 1
    }
    header.publishedCount.value = published
    header.tombstoneCount.value = 0
    header.directoryEpoch.value = (header.directoryEpoch.value | 1) &+ 1
    header.isChanging.value = 0
  }

  /// Which of two pictures of one entry stays: the one that is as it was stored, then the one used
  /// last.
  private func isBetter(_ slot: Int, than other: Int) -> Bool {
    let (record, second) = (record(slot), record(other))
    let isRight = check(slot, record, TableRecord.State(bits: record.state.value))
    guard isRight else { return false }
    guard check(other, second, TableRecord.State(bits: second.state.value)) else { return true }
    return record.lastUse.relaxed > second.lastUse.relaxed
  }

  /// Puts everything in order after a crash or damage: counts, records and directory.
  func mend() throws(SystemError) {
    var slots = TableSlots()
    header.isChanging.value = 1
    if header.dropsDamagedParts() {
      // What was part of a directory may have holes where slots are to be.
      let end = layout.chunkOffset(slotEnd >> layout.slotShift)
      try mapped.reserve(TableLayout.headerByteCount..<end)
    }
    mendClock()
    look(&slots, limit: .max / 2)
    let count = Int(clamping: header.publishedCount.value)
    if directory == nil || (directory?.placeCount ?? 0) / 4 * 3 <= count || !isDirectoryWhole {
      try makeDirectory(entries: max(count * 2, 256))
    }
    rebuildDirectory()
  }

  /// Sets the clock behind every use there was, so that the next use is the latest.
  private func mendClock() {
    let sensible: UInt64 = 1 << 62
    var latest = header.clock.relaxed < sensible ? header.clock.relaxed : 0
    forEachSlot { _, record in
      if record.lastUse.relaxed >= sensible { record.lastUse.relaxed = 0 }
      latest = max(latest, record.lastUse.relaxed)
    }
    header.clock.relaxed = latest &+ 1
  }

  /// Whether the directory lies in chunks that are marked as its own.
  var isDirectoryWhole: Bool {
    guard let directory else { return false }
    let offset = directory.start - mapped.start
    return header.directoryChunks.contains { chunks in
      layout.chunkOffset(chunks.lowerBound) == offset
        && 8 << directory.shift <= chunks.count * layout.chunkByteCount
        && chunks.upperBound <= Int(clamping: header.chunkCount.value)
    }
  }

  /// Forgets the chunks that the file should have but has not; false when it has all.
  func dropsMissingChunks(_ status: MappedFile.Status) -> Bool {
    let there = max(0, (status.byteCount - TableLayout.headerByteCount) / layout.chunkByteCount)
    guard header.chunkCount.value > UInt64(there) else { return false }
    header.chunkCount.value = UInt64(there)
    return true
  }
}
