import Synchronization
import IkranSystem

/// Opens a table's file for this process, and creates it or replaces it when it is missing or
/// invalid.
///
/// Invariants: the opening lock is held from the time when the file is seen to have its name until
/// this process has a number and, if it is the first, has begun a session: exactly one process
/// finds that it is alone. A process replaces a file only with the lock of that file held, and
/// after it has seen that it still has its name. A new file gets its name when it is complete.
enum TableOpening {
  /// The result of opening a file.
  enum Opened {
    case file(TableFile)
    case other(TableHeader.Verdict)
    /// Another file replaced it while it was being opened.
    case replaced
    /// It grew beyond the mapping while it was being opened.
    case needsRemap
    /// As many processes as possible have it open.
    case tooManyProcesses
  }

  /// Opens a file that holds a table of this layout, or of any layout when there is none given.
  ///
  /// - Throws: ``TableError``; when another process holds the writer's lock until the deadline.
  static func open(
    _ path: String,
    _ expected: TableLayout?,
    slots: Int,
    until deadline: ContinuousClock.Instant? = nil
  ) throws(TableError) -> Opened {
    var verdict = TableHeader.Verdict.notATable
    var found: OpenedHeader?
    var file: TableFile?
    let page = TableLayout.headerByteCount
    do throws(SystemError) {
      let mapped = try MappedFile.open(path, beginning: page) { beginning, status in
        verdict = TableHeader.verdict(beginning, fileByteCount: status.byteCount)
        guard case .table(let layout) = verdict, layout == expected ?? layout else { return nil }
        found = OpenedHeader(layout, beginning, status)
        file = known(status, wanted: wanted(layout, slots: slots))
        guard file == nil else { return nil }
        return addresses(layout, slots: slots, fileByteCount: status.byteCount)
      }
      if let file, file.layout == found?.layout { return .file(file) }
      guard let mapped, let found else { return .other(verdict) }
      return try join(mapped, found, wanted: wanted(found.layout, slots: slots), until: deadline)
    } catch {
      if error.isReadOnly, let opened = openReadOnly(path, expected) { return opened }
      if error.isInvalid { return .other(.notATable) }
      throw TableError(error)
    }
  }

  /// Opens a file that this process may not write; nil if it may not read it either.
  ///
  /// It registers no process, takes no lock and changes nothing: the file gives copies of pictures.
  private static func openReadOnly(_ path: String, _ expected: TableLayout?) -> Opened? {
    var layout: TableLayout?
    let opened = try? MappedFile.open(path, isWritable: false, beginning: 512) { start, status in
      let verdict = TableHeader.verdict(start, fileByteCount: status.byteCount)
      guard case .table(let found) = verdict, found == expected ?? found else { return nil }
      layout = found
      return addresses(found, slots: 1, fileByteCount: status.byteCount)
    }
    // The first error is the one to report.
    guard let mapped = opened ?? nil, let layout, let status = try? mapped.status() else {
      return nil
    }
    guard TableHeader(start: mapped.start).isReplaced.value == 0 else { return .replaced }
    let file = try? TableFile(
      mapped,
      status.identity,
      layout,
      process: 0,
      lock: nil,
      wanted: mapped.capacity
    )
    return file.map { .file($0) }
  }

  /// The file if this process already has it open, unless it was replaced or its mapping is too
  /// small for this many slots.
  private static func known(_ status: MappedFile.Status, wanted: Int) -> TableFile? {
    guard let file = TableFile.files.withLock({ $0[status.identity]?.file }),
      !file.mustReopen, !file.lacksAddresses.load(ordering: .relaxed),
      status.byteCount <= file.mapped.capacity
    else { return nil }
    // A mapping that came out smaller than wanted is not tried again before it is needed.
    return wanted <= max(file.wanted, file.mapped.capacity) ? file : nil
  }

  /// The addresses to request: for all that the limit allows and twice the file's present length;
  /// at least for the present length and a larger directory.
  static func addresses(
    _ layout: TableLayout,
    slots: Int,
    fileByteCount: Int
  ) -> (wanted: Int, minimum: Int) {
    // A sparse file may have any length; more than this cannot be mapped anyway.
    let length = min(fileByteCount, 1 << 61)
    let minimum = length + length / 64 + 64 * layout.chunkByteCount
    return (paged(max(wanted(layout, slots: slots), minimum + length)), paged(minimum))
  }

  /// Eight times the slots of the limit, at least 1 GiB, at most 1 TiB.
  private static func wanted(_ layout: TableLayout, slots: Int) -> Int {
    let (bytes, overflow) = layout.slotByteCount.multipliedReportingOverflow(by: slots)
    return overflow ? 1 << 40 : min(1 << 37, max(1 << 27, bytes)) * 8
  }

  private static func paged(_ byteCount: Int) -> Int {
    (byteCount + TableLayout.pageByteCount - 1) & ~(TableLayout.pageByteCount - 1)
  }

  /// What the first page says before the opening lock is held.
  ///
  /// It is read by a system call, so that a store is what touches the page of the mapping first: a
  /// load would be one more page fault.
  private struct OpenedHeader {
    let layout: TableLayout
    /// Whether the file was used in this boot: then the page has its disk space, unless the disk
    /// was away.
    let isAllocated: Bool
    let isReplaced: Bool
    /// The bits of processes, one of which may have closed the file since, or opened it.
    let processes: UInt64

