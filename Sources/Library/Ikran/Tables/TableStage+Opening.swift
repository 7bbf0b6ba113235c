import IkranPixels
import IkranStores

// Opening tables: existing ones for reading, those of the options for writing.

extension TableStage {
  /// The most tables kept open, and the most files made in one folder.
  static let maximumTables = 64

  /// A table to read from; nil when there is none.
  func readable(_ key: TableKey) -> ImageTable? {
    switch state.withLock({ $0.use(key) }) {
    case .open(let table, _, _): return table
    case .missing, .unused, .failed: return nil
    case nil: break
    }
    // Several threads may open it at once; the first to enter its table is followed by the rest.
    let found = lookUp(key)
    return state.withLock { $0.enter(found, for: key) }
  }

  private func lookUp(_ key: TableKey) -> TableState {
    guard choice.key(key.size, hasAlpha: key.hasAlpha) == key else { return .unused }
    let format = choice.format(of: key)
    let path = "\(directory)/\(format.fileName())"
    guard Files.exists(path) else { return .missing }
    do throws(TableError) {
      let table = try ImageTable(opening: path)
      let isSame = table.format.size == format.size && table.format.pixels == format.pixels
      return isSame ? .open(table, lastUse: 0, isForWriting: false) : .missing
    } catch {
      // It is replaced when there is something to write.
      if error.isAboutTheFile { return .missing }
      report(error)
      return .failed
    }
  }

  /// A table to write to, made when it is missing; called on the writing thread only.
  func writable(_ key: TableKey) -> ImageTable? {
    switch state.withLock({ $0.use(key) }) {
    case .unused, .failed: return nil
    case .open(let table, _, true) where Files.exists(table.path): return table
    case .open, .missing, nil: break
    }
    let format = choice.format(of: key)
    do throws(TableError) {
      let table = try open(format)
      state.withLock { $0.tables[key] = .open(table, lastUse: $0.nextUse(), isForWriting: true) }
      return table
    } catch {
      report(error)
      // A disk that is full now may have room later.
      if case .full = error { return nil }
      state.withLock { $0.tables[key] = .failed }
      return nil
    }
  }

  /// Opens or makes a table within what the others leave it.
  private func open(_ format: TableFormat) throws(TableError) -> ImageTable {
    do throws(SystemError) { try Files.createDirectories(directory) } catch {
      throw .system(error)
    }
    let path = "\(directory)/\(format.fileName())"
    let others = snapshot().filter { $0.path != path }
    if !Files.exists(path), others.count >= Self.maximumTables { removeOne(of: others) }
    // The forgotten ones go as soon as their room is needed.
    let rivals = others.filter { !$0.isForgotten }
    let used = rivals.reduce(0) { $0 + $1.bytes }
    let budget = TableBudget(limit: options.byteLimit, count: rivals.count + 1)
    return try ImageTable(
      at: directory,
      format: format.limited(to: budget.allowance(others: used))
    )
  }
}

extension TableStage.State {
  /// The state of a table, which counts as used now.
  mutating func use(_ key: TableKey) -> TableStage.TableState? {
    guard case .open(let table, _, let isForWriting)? = tables[key] else { return tables[key] }
    let used = TableStage.TableState.open(table, lastUse: nextUse(), isForWriting: isForWriting)
    tables[key] = used
    return used
  }

  /// Enters what was found, unless another thread has found something.
  mutating func enter(_ found: TableStage.TableState, for key: TableKey) -> ImageTable? {
    if tables[key] == nil { makeRoom() }
    if tables[key] == nil { tables[key] = found }
    guard case .open(let table, _, _)? = use(key) else { return nil }
    return table
  }

  mutating func nextUse() -> UInt64 {
    uses += 1
    return uses
  }

  /// When each open table was last used.
  var lastUses: [TableKey: UInt64] {
    tables.compactMapValues { entry in
      guard case .open(_, let lastUse, _) = entry else { return nil }
      return lastUse
    }
  }

  /// Closes the table longest unused when many are open, and forgets tables that do not exist.
  private mutating func makeRoom() {
    let uses = lastUses
    if uses.count >= TableStage.maximumTables, let oldest = uses.min(by: { $0.value < $1.value }) {
      tables[oldest.key] = nil
    }
    guard tables.count > 4096 else { return }
    tables = tables.filter { if case .open = $0.value { true } else { false } }
  }
}

extension TableFormat {
  /// This format with a byte limit that is not above `bytes`.
  func limited(to bytes: Int) -> TableFormat {
    var format = self
    format.byteLimit = min(byteLimit ?? bytes, bytes)
    return format
  }
}
