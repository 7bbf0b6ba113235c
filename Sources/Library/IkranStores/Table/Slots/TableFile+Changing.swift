import Synchronization
import IkranSystem

// The critical sections of a table: all changes run in one.
extension TableFile {
  /// When a change makes sure that the file still has its name, which another program may remove,
  /// and all its chunks, which another program may cut off.
  ///
  /// Programs that use the table do neither without a mark in the file.
  enum NameCheck {
    /// In the last 16 ms: a system call less for most puts.
    case recent
    /// Now.
    case now
    /// Now, and no other process opens or replaces it until the change is done.
    case locked
  }

  /// Runs a change with the writer's lock held.
  ///
  /// - Parameters:
  ///   - deadline: When to give up waiting for the lock; nil waits without limit.
  ///   - name: When it must be certain that the file still has its name.
  ///   - body: The change.
  /// - Returns: Nil when the change must be made in another file or with a larger mapping; `body`
  ///   has not run then, or has changed no entry.
  /// - Throws: ``TableError``.
  func change<R: Sendable>(
    until deadline: ContinuousClock.Instant? = nil,
    name: NameCheck = .now,
    _ body: (inout TableSlots) throws(TableError) -> R
  ) throws(TableError) -> R? {
    guard let lock else { throw .readOnly(path: mapped.path) }
    guard let deadline else {
      return try writer.withLock { (slots) throws(TableError) -> R? in
        guard !hasLeft else { return nil }
        if name != .recent { slots.nameCheck = nil }
        if name == .locked { return try replace(&slots, lock, body) }
        return try change(&slots, lock, until: nil, body)
      }
    }
    while true {
      let attempt = try writer.withLockIfAvailable { (slots) throws(TableError) -> R? in
        guard !hasLeft else { return nil }
        if name != .recent { slots.nameCheck = nil }
        return try change(&slots, lock, until: deadline, body)
      }
      if let attempt { return attempt }
      guard ContinuousClock.now < deadline else {
        throw .system(.tryAgain("lock", mapped.path))
      }
      BackgroundThread.pause()
    }
  }

  /// Runs a change with the opening lock held, too: no process opens or replaces the file until it
  /// is done.
  private func replace<R: Sendable>(
    _ slots: inout TableSlots,
    _ lock: TableLock,
    _ body: (inout TableSlots) throws(TableError) -> R
  ) throws(TableError) -> R? {
    do throws(SystemError) { try mapped.lock(TableHeader.openingLock) } catch {
      throw TableError(error)
    }
    defer { mapped.unlock(TableHeader.openingLock) }
    return try change(&slots, lock, until: nil, body)
  }

  private func change<R: Sendable>(
    _ slots: inout TableSlots,
    _ lock: TableLock,
    until deadline: ContinuousClock.Instant?,
    _ body: (inout TableSlots) throws(TableError) -> R
  ) throws(TableError) -> R? {
    // The lock is a word of the header.
    _ = try statusForChange(now: WallClock.coarseNanoseconds(), lastCheck: slots.nameCheck)
    do throws(SystemError) { try lock.lock(until: deadline) } catch { throw TableError(error) }
    defer { lock.unlock() }
    do throws(TableError) {
      living.forget()
      guard try isReady(&slots) else { return nil }
      defer { slots.chunkCount = header.chunkCount.value }
      return try body(&slots)
    } catch {
      if lacksAddresses.load(ordering: .relaxed) { return nil }
      throw error
    }
  }

  /// Whether this is the file to change, and all of it is mapped; recovers it first if needed.
  private func isReady(_ slots: inout TableSlots) throws(TableError) -> Bool {
    let now = WallClock.coarseNanoseconds()
    slots.begin(at: now)
    // While it waited for the lock another process may have replaced the file or made it larger.
    let status = try statusForChange(now: now, lastCheck: slots.nameCheck)
    do throws(SystemError) {
      // A process that has mapped only a part of the table would take that part for the whole.
      guard header.isReplaced.value == 0, status?.hasName ?? true, !needsRemap else { return false }
      if status != nil { slots.nameCheck = now }
      // Another process has dropped chunks that were cut off.
      if header.chunkCount.value < slots.chunkCount { slots.forget() }
      let isShorter = status.map(recovery.dropsMissingChunks) ?? false
      if isShorter || header.isChanging.value != 0 {
        // Another program has cut chunks off, or a process died in the middle of a change.
        slots.forget()
        try recovery.recover()
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
}
