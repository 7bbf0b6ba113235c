import IkranPixels
import IkranStores
import Synchronization

// Decision 13: what tables keep, under one limit.
/// The image tables as the pipeline sees them: made on demand, kept open, skipped when they fail.
///
/// Looking up is synchronous and takes a lock for a moment. Everything that writes is done
/// after the caller has gone on, on one thread, in the order it was asked for.
///
/// The id of a table's entry is the styled key's, its version the id of the bytes that the image
/// was made from.
final class TableStage: Sendable {
  /// The state of one table.
  enum TableState {
    case open(ImageTable, lastUse: UInt64, isForWriting: Bool)
    /// There was no file that could be read when it was looked for.
    case missing
    /// Images of this kind are stored elsewhere or nowhere.
    case unused
    /// It failed and is not tried again.
    case failed
  }

  struct State {
    var tables: [TableKey: TableState] = [:]
    var uses: UInt64 = 0
    /// Bytes put since the limit was last looked at.
    var uncheckedBytes = Int.max
  }

  let directory: String
  let options: TableOptions
  let choice: TableChoice
  /// Whether first frames of animations are served as stills.
  private let showsFirstFrames: Bool
  let state = Guarded(State())
  private let hitCount = Atomic(0)
  private let counters: PipelineCounters
  /// Counts what waits to be written.
  private let backlog: Backlog
  /// Each job holds the stage: what was asked for is done even when the pipeline is gone.
  private let pool = ThreadPool(name: "ikran-table", threads: 1)
  let suspension: Suspension
  /// Whether tables stay closed, as the pipeline is suspended.
  let isClosed = Atomic(false)
  /// Look-ups that are about to open a table.
  let openings = Atomic(0)

  init(
    _ directory: String,
    options: TableOptions,
    showsFirstFrames: Bool = false,
    in context: StageContext
  ) {
    self.showsFirstFrames = showsFirstFrames
    (counters, backlog) = (context.counters, context.backlog)
    // A relative folder stays where it is when the program goes elsewhere; an error shows later.
    self.directory = (try? Files.absolute(directory)) ?? directory
    self.options = options
    choice = TableChoice(options)
    suspension = Suspension(writing: [pool])
  }

  /// Requests that a table served.
  var hits: Int { hitCount.load(ordering: .relaxed) }

  /// The image of a styled key that was made from the bytes `version`, or nil.
  ///
  /// Where only first frames are shown, one of those will do. It never waits for a writer. Its
  /// pixels are the file's own pages. The memory cache does not get it: finding it here again is as
  /// fast.
  func image(for key: StyledKey, size: PixelSize, version: BodyID) -> Bitmap? {
    let opaque = readable(TableKey(size: size, hasAlpha: false))
    let alpha = readable(TableKey(size: size, hasAlpha: true))
    guard opaque != nil || alpha != nil else { return nil }
    let id = key.id
    let stored = { opaque?.get(id, version: $0) ?? alpha?.get(id, version: $0) }
    guard let image = stored(version) ?? (showsFirstFrame(key) ? stored(version.ofFirstFrame) : nil)
    else { return nil }
    hitCount.wrappingAdd(1, ordering: .relaxed)
    return image
  }

  private func showsFirstFrame(_ key: StyledKey) -> Bool {
    showsFirstFrames || key.isOfFirstPicture
  }

  /// Whether there is an image of a styled key that was made from the bytes `version`.
  func contains(_ key: StyledKey, size: PixelSize, version: BodyID) -> Bool {
    let versions = showsFirstFrame(key) ? [version, version.ofFirstFrame] : [version]
    return [false, true].contains { hasAlpha in
      guard let table = readable(TableKey(size: size, hasAlpha: hasAlpha)) else { return false }
      return versions.contains { table.contains(key.id, version: $0) }
    }
  }

