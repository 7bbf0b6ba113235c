import IkranPixels
import IkranStores
import Synchronization

/// The image tables as the pipeline sees them: made on demand, kept open, passed by when they fail.
///
/// Looking up is synchronous and takes a lock for a moment. Everything that writes is done behind
/// the caller, on one thread, in the order it was asked for.
final class TableStage: Sendable {
  /// What is known of one table.
  enum Place {
    case open(ImageTable, lastUse: UInt64, isOurs: Bool)
    /// There was no file that could be read when it was looked for.
    case missing
    /// Images of this kind are kept elsewhere or nowhere.
    case unused
    /// It failed and is not tried again.
    case failed
  }

  struct State {
    var places: [TableKey: Place] = [:]
    /// Sources whose older images are being removed, and how many times over.
    var outdated: [TableID: Int] = [:]
    var uses: UInt64 = 0
    /// Bytes put since the limit was last looked at.
    var uncheckedBytes = Int.max
  }

  /// The most bytes of images that may wait to be written.
  private static let pendingByteLimit = 64 << 20

  let directory: String
  let options: TableOptions
  let choice: TableChoice
  let state = Guarded(State())
  private let pendingBytes = Guarded(0)
  private let hitCount = Atomic(0)
  private let counters: PipelineCounters
  /// Each job holds the stage: what was asked for is done even when the pipeline is gone.
  private let lane = Lane(name: "ikran-table", threads: 1)

  init(_ directory: String, _ options: TableOptions, _ counters: PipelineCounters) {
    // A relative folder stays where it is when the program goes elsewhere; an error shows later.
    self.directory = (try? Files.absolute(directory)) ?? directory
    self.options = options
    self.counters = counters
    choice = TableChoice(options)
  }

  /// Requests that a table answered.
  var hits: Int { hitCount.load(ordering: .relaxed) }

  /// The image of a styled key, or nil; it never waits for a writer.
  func image(for key: StyledKey, size: PixelSize) -> Bitmap? {
    let opaque = TableKey(size: size, hasAlpha: false)
    let alpha = TableKey(size: size, hasAlpha: true)
    let tables = [readable(opaque), readable(alpha)]
    guard tables[0] != nil || tables[1] != nil else { return nil }
    let (id, source) = (key.id, TableID(key.source))
    guard !state.withLock({ $0.outdated[source] != nil }) else { return nil }
    for case .some(let table) in tables {
      guard let image = table.get(id, version: source) else { continue }
      hitCount.wrappingAdd(1, ordering: .relaxed)
      return image
    }
    return nil
  }

  /// Stores an image behind the caller, who waits only while too many bytes wait to be written.
  ///
  /// A cancelled caller returns at once; the image is stored all the same, unless it is no longer
  /// `wanted` when its turn comes.
  ///
  /// - Returns: Whether there is a table for it.
  @discardableResult
  func store(
    _ image: Bitmap,
    for key: StyledKey,
    if wanted: @escaping @Sendable () -> Bool
  ) async -> Bool {
    guard let place = choice.key(image.size, hasAlpha: image.format.hasAlpha) else { return false }
    let waiting = pendingBytes.withLock { bytes in
      bytes += image.byteCount
      return bytes
    }
    lane.later { [self] in
      if wanted() { put(image, key, in: place) }
      pendingBytes.withLock { $0 -= image.byteCount }
    }
    // Only cancellation throws. What waits before this one is written before it.
    if waiting > Self.pendingByteLimit { try? await lane.perform {} }
    return true
  }

  /// Begins a source's next edition: none of its images is found any more, and all are removed.
  func renew(_ source: String, _ begin: () -> Int) -> Int {
    let source = TableID(source)
    state.withLock { $0.outdated[source, default: 0] += 1 }
    let edition = begin()
    lane.later { [self] in
      forEachTable { table throws(TableError) in try table.removeAll(version: source) }
      state.withLock { state in
        let left = (state.outdated[source] ?? 1) - 1
        state.outdated[source] = left > 0 ? left : nil
      }
    }
    return edition
  }

  /// Empties every table of the folder, behind the caller.
  func removeAll() {
    lane.later { [self] in forEachTable { table throws(TableError) in try table.reset() } }
  }

  /// Returns when everything asked for so far is done; at once when the task is cancelled.
  func finishWriting() async {
    guard lane.hasStarted else { return }
    // Only cancellation throws, and then nobody waits.
    try? await lane.perform {}
  }

  func report(_ error: TableError) { counters.record(.tableFailed("\(error)")) }
}

// MARK: - On the writing thread

extension TableStage {
  private func put(_ image: Bitmap, _ key: StyledKey, in place: TableKey) {
    guard let table = writable(place) else { return }
    do throws(TableError) {
      try table.put(key.id, version: TableID(key.source), image)
      // The same source may have had alpha before, or none.
      let other = TableKey(size: place.size, hasAlpha: !place.hasAlpha)
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
        state.withLock { $0.places[key] = .failed }
      }
    }
    for path in otherPaths(than: open) {
      do throws(TableError) { try work(ImageTable(opening: path)) } catch {
        // What no version of ours can read, nobody finds anything in.
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
      state.places.compactMapValues { place in
        guard case .open(let table, _, _) = place else { return nil }
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
