import IkranPixels
import Synchronization

extension ImageTable {
  /// All entries, the one used last first; no use of them.
  ///
  /// - Throws: ``TableError``.
  public func entries() throws(TableError) -> [TableEntry] {
    let entries = try change { (file, _) throws(TableError) in
      var entries: [TableEntry] = []
      file.forEachSlot { _, record in
        guard TableRecord.State(bits: record.state.value).isPublished else { return }
        entries.append(
          TableEntry(
            id: record.id,
            version: record.version,
            lastUse: record.lastUse.relaxed,
            isHeld: file.livingHolders(record) != 0
          )
        )
      }
      return entries
    }
    return entries.sorted { $0.lastUse > $1.lastUse }
  }

  /// What the table holds, and how this process has used it.
  public var statistics: TableStatistics {
    // Without more addresses the numbers are those of a part.
    if file.isOutgrown { _ = try? reopen(file) }
    let file = self.file
    let limit = limit
    if file.header.retiredCount.value > 0 {
      // Some of these may be seen by nobody any more.
      _ = try? file.change { (slots) throws(TableError) in file.look(&slots, limit: limit) }
    }
    let counts = counts
    let header = file.header
    // A damaged header may say anything; there is room for so many.
    let room = UInt64(file.slotEnd)
    let published = Int(min(header.publishedCount.value, room))
    let reserved = Int(min(header.reservedCount.value, room))
    let retired = Int(min(header.retiredCount.value, room))
    return TableStatistics(
      hits: counts.hits,
      misses: counts.misses,
      evictions: evictions.load(ordering: .relaxed),
      entries: published,
      held: retired,
      byteCount: min(published + reserved + retired, Int(room)) * layout.slotByteCount,
      fileByteCount: (try? file.mapped.status().storedByteCount) ?? 0
    )
  }

  /// Makes everything put so far survive a power loss.
  ///
  /// Callers on several threads share one `fdatasync`: what it costs does not grow with them.
  ///
  /// - Throws: ``TableError``.
  public func synchronize() throws(TableError) {
    let wanted = syncsWanted.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
    try syncsDone.withLock { (done) throws(TableError) in
      // Somebody who began after this call came has done it.
      if done >= wanted { return }
      letPutsFinish()
      let covered = syncsWanted.load(ordering: .acquiring)
      try synchronizeFile()
      done = covered
    }
  }

  /// Synchronizes the file that has the name: what was put into one before it is in there, too.
  private func synchronizeFile() throws(TableError) {
    let file = try change { (file, _) throws(TableError) in
      // Whoever takes its place from now on does so with what is on the disk.
      file.header.isSynchronized.value = 1
      return file
    }
    file.earlyWrites.expectMore()
    do throws(SystemError) { try file.synchronize() } catch { throw TableError(error) }
  }

  /// Waits a moment for those who are putting a picture and will ask for a sync next: one `fdatasync`
  /// takes longer than many puts.
  private func letPutsFinish() {
    let start = WallClock.microseconds()
    while puts.load(ordering: .relaxed) > 0,
      0..<100 ~= WallClock.microseconds() - start
    {
      BackgroundThread.yield()
    }
  }

  /// Compares every picture with its checksum, removes what is damaged and mends the directory.
  ///
  /// It reads the whole table, chunk by chunk: others may change it in between.
  ///
  /// - Throws: ``TableError``.
  public func verify() throws(TableError) -> TableReport {
    let mended = try change { (file, _) throws(TableError) in file.mendDirectoryIfNeeded() }
    var (checked, dropped, chunk) = (0, 0, 0)
    while true {
      let next = chunk
      let found = try change { (file, slots) throws(TableError) -> (Int, Int)? in
        file.checkPictures(ofChunk: next, &slots)
      }
      guard let (right, wrong) = found else { break }
      checked += right + wrong
      dropped += wrong
      chunk += 1
    }
    return TableReport(checked: checked, dropped: dropped, directoryWasMended: mended)
  }

  /// Removes all entries: an empty file takes the old one's place.
  ///
  /// Pictures that somebody sees stay as they are.
  ///
  /// - Throws: ``TableError``.
  public func reset() throws(TableError) { try replaceFile { (_, _) in } }

