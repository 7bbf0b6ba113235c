import IkranPixels
import Synchronization
import IkranSystem

extension ImageTable {
  /// All entries, most recently used first; does not count as a use.
  ///
  /// - Throws: ``TableError``.
  package func entries() throws(TableError) -> [TableEntry] {
    let file = self.file
    let entries =
      file.isReadOnly
      ? file.entries() : try change { (file, _) throws(TableError) in file.entries() }
    return entries.sorted { $0.lastUse > $1.lastUse }
  }

  /// Whether this process may read the file and not change it.
  package var isReadOnly: Bool { file.isReadOnly }

  /// What the table holds, and how this process has used it.
  ///
  /// Cost: where pictures were replaced while they were shown, it takes the writer's lock, and
  /// waits for other processes that write.
  public var statistics: TableStatistics {
    // If the mapping cannot grow, the numbers are those of the mapped part.
    if file.needsRemap { _ = try? reopen(file) }
    let file = self.file
    let limit = limit
    if file.header.retiredCount.value > 0 {
      // Some of these pictures may have been released since.
      _ = try? file.change { (slots) throws(TableError) in
        file.allocator.scanRecords(&slots, limit: limit)
      }
    }
    let counts = counts
    let header = file.header
    // A damaged header may hold any number: the file has room for this many slots.
    let room = UInt64(file.slotEnd)
    let published = Int(min(header.publishedCount.value, room))
    let reserved = Int(min(header.reservedCount.value, room))
    let retired = Int(min(header.retiredCount.value, room))
    let superseded = Int(min(header.supersededCount.value, room))
    return TableStatistics(
      hits: counts.hits,
      misses: counts.misses,
      evictions: evictions.load(ordering: .relaxed),
      count: published,
      held: retired,
      byteCount: min(published + reserved + retired + superseded, Int(room)) * layout.slotByteCount,
      fileByteCount: (try? file.mapped.status().storedByteCount) ?? 0
    )
  }

  /// Makes everything put so far survive a power loss.
  ///
  /// Callers on several threads share one `fdatasync`: what it costs does not grow with them. It
  /// waits for the disk, and before that up to 0.1 ms for puts in progress; look-ups and puts go
  /// on. The writer's lock is held before and after that, to find and free the slots of replaced
  /// pictures. The first call for a file also synchronizes its folder.
  ///
  /// When the disk fails to write, every later call throws, too, also in other processes, until
  /// ``compact()`` or ``reset()`` has written a new file or the machine has been restarted: the
  /// system reports lost writes only once. Until then replaced pictures keep their place in the
  /// file, which grows.
  ///
  /// - Throws: ``TableError``.
  public func synchronize() throws(TableError) {
    let wanted = syncsWanted.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
    try syncsDone.withLock { (done) throws(TableError) in
      // Another thread's call, which began after this one came, has already synchronized the file.
      if done >= wanted { return }
      letPutsFinish()
      let covered = syncsWanted.load(ordering: .acquiring)
      try synchronizeFile()
      done = covered
    }
  }

  /// Synchronizes the file that has the name now; entries of earlier files were copied into it.
  private func synchronizeFile() throws(TableError) {
    let limit = limit
    let (file, waiting) = try change { (file, slots) throws(TableError) in
      // From now on a file that replaces this one is synchronized before it gets the name.
      file.header.isSynchronized.insert(1)
      return (file, file.allocator.supersededSlots(&slots, limit: limit))
    }
    file.earlyWriteback.expectMore()
    do throws(SystemError) { try file.synchronize() } catch { throw TableError(error) }
    guard !waiting.isEmpty else { return }
    // In a file that was replaced there is nothing to free.
    _ = try file.change { (slots) throws(TableError) in
      file.allocator.freeSuperseded(waiting, &slots)
    }
  }

  /// Waits up to 100 µs for puts in progress, whose threads will synchronize next: one `fdatasync`
  /// takes longer than many puts.
  private func letPutsFinish() {
    let start = WallClock.microseconds()
    while puts.load(ordering: .relaxed) > 0,
      0..<100 ~= WallClock.microseconds() - start
    {
      BackgroundThread.yield()
    }
  }

  /// Compares every picture with its checksum, removes damaged entries and repairs the directory.
  ///
  /// It reads the whole table, chunk by chunk: other threads and processes may change it in
  /// between.
  ///
  /// In a file that may only be read, damaged entries stay, and the directory is not looked at.
  ///
  /// - Throws: ``TableError``.
  package func verify() throws(TableError) -> TableReport {
    if isReadOnly {
      let all = try entries()
      let damaged = all.count { get($0.id, version: $0.version) == nil }
      return TableReport(checked: all.count, dropped: damaged, directoryWasRebuilt: false)
    }
    let wasRebuilt = try change { (file, _) throws(TableError) in
      do throws(SystemError) { return try file.rebuildDirectoryIfNeeded() } catch {
        throw TableError(error)
      }
    }
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
    return TableReport(checked: checked, dropped: dropped, directoryWasRebuilt: wasRebuilt)
  }

