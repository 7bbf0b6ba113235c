import IkranSystem

// Unallocated parts of a file that another program made, with the writer's lock held.
//
// A store through the mapping into a hole needs disk space, and is a signal (`SIGBUS`) when there
// is none. A copy may have holes where the file had zeros, and any program may make the file
// longer.
extension TableRecovery {
  /// Allocates the holes of a file that was copied, or that a power loss left incomplete; drops
  /// chunks after holes that are larger than what the file stores.
  ///
  /// Afterwards every byte may be touched, but for the pictures of deallocated slots.
  ///
  /// - Throws: `SystemError`; `ENOSPC` when the disk has no space for the holes.
  func allocateHoles() throws(SystemError) {
    let status = try file.mapped.status()
    _ = dropsMissingChunks(status)
    // Without holes all blocks are stored.
    guard status.storedByteCount < status.byteCount else { return }
    try dropEmptyChunks()
    let parts = file.header.directoryChunks
    for chunk in 0..<file.slotEnd >> file.layout.slotShift {
      if parts.contains(where: { $0 ~= chunk }) { continue }
      try allocateHoles(ofChunk: chunk)
    }
    guard file.isDirectoryWhole, let directory = file.directory else { return }
    let start = directory.start - file.mapped.start
    try file.mapped.preallocate(start..<start + 8 << directory.shift)
  }

  private func allocateHoles(ofChunk chunk: Int) throws(SystemError) {
    let offset = file.layout.chunkOffset(chunk)
    // The records first: they say which slots are deallocated.
    try file.mapped.preallocate(offset..<offset + TableLayout.pageByteCount)
    var slots: [Int] = []
    file.forEachSlot(ofChunk: chunk) { slot, record in
      if TableRecord.State(bits: record.state.value).kind != .deallocated { slots.append(slot) }
    }
    if slots.count == file.layout.slotsPerChunk {
      return try file.mapped.preallocate(offset..<offset + file.layout.chunkByteCount)
    }
    for slot in slots {
      let picture = file.layout.pictureOffset(slot)
      try file.mapped.preallocate(picture..<picture + file.layout.slotByteCount)
    }
  }

  /// Forgets the chunks at the end that store nothing, and those after more empty chunks than a
  /// table has after a power loss.
  ///
  /// The time that opening takes, and the disk space that the holes get, are then bounded by what
  /// the file stores.
  private func dropEmptyChunks() throws(SystemError) {
    let count = file.slotEnd >> file.layout.slotShift
    var (end, stored, empty) = (0, 0, 0)
    while end < count, let bytes = try file.mapped.storedBytes(from: file.layout.chunkOffset(end)) {
      let first = chunk(of: bytes.lowerBound)
      let last = chunk(of: bytes.upperBound - 1)
      empty += first - end
      guard first < count, empty <= stored + Self.toleratedEmptyChunks else { break }
      stored += last - first + 1
      end = last + 1
    }
    // The directory of a table without entries is empty.
    if file.isDirectoryWhole, let directory = file.directory {
      let start = chunk(of: directory.start - file.mapped.start)
      let size = file.layout.chunkCount(directoryShift: directory.shift)
      if start <= end + Self.toleratedEmptyChunks { end = max(end, start + size) }
    }
    if end < count { file.header.dropChunks(from: end) }
  }

  private static let toleratedEmptyChunks = 16

  private func chunk(of offset: Int) -> Int {
    max(0, offset - TableLayout.headerByteCount) / file.layout.chunkByteCount
  }
}