  /// Stores an image after the caller has gone on, unless too much waits to be written, or it is
  /// not wanted any more when its turn comes.
  ///
  /// - Returns: Whether there is a table for it.
  @discardableResult
  func store(
    _ image: Bitmap,
    for key: StyledKey,
    version: BodyID,
    if isWanted: @escaping @Sendable () -> Bool = { true }
  ) -> Bool {
    guard let table = choice.key(image.size, hasAlpha: image.format.hasAlpha) else { return false }
    // It can be made again.
    guard backlog.add(image.byteCount) else { return true }
    pool.later { [self] in
      if isWanted() { put(image, for: key, version: version, in: table) }
      backlog.remove(image.byteCount)
    }
    return true
  }

  /// Removes an image, after the caller has gone on.
  func remove(_ key: StyledKey, size: PixelSize) {
    pool.later { [self] in
      for hasAlpha in [false, true] {
        guard let table = readable(TableKey(size: size, hasAlpha: hasAlpha)) else { continue }
        do throws(TableError) { try table.remove(key.id) } catch { report(error) }
      }
    }
  }

  /// Counts what every table of the folder holds, once what was asked for so far is done.
  func usage() async -> PipelineUsage.Stage {
    let usage = try? await pool.perform { [self] in
      let sum = Guarded(PipelineUsage.Stage())
      forEachTable { table in
        let statistics = table.statistics
        sum.withLock { sum in
          sum.count += statistics.count
          sum.bytes += statistics.byteCount
        }
      }
      return sum.withLock { $0 }
    }
    // Only cancellation throws.
    return usage ?? PipelineUsage.Stage()
  }

  /// Empties every table of the folder, after the caller has gone on.
  func removeAll() {
    pool.later { [self] in forEachTable { table throws(TableError) in try table.reset() } }
  }

  /// Returns when everything asked for so far is done; at once when the task is cancelled.
  func finishWriting() async {
    guard pool.hasStarted else { return }
    // Only cancellation throws, and then no caller waits.
    try? await pool.perform {}
  }

  func report(_ error: TableError) { counters.count(.tableFailed("\(error)")) }
}

// MARK: - On the writing thread

extension TableStage {
  private func put(
    _ image: Bitmap,
    for key: StyledKey,
    version: BodyID,
    in tableKey: TableKey
  ) {
    guard let table = writable(tableKey) else { return }
    do throws(TableError) {
      try table.put(key.id, version: version, image)
      // The same source may have had alpha before, or none.
      let other = TableKey(size: tableKey.size, hasAlpha: !tableKey.hasAlpha)
      if let other = readable(other), other.contains(key.id) { try other.remove(key.id) }
    } catch {
      report(error)
    }
    keepLimit(adding: table.slotByteCount)
  }

  /// Does `work` with every table in the folder, those of other formats too; one that fails is not
  /// used again.
  private func forEachTable(_ work: (ImageTable) throws(TableError) -> Void) {
    let open = openTables()
    for (key, table) in open {
      do throws(TableError) { try work(table) } catch {
        report(error)
        state.withLock { $0.tables[key] = .failed }
      }
    }
    for path in otherPaths(than: open) {
      do throws(TableError) { try work(ImageTable(opening: path)) } catch {
        // No lookup finds anything in a file that this version cannot read.
        if error.isAboutTheFile { continue }
        report(error)
      }
    }
  }

  /// The folder's tables that this process has not open.
  func otherPaths(than open: [TableKey: ImageTable]) -> [String] {
    let ours = Set(open.values.map(\.path))
    return TableFolder(directory).paths.filter { !ours.contains($0) }
  }

  func openTables() -> [TableKey: ImageTable] {
    state.withLock { state in
      state.tables.compactMapValues { entry in
        guard case .open(let table, _, _) = entry else { return nil }
        return table
      }
    }
  }
}

extension TableError {
  /// Whether the file is no table that this version can read.
  var isAboutTheFile: Bool {
    switch self {
    case .notATable, .otherVersion, .damaged: true
    default: false
    }
  }
}

// MARK: - Opening: existing ones for reading, those of the options for writing

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
    return whileOpen {
      let found = lookUp(key)
      return state.withLock { $0.enter(found, for: key) }
    }
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