    init(_ layout: TableLayout, _ page: UnsafeRawBufferPointer, _ status: MappedFile.Status) {
      self.layout = layout
      guard let start = page.baseAddress, page.count == TableLayout.headerByteCount else {
        (isAllocated, isReplaced, processes) = (false, false, 0)
        return
      }
      let header = TableHeader(start: UnsafeMutableRawPointer(mutating: start))
      isAllocated = header.lastShutdown(status, isKept: true) != .unknown
      isReplaced = header.isReplaced.value != 0
      processes = header.processes.value
    }
  }

  /// Registers this process as a user of the file.
  private static func join(
    _ mapped: MappedFile,
    _ found: OpenedHeader,
    wanted: Int,
    until deadline: ContinuousClock.Instant?
  ) throws(SystemError) -> Opened {
    let header = TableHeader(start: mapped.start)
    try mapped.lock(TableHeader.openingLock, until: deadline)
    defer { mapped.unlock(TableHeader.openingLock) }
    let isAlone = !mapped.isLockedElsewhere(TableHeader.processLocks)
    // The file may have been replaced since it was opened, or cut off.
    let status = try mapped.status()
    guard status.hasName, status.byteCount >= TableLayout.headerByteCount else { return .replaced }
    guard !mapped.lacksRoom else { throw .noRoom("open", mapped.path) }
    let isKept = mapped.isKept
    if !found.isAllocated || !isKept { try TableFile.prepareHeader(mapped, status) }
    if found.isReplaced, !isCurrent(mapped, status, isKept: isKept) { return .replaced }
    guard let number = try claim(mapped, found.processes) else { return .tooManyProcesses }
    let lock = TableLock(mapped, process: number)
    guard isCurrent(mapped, status, isKept: isKept) else { return .replaced }
    if isAlone { lock.takeOver() } else { try lock.lock(until: deadline) }
    defer { lock.unlock() }
    // Before it had the lock, other processes may have made the file larger. If it is alone, those
    // that might have done so had ended before its length was read.
    let present = isAlone ? status : try mapped.status()
    guard present.byteCount <= mapped.capacity else { return .needsRemap }
    let process: UInt64 = 1 << UInt64(number)
    let isInherited = header.processes.value & process != 0
    var needsRecovery = header.isChanging.value != 0
    var isUnknown = false
    if isAlone {
      let lastShutdown = header.lastShutdown(status, isKept: isKept)
      if !isKept { header.forgetLostWrites() }
      if lastShutdown != .clean { header.beginSession() }
      isUnknown = lastShutdown == .unknown
      header.beginUse(status)
    }
    let file = try TableFile(
      mapped,
      status.identity,
      found.layout,
      process: process,
      lock: lock,
      wanted: wanted
    )
    file.noteFileLength(present.byteCount)
    let recovery = file.recovery
    // Look-ups rely on the directory lying inside the file.
    if isUnknown { try recovery.allocateHoles() }
    if recovery.dropsMissingChunks(present) || !file.isDirectoryWhole || isUnknown {
      needsRecovery = true
    }
    // After a power loss the first page may be older than the records: any bit of a dead process
    // may be in them, also the one that is now this process's own.
    if isInherited || isUnknown { recovery.clearHolders(isAlone ? .max : process) }
    let clearsAll = isAlone && (isInherited || isUnknown)
    header.processes.value = clearsAll ? process : header.processes.value | process
    if needsRecovery { try recovery.recover(lostPower: isUnknown) }
    // Not earlier: a process that dies while it recovers leaves the rest to the next one.
    if isUnknown { mapped.markAsKept() }
    // Nor this: leaving a file releases its locks, which a recovery needs to its end.
    OpenTableFiles.add(file)
    TableFile.files.withLock { $0[status.identity] = TableFile.WeakReference(file) }
    return .file(file)
  }

  /// Whether no other file has replaced this one; with the writer's lock held.
  private static func isCurrent(
    _ mapped: MappedFile,
    _ status: MappedFile.Status,
    isKept: Bool
  ) -> Bool {
    let header = TableHeader(start: mapped.start)
    guard header.isReplaced.value != 0 else { return true }
    // A file loses its name before it is marked. It has it again when a power loss undid the
    // rename.
    guard header.lastShutdown(status, isKept: isKept) == .unknown,
      Files.identity(mapped.path) == status.identity,
      !mapped.isLockedElsewhere(TableHeader.processLocks)
    else { return false }
    header.isReplaced.value = 0
    return true
  }

  /// Claims a process number that no living process has; nil when there is none left.
  private static func claim(
    _ mapped: MappedFile,
    _ used: UInt64
  ) throws(SystemError) -> Int? {
    // A number whose bit is set belonged to a process that died, and records may still have its
    // bit: these numbers are tried last.
    for isUsed in [false, true] {
      for number in 0..<TableHeader.processCount
      where used >> UInt64(number) & 1 == (isUsed ? 1 : 0) {
        if try mapped.tryLock(TableHeader.processLocks.lowerBound + number) { return number }
      }
    }
    return nil
  }
}
