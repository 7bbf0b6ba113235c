import IkranSystem

// MARK: - The directory as a whole, with the writer's lock held

extension TableFile {
  /// Makes room in the directory for one more entry.
  func ensureFreeBucket() throws(SystemError) {
    guard let directory else { return try recovery.recover() }
    let used = header.publishedCount.value &+ header.tombstoneCount.value
    guard used >= UInt64(directory.bucketCount) / 4 * 3 else { return }
    if header.publishedCount.value >= UInt64(directory.bucketCount) / 2 {
      try makeDirectory(entries: Int(clamping: header.publishedCount.value &* 2))
    }
    rebuildDirectory()
  }

  /// Allocates a larger directory after the last chunk and switches to it.
  func makeDirectory(entries: Int) throws(SystemError) {
    let shift = TableLayout.directoryShift(entries: entries)
    let count = layout.chunkCount(directoryShift: shift)
    try checkAddresses(moreChunks: count)
    let first = Int(clamping: header.chunkCount.value)
    let chunks = first..<first + count
    let offset = layout.chunkOffset(first)
    try mapped.preallocate(offset..<offset + 8 << shift)
    try mapped.extend(to: layout.chunkOffset(chunks.upperBound))
    // Chunks that are not registered as a directory may hold pictures.
    let old = isDirectoryWhole ? directory : nil
    guard header.canAddDirectory(chunks) else {
      throw .tooLarge("grow", mapped.path)
    }
    header.isChanging.value = 1
    header.beginDirectory()
    _ = header.addDirectory(chunks)
    header.chunkCount.value = UInt64(chunks.upperBound)
    header.setDirectory(offset: offset, shift: shift)
    if let old {
      let start = old.start - mapped.start
      mapped.punchHole(start..<start + 8 << old.shift)
    }
  }

  /// Fills the directory again from the records.
  func rebuildDirectory() {
    guard let directory else { return }
    header.isChanging.value = 1
    header.beginDirectory()
    directory.clear()
    var published: UInt64 = 0
    var duplicates = TableSlots()
    forEachSlot { slot, record in
      guard TableRecord.State(bits: record.state.value).isPublished else { return }
      published += 1
      guard let bucket = directory.find(record.id, { isPublished($0, record.id) }) else {
        _ = directory.insert(record.id, slot)
        return
      }
      // A crash or damage left two slots with one id; one of them may be the durable picture.
      let other = Int(directory.bucket(bucket).relaxed & 0xFFFF_FFFF) - 2
      let isBetter = isBetter(slot, than: other)
      if isBetter { directory.replace(bucket, record.id, slot) }
      allocator.replaced(isBetter ? other : slot, &duplicates)
      published -= 1
    }
    header.publishedCount.value = published
    header.tombstoneCount.value = 0
    header.directoryEpoch.value = (header.directoryEpoch.value | 1) &+ 1
    header.isChanging.value = 0
  }

  /// Whether a slot is kept rather than `other` with the same id: the one that matches its
  /// checksum, then the one used last.
  private func isBetter(_ slot: Int, than other: Int) -> Bool {
    let (record, second) = (record(slot), record(other))
    let isRight = check(slot, record, TableRecord.State(bits: record.state.value))
    guard isRight else { return false }
    guard check(other, second, TableRecord.State(bits: second.state.value)) else { return true }
    return record.lastUse.relaxed > second.lastUse.relaxed
  }

  /// Whether the directory lies in chunks that are registered for it.
  var isDirectoryWhole: Bool {
    guard let directory else { return false }
    let offset = directory.start - mapped.start
    return header.directoryChunks.contains { chunks in
      layout.chunkOffset(chunks.lowerBound) == offset
        && 8 << directory.shift <= chunks.count * layout.chunkByteCount
        && chunks.upperBound <= Int(clamping: header.chunkCount.value)
    }
  }
}