  /// Writes a file that has no room but for the entries there are, in place of the old one.
  ///
  /// Pictures that somebody sees stay as they are, in the old file, until they are released. What
  /// survives a power loss does so at every moment: a synchronized table waits for the disk.
  ///
  /// - Throws: ``TableError``.
  public func compact() throws(TableError) {
    try replaceFile { (old, new) throws(TableError) in try old.copyEntries(to: new) }
  }

  private func replaceFile(
    _ fill: (TableFile, TableFile) throws(TableError) -> Void
  ) throws(TableError) {
    let replaced = try change { (file, _) throws(TableError) in
      let temporary = try TableFile.make(beside: path, format, layout, limit: limit)
      do throws(TableError) {
        do {
          // More entries than the limit are copied, too.
          let count = max(limit, Int(clamping: file.header.publishedCount.value))
          let new = try TableFile.opened(temporary, format, layout, limit: count, mayMake: false)
          try fill(file, new)
          try new.synchronize(like: file)
        }
        do throws(SystemError) { try Files.rename(temporary, to: path) } catch {
          throw TableError(error)
        }
      } catch {
        _ = try? Files.remove(temporary)
        throw error
      }
      file.header.isReplaced.value = 1
      return file
    }
    try reopen(replaced)
  }
}

extension TableFile {
  /// Whether some entry could not be found by its id, or a place led nowhere; then it is mended.
  func mendDirectoryIfNeeded() -> Bool {
    var published = 0
    var isWhole = true
    forEachSlot { slot, record in
      guard TableRecord.State(bits: record.state.value).isPublished else { return }
      published += 1
      if self.slot(of: record.id) != slot { isWhole = false }
    }
    var places = 0
    if let directory {
      for index in 0..<directory.placeCount
      where directory.place(index).relaxed & 0xFFFF_FFFF > 1 { places += 1 }
    }
    guard !isWhole || places != published else { return false }
    rebuildDirectory()
    return true
  }

  /// Checks the pictures of one chunk; nil when there is no such chunk.
  func checkPictures(
    ofChunk chunk: Int,
    _ slots: inout TableSlots
  ) -> (right: Int, wrong: Int)? {
    guard chunk < slotEnd >> layout.slotShift else { return nil }
    if header.directoryChunks.contains(where: { $0 ~= chunk }) { return (0, 0) }
    var right = 0
    var damaged: [Int] = []
    forEachSlot(ofChunk: chunk) { slot, record in
      let state = TableRecord.State(bits: record.state.value)
      guard state.isPublished else { return }
      if check(slot, record, state) { right += 1 } else { damaged.append(slot) }
    }
    header.isChanging.value = 1
    for slot in damaged {
      removePlace(of: record(slot).id, slot)
      retire(slot, &slots)
    }
    header.isChanging.value = 0
    return (right, damaged.count)
  }

  /// Makes the file survive a power loss if that whose place it is to take does so.
  func synchronize(like old: TableFile) throws(TableError) {
    guard old.header.isSynchronized.value != 0 else { return }
    header.isSynchronized.value = 1
    do throws(SystemError) { try mapped.synchronize() } catch { throw TableError(error) }
  }

  /// Copies every entry into an empty table of the same layout, with its time of last use.
  func copyEntries(to new: TableFile) throws(TableError) {
    var entries: [(slot: Int, lastUse: UInt64)] = []
    forEachSlot { slot, record in
      let state = TableRecord.State(bits: record.state.value)
      // What is not as it was stored is left behind.
      if state.isPublished, state.session == session || check(slot, record, state) {
        entries.append((slot, record.lastUse.relaxed))
      }
    }
    let clock = header.clock.relaxed
    let isDone: Void? = try new.change { (slots) throws(TableError) in
      do throws(SystemError) {
        for (slot, lastUse) in entries {
          var evicted = 0
          let id = self.record(slot).id
          let target = try new.reserveSlot(
            for: id,
            &slots,
            limit: .max / 2,
            evicted: &evicted
          )
          defer { new.takeBack(target) }
          let bytes = UnsafeRawBufferPointer(self.picture(slot))
          try new.mapped.write(bytes, at: layout.pictureOffset(target))
          let record = self.record(slot)
          try new.publish(
            target,
            id,
            record.version,
            checksum: record.checksum.relaxed,
            lastUse: lastUse,
            &slots
          )
        }
      } catch {
        throw TableError(error)
      }
      new.header.clock.value = clock
    }
    guard isDone != nil else { throw .lacksAddresses(new.mapped.path) }
  }
}
