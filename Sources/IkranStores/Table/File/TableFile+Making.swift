import IkranPixels

extension TableFile {
  /// Opens a table's file, made first when it is missing or may be replaced.
  static func opened(
    _ path: String,
    _ format: TableFormat,
    _ layout: TableLayout,
    limit: Int,
    mayMake: Bool
  ) throws(TableError) -> TableFile {
    for attempt in 0..<16 {
      let opened: Opened
      do throws(TableError) {
        opened = try open(path, layout, slots: limit)
      } catch {
        guard mayMake, case .system(let reason) = error, reason.isMissing else { throw error }
        // Somebody may have removed the folder, too.
        do throws(SystemError) { try Files.createDirectories(Files.parent(of: path)) } catch {
          throw TableError(error)
        }
        try publish(make(beside: path, format, layout, limit: limit), as: path)
        continue
      }
      switch opened {
      case .file(let file): return file
      case .replaced where attempt < 8: continue
      case .outgrown: continue
      case .crowded: throw .tooManyProcesses(path: path)
      case .other(.notATable): throw .notATable(path: path)
      case .other, .replaced:
        // A file that calls itself replaced and yet has its name for so long is damaged.
        let reason = TableHeader.Verdict.damaged("it says that it was replaced")
        let verdict = if case .other(let verdict) = opened { verdict } else { reason }
        guard mayMake else { throw error(verdict, path) }
        try replaceUnfit(path, format, layout, limit: limit)
      }
    }
    throw .replacedTooOften(path)
  }

  /// The format that a table's file was used with last.
  static func format(of path: String) throws(TableError) -> (TableFormat, TableLayout) {
    var verdict = TableHeader.Verdict.notATable
    let mapped: MappedFile?
    do throws(SystemError) {
      mapped = try MappedFile.open(path, beginning: 512) { beginning, status in
        verdict = TableHeader.verdict(beginning, fileByteCount: status.byteCount)
        return (TableLayout.headerByteCount, TableLayout.headerByteCount)
      }
    } catch {
      throw error.code == 22 ? .notATable(path: path) : TableError(error)
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

  /// Makes an empty table under a name of its own, in the folder of `path`; returns that name.
  static func make(
    beside path: String,
    _ format: TableFormat,
    _ layout: TableLayout,
    limit: Int
  ) throws(TableError) -> String {
    let temporary = "\(path).\(String(UInt64.random(in: 0 ... .max), radix: 16)).new"
    do throws(SystemError) {
      removeAbandoned(beside: path)
      // It grows with the entries: neither a limit that means “no limit” nor entries that the disk
      // has no room for need places yet.
      let room = Files.freeByteCount(at: Files.parent(of: path)) / layout.slotByteCount
      let shift = TableLayout.directoryShift(entries: min(limit, 1 << 16, room))
      let places = TableLayout.headerByteCount + 8 << shift
      let end = layout.chunkOffset(layout.chunkCount(directoryShift: shift))
      let mapped = try MappedFile.open(temporary, creating: format.access.rawValue) { _, _ in
        (end, end)
      }
      guard let mapped else { return temporary }
      do throws(SystemError) {
        try mapped.reserve(0..<places)
        try mapped.extend(to: end)
      } catch {
        _ = try? Files.remove(temporary)
        throw error
      }
      let header = TableHeader(start: mapped.start)
      header.initialize(layout, directoryShift: shift)
      header.note(format)
      return temporary
    } catch {
      throw TableError(error)
    }
  }

  /// Gives a new table its name; if somebody was faster, theirs stays.
  private static func publish(_ temporary: String, as path: String) throws(TableError) {
    do throws(SystemError) {
      try Files.renameUnlessThere(temporary, to: path)
    } catch {
      _ = try? Files.remove(temporary)
      throw TableError(error)
    }
  }

  /// Puts an empty table in the place of a file that is not fit; if somebody was faster, theirs stays.
  ///
  /// Whoever replaces a file holds its writer's lock, and looks whether it still has its name.
  private static func replaceUnfit(
    _ path: String,
    _ format: TableFormat,
    _ layout: TableLayout,
    limit: Int
  ) throws(TableError) {
    let unfit: MappedFile?
    do throws(SystemError) { unfit = try lockedUnfit(path, layout) } catch {
      throw TableError(error)
    }
    guard let unfit else { return }
    defer { unfit.unlock(TableHeader.writerLock) }
    let temporary = try make(beside: path, format, layout, limit: limit)
    do throws(SystemError) { try Files.rename(temporary, to: path) } catch {
      _ = try? Files.remove(temporary)
      throw TableError(error)
    }
  }

  /// The unfit file of a name, with its writer's lock held; nil when it is fit or has lost the name.
  private static func lockedUnfit(
    _ path: String,
    _ layout: TableLayout
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
      // Something else has the name now, or nothing.
      if error.isMissing || error.code == 22 { return nil }
      throw error
    }
    guard let mapped else { return nil }
    try mapped.lock(TableHeader.writerLock)
    let isFit = verdict == .table(layout) && TableHeader(start: mapped.start).isReplaced.value == 0
    if !isFit, try mapped.status().identity == Files.identity(path) { return mapped }
    mapped.unlock(TableHeader.writerLock)
    return nil
  }

  /// Removes what a process left that died while it made a new table.
  private static func removeAbandoned(beside path: String) {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let folder = Files.parent(of: path)
    for other in (try? Files.list(folder)) ?? [] {
      guard other.hasPrefix("\(name)."), other.hasSuffix(".new") else { continue }
      if Files.age("\(folder)/\(other)") ?? 0 > 60 { _ = try? Files.remove("\(folder)/\(other)") }
    }
  }
}
