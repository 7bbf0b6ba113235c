import IkranPixels
import IkranSystem

extension TableOpening {
  /// Opens a table's file; creates it when it is missing or may be replaced.
  static func opened(
    _ path: String,
    _ format: TableFormat,
    _ layout: TableLayout,
    limit: Int,
    mayCreate: Bool,
    until deadline: ContinuousClock.Instant? = nil
  ) throws(TableError) -> TableFile {
    for attempt in 0..<16 {
      let opened: Opened
      do throws(TableError) {
        opened = try open(path, layout, slots: limit, until: deadline)
      } catch {
        guard mayCreate, case .system(let reason) = error, reason.isMissing else { throw error }
        // The folder may be missing too.
        do throws(SystemError) { try Files.createDirectories(Files.parent(of: path)) } catch {
          throw TableError(error)
        }
        try publish(create(nextTo: path, format, layout, limit: limit), as: path)
        continue
      }
      switch opened {
      case .file(let file): return file
      case .replaced where attempt < 8: continue
      case .needsRemap: continue
      case .tooManyProcesses: throw .tooManyProcesses(path: path)
      case .other(.notATable): throw .notATable(path: path)
      case .other, .replaced:
        // A file that is marked as replaced and still has its name after all attempts is damaged.
        let reason = TableHeader.Verdict.damaged("it says that it was replaced")
        let verdict = if case .other(let verdict) = opened { verdict } else { reason }
        guard mayCreate else { throw error(verdict, path) }
        try replaceInvalid(path, format, layout, limit: limit, until: deadline)
      }
    }
    throw .replacedTooOften(path)
  }

  /// The format that a table's file was last opened with.
  static func format(of path: String) throws(TableError) -> (TableFormat, TableLayout) {
    var verdict = TableHeader.Verdict.notATable
    let mapped: MappedFile?
    do throws(SystemError) {
      mapped = try MappedFile.open(path, isWritable: false, beginning: 512) { beginning, status in
        verdict = TableHeader.verdict(beginning, fileByteCount: status.byteCount)
        return (TableLayout.headerByteCount, TableLayout.headerByteCount)
      }
    } catch {
      throw error.isInvalid ? .notATable(path: path) : TableError(error)
    }
    guard case .table(let layout) = verdict, let mapped else { throw Self.error(verdict, path) }
    return (TableHeader(start: mapped.start).format(layout), layout)
  }

  private static func error(_ verdict: TableHeader.Verdict, _ path: String) -> TableError {
    switch verdict {
    case .table, .otherVersion: .otherVersion(path: path)
    case .damaged(let reason): .damaged(path: path, reason: reason)
    case .notATable: .notATable(path: path)
    }
  }

  /// Creates an empty table under a temporary name in the folder of `path`; returns that name.
  static func create(
    nextTo path: String,
    _ format: TableFormat,
    _ layout: TableLayout,
    limit: Int
  ) throws(TableError) -> String {
    let temporary = "\(path).\(String(UInt64.random(in: 0 ... .max), radix: 16)).new"
    do throws(SystemError) {
      removeAbandoned(nextTo: path)
      // The directory grows with the entries: it starts small for a huge limit, and has no buckets
      // for entries that would not fit on the disk.
      let room = Files.freeByteCount(at: Files.parent(of: path)) / layout.slotByteCount
      let shift = TableLayout.directoryShift(entries: min(limit, 1 << 16, room))
      let directoryEnd = TableLayout.headerByteCount + 8 << shift
      let end = layout.chunkOffset(layout.chunkCount(directoryShift: shift))
      let mapped = try MappedFile.open(temporary, creating: format.access.rawValue) { _, _ in
        (end, end)
      }
      guard let mapped else { return temporary }
      do throws(SystemError) {
        try mapped.preallocate(0..<directoryEnd)
        try mapped.extend(to: end)
      } catch {
        _ = try? Files.remove(temporary)
        throw error
      }
      let header = TableHeader(start: mapped.start)
      header.initialize(layout, directoryShift: shift)
      header.update(format: format)
      return temporary
    } catch {
      throw TableError(error)
    }
  }

  /// Gives a new table its name; if another process was faster, its table stays.
  private static func publish(_ temporary: String, as path: String) throws(TableError) {
    do throws(SystemError) {
      try Files.renameWithoutReplacing(temporary, to: path)
    } catch {
      _ = try? Files.remove(temporary)
      throw TableError(error)
    }
  }

  /// Replaces an invalid file by an empty table; if another process was faster, its table stays.
  ///
  /// A process that replaces a file holds its opening lock and checks that it still has its name.
  private static func replaceInvalid(
    _ path: String,
    _ format: TableFormat,
    _ layout: TableLayout,
    limit: Int,
    until deadline: ContinuousClock.Instant?
  ) throws(TableError) {
    let invalid: MappedFile?
    do throws(SystemError) { invalid = try lockedInvalidFile(path, layout, until: deadline) } catch
    {
      throw TableError(error)
    }
    guard let invalid else { return }
    defer { invalid.unlock(TableHeader.openingLock) }
    let temporary = try create(nextTo: path, format, layout, limit: limit)
    do throws(SystemError) { try Files.rename(temporary, to: path) } catch {
      _ = try? Files.remove(temporary)
      throw TableError(error)
    }
  }

  /// The invalid file of a name, with its opening lock held; nil when it is valid or was replaced.
  private static func lockedInvalidFile(
    _ path: String,
    _ layout: TableLayout,
    until deadline: ContinuousClock.Instant?
  ) throws(SystemError) -> MappedFile? {
    var verdict = TableHeader.Verdict.notATable
    let mapped: MappedFile?
    do throws(SystemError) {
      mapped = try MappedFile.open(path, beginning: 512) { beginning, status in
        verdict = TableHeader.verdict(beginning, fileByteCount: status.byteCount)
        guard verdict != .notATable else { return nil }
        return (TableLayout.headerByteCount, TableLayout.headerByteCount)
      }
    } catch {
      // The file is gone, or something that is no ordinary file has its name now.
      if error.isMissing || error.isInvalid { return nil }
      throw error
    }
    guard let mapped else { return nil }
    try mapped.lock(TableHeader.openingLock, until: deadline)
    let isValid =
      verdict == .table(layout) && TableHeader(start: mapped.start).isReplaced.value == 0
    if !isValid, try mapped.status().identity == Files.identity(path) { return mapped }
    mapped.unlock(TableHeader.openingLock)
    return nil
  }

  /// Removes the temporary files of processes that died while they created a table.
  private static func removeAbandoned(nextTo path: String) {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let folder = Files.parent(of: path)
    for other in (try? Files.list(folder)) ?? [] {
      guard other.hasPrefix("\(name)."), other.hasSuffix(".new") else { continue }
      if Files.age("\(folder)/\(other)") ?? 0 > 60 { _ = try? Files.remove("\(folder)/\(other)") }
    }
  }
}
