import IkranSystem

// Decision 48: tables survive a power loss and other processes.
/// Makes a table's file whole after a crash, a power loss, damage or the work of another program.
///
/// Invariants: it runs with the writer's lock held, and `isChanging` is not 0 from its first change
/// until the directory is rebuilt, so a process that dies in between leaves the rest to the next
/// one. It trusts nothing but records that their checksums confirm: counts, clock and directory are
/// computed from them. Afterwards every byte that the header counts may be touched, but for the
/// pictures of deallocated slots.
struct TableRecovery {
  let file: TableFile

  /// Recovers after a crash or damage: recomputes the counts, records and directory.
  ///
  /// With `lostPower` any page may be older than the others: a replaced picture takes the place of
  /// one that is not whole.
  func recover(lostPower: Bool = false) throws(SystemError) {
    var slots = TableSlots()
    file.header.isChanging.value = 1
    if file.header.dropsDamagedParts() {
      // Chunks that belonged to a directory may have holes where slots will be.
      let end = file.layout.chunkOffset(file.slotEnd >> file.layout.slotShift)
      try file.mapped.preallocate(TableLayout.headerByteCount..<end)
    }
    // A process that died may have entered a directory in the list before its chunks counted.
    file.header.clipParts()
    recoverClock()
    file.allocator.scanRecords(&slots, limit: .max / 2)
    if lostPower { file.allocator.restoreSuperseded(&slots) }
    let count = Int(clamping: file.header.publishedCount.value)
    if file.directory == nil || (file.directory?.bucketCount ?? 0) / 4 * 3 <= count
      || !file.isDirectoryWhole
    {
      try file.makeDirectory(entries: max(count * 2, 256))
    }
    file.rebuildDirectory()
  }

  /// Sets the clock after every recorded use, so that the next use is the latest.
  private func recoverClock() {
    let sensible: UInt64 = 1 << 62
    var latest = file.header.clock.relaxed < sensible ? file.header.clock.relaxed : 0
    file.forEachSlot { _, record in
      if record.lastUse.relaxed >= sensible { record.lastUse.relaxed = 0 }
      latest = max(latest, record.lastUse.relaxed)
    }
    file.header.clock.relaxed = latest &+ 1
  }

  /// Drops chunks that lie beyond the file's end; false when there are none.
  func dropsMissingChunks(_ status: MappedFile.Status) -> Bool {
    let there = max(
      0,
      (status.byteCount - TableLayout.headerByteCount) / file.layout.chunkByteCount
    )
    guard file.header.chunkCount.value > UInt64(there) else { return false }
    file.header.dropChunks(from: there)
    return true
  }

  /// Clears the bits of dead processes in all records.
  func clearHolders(_ processes: UInt64) {
    file.forEachSlot { _, record in
      if record.holders.relaxed & processes != 0 { record.holders.remove(processes) }
    }
  }
}

extension TableFile {
  var recovery: TableRecovery { TableRecovery(file: self) }
}