  /// Removes all entries: an empty file replaces the old one.
  ///
  /// Pictures that are held stay as they are.
  ///
  /// It creates, opens and renames a file with the writer's lock held: look-ups go on, other
  /// changes wait.
  ///
  /// - Throws: ``TableError``.
  public func reset() throws(TableError) { try replaceFile { (_, _) in } }

  /// Replaces the file by one that has room only for the entries in it.
  ///
  /// Pictures that are held stay as they are, in the old file, until they are released. In a
  /// synchronized table the new file is synchronized before it replaces the old one, so a power
  /// loss at any moment loses no entry.
  ///
  /// It copies every picture, and needs as much disk space again until the old file is closed. The
  /// writer's lock is held all the time: look-ups go on, other changes wait.
  ///
  /// - Throws: ``TableError``.
  public func compact() throws(TableError) {
    try replaceFile { (old, new) throws(TableError) in try old.copyEntries(to: new) }
  }

  private func replaceFile(
    _ fill: (TableFile, TableFile) throws(TableError) -> Void
  ) throws(TableError) {
    let replaced = try change(name: .locked) { (file, _) throws(TableError) in
      let temporary = try TableOpening.create(nextTo: path, format, layout, limit: limit)
      do throws(TableError) {
        do {
          // Entries over the limit are copied too.
          let count = max(limit, Int(clamping: file.header.publishedCount.value))
          let new = try TableOpening.opened(
            temporary,
            format,
            layout,
            limit: count,
            mayCreate: false
          )
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
    // A table that is suspended now opens the new file later.
    do throws(TableError) { try reopen(replaced) } catch .suspended {}
  }
}

extension TableFile {
  /// All entries: a process that may change the file holds the writer's lock.
  fileprivate func entries() -> [TableEntry] {
    // Without the lock a process may not touch what a cut file has lost.
    let bytes = isReadOnly ? (try? mapped.status().byteCount) ?? 0 : Int.max
    let stored = max(0, bytes - TableLayout.headerByteCount) / layout.chunkByteCount
    let parts = header.directoryChunks
    var entries: [TableEntry] = []
    for chunk in 0..<min(slotEnd >> layout.slotShift, stored)
    where !parts.contains(where: { $0 ~= chunk }) {
      forEachSlot(ofChunk: chunk) { _, record in
        guard TableRecord.State(bits: record.state.value).isPublished else { return }
        let holders = isReadOnly ? record.holders.relaxed : livingHolders(record)
        entries.append(
          TableEntry(
            id: record.id,
            version: record.version,
            lastUse: record.lastUse.relaxed,
            isHeld: holders != 0
          )
        )
      }
    }
    return entries
  }

  /// Rebuilds the directory if an entry cannot be found by its id or a bucket leads to no entry;
  /// false when there was no need.
  ///
  /// A directory that is too small for the entries, or lies elsewhere than in its chunks, is
  /// replaced by a new one.
  ///
  /// - Throws: `SystemError` when there is no room for a new one.
  func rebuildDirectoryIfNeeded() throws(SystemError) -> Bool {
    var published = 0
    var isWhole = true
    forEachSlot { slot, record in
      guard TableRecord.State(bits: record.state.value).isPublished else { return }
      published += 1
      if self.slot(of: record.id) != slot { isWhole = false }
    }
    var buckets = 0
    if let directory {
      for index in 0..<directory.bucketCount
      where directory.bucket(index).relaxed & 0xFFFF_FFFF > 1 { buckets += 1 }
    }
    let hasRoom = isDirectoryWhole && published < (directory?.bucketCount ?? 0) / 4 * 3
    guard !isWhole || buckets != published || !hasRoom else { return false }
    if !hasRoom { try makeDirectory(entries: max(published * 2, 256)) }
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
      removeBucket(of: record(slot).id, slot)
      allocator.retire(slot, &slots)
    }
    header.isChanging.value = 0
    return (right, damaged.count)
  }

  /// Synchronizes the file if the one that it will replace is synchronized.
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
      // Damaged entries are not copied.
      let isKnown = state.tag == record.tag(session) && !header.lostWrites
      if state.isPublished, isKnown || check(slot, record, state) {
        entries.append((slot, record.lastUse.relaxed))
      }
    }
    let clock = header.clock.relaxed
    let isDone: Void? = try new.change { (slots) throws(TableError) in
      do throws(SystemError) {
        for (slot, lastUse) in entries {
          var evicted = 0
          let id = self.record(slot).id
          let target = try new.allocator.reserveSlot(
            for: id,
            &slots,
            limit: .max / 2,
            evicted: &evicted
          )
          defer { new.unpin(target) }
          let bytes = self.picture(slot)
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
