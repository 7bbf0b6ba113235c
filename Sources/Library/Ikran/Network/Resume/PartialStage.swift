import IkranStores
import IkranTransport

/// Broken-off bodies as the downloads see them: off Swift's threads, and skipped when they fail.
///
/// Each job that changes something holds the stage: what was asked for is done even when the
/// pipeline is gone.
final class PartialStage: Sendable {
  private let bodies: PartialBodies
  private let minimumBytes: Int
  private let counters: PipelineCounters
  /// Counts what waits to be written.
  private let backlog: Backlog
  /// One thread: what is asked for is done in order.
  let pool = ThreadPool(name: "ikran-partial", threads: 1)
  /// Stops the thread; nil where there is no folder.
  let suspension: Suspension?
  /// The names of what is kept, once the folder has been looked at: most downloads have nothing to
  /// resume and should not wait for a disk to learn that.
  private let known = Guarded<Set<String>?>(nil)

  init(
    _ options: ResumptionOptions,
    directory: String?,
    in context: StageContext
  ) {
    minimumBytes = options.minimumBytes
    (counters, backlog) = (context.counters, context.backlog)
    suspension = directory.map { [pool] _ in Suspension(writing: [pool]) }
    bodies = PartialBodies(
      directory: directory,
      byteLimit: options.byteLimit ?? 256 << 20,
      maximumAge: Int(clamping: options.maximumAge.components.seconds),
      now: { Int(context.clock.now() / 1_000_000) }
    )
  }

  /// Whether anything is kept.
  var isOn: Bool { minimumBytes < .max }

  /// Finds what there is to resume of a source.
  func body(for source: String) async -> PartialBody? {
    guard isOn else { return nil }
    let name = PartialBodies.name(of: source)
    if let names = known.withLock({ $0 }), !names.contains(name) { return nil }
    // Only cancellation throws, and then nothing is fetched.
    let found = try? await pool.perform { [self] () -> PartialBody? in
      let names = known.withLock { $0 } ?? bodies.names
      known.withLock { $0 = names.union($0 ?? []) }
      return storedBody(for: source)
    }
    return found ?? nil
  }

  /// Reads what there is to resume of a source on the caller's thread, which waits for the disk.
  func storedBody(for source: String) -> PartialBody? {
    guard isOn else { return nil }
    // A checksum finds accidents only: another program may write any validator.
    return bodies.body(for: source).flatMap { body in
      HeaderField("If-Range", body.validator).canBeSent ? body : nil
    }
  }

  /// Keeps what arrived of a source's body before it broke off, unless that is too little to gain
  /// anything.
  func keepBrokenOff(
    _ partial: PartialBody,
    for source: String,
    while mayKeep: @escaping @Sendable () -> Bool,
    onKept: @escaping @Sendable () -> Void
  ) {
    guard partial.bytes.count >= minimumBytes else { return }
    keep(partial, for: source, while: mayKeep, onKept: onKept)
  }

  /// Keeps the beginning of a source's body, however short, unless too much waits to be written.
  ///
  /// - Parameters:
  ///   - partial: The beginning.
  ///   - source: Its source.
  ///   - mayKeep: Whether nothing was removed since it was sent, when its turn comes.
  ///   - onKept: Called when it is there.
  func keep(
    _ partial: PartialBody,
    for source: String,
    while mayKeep: @escaping @Sendable () -> Bool,
    onKept: @escaping @Sendable () -> Void = {}
  ) {
    guard backlog.add(partial.bytes.count) else { return }
    insertKnown(PartialBodies.name(of: source))
    pool.later { [self] in
      defer { backlog.remove(partial.bytes.count) }
      // A removal is noted before it is queued here: no later one undoes what is written now.
      guard mayKeep() else { return }
      do throws(DiskCacheError) {
        try bodies.keep(partial, for: source)
        onKept()
      } catch {
        counters.count(.diskFailed("\(error)"))
      }
    }
  }

  /// Forgets what was kept of a source: it arrived, or is of no use.
  func remove(_ source: String) {
    known.withLock { _ = $0?.remove(PartialBodies.name(of: source)) }
    pool.later { [self] in bodies.remove(source) }
  }

  /// Forgets everything that was kept.
  func removeAll() {
    known.withLock { $0?.removeAll() }
    pool.later { [self] in bodies.removeAll() }
  }

  /// The statistics of memory, where there is no folder.
  var memoryStatistics: PartialStatistics { bodies.memoryStatistics }

  /// Drops the oldest of what memory holds, also what is on its way there, until no more than so
  /// many bytes are left; a folder stays as it is.
  func trimMemory(toBytes bytes: Int) {
    bodies.trimMemory(toBytes: bytes)
    if pool.hasStarted { pool.later { [bodies] in bodies.trimMemory(toBytes: bytes) } }
  }

  /// Whether memory may hold a quarter of its limit only.
  var isInBackground: Bool {
    get { bodies.isInBackground }
    set { bodies.isInBackground = newValue }
  }

  /// The statistics of the folder, once what was asked for so far is done.
  func statistics() async -> PartialStatistics {
    await afterWriting { [bodies] in bodies.statistics } ?? PartialStatistics()
  }

  /// Does `work` on the stage's thread once what was asked for so far is done; nil when the task is
  /// cancelled.
  func afterWriting<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value? {
    // Only cancellation throws.
    try? await pool.perform(work)
  }

  /// Returns when all that was asked for is done; at once when the task is cancelled.
  func finishWriting() async {
    guard pool.hasStarted else { return }
    try? await pool.perform {}
  }

  /// Reads the key of a folder on the stage's thread, so that none that moves bytes waits for the
  /// disk.
  func load(_ secret: FolderSecret) async {
    guard !secret.isLoaded else { return }
    // Only cancellation throws, and then nothing is stored.
    try? await pool.perform { secret.load() }
  }

  private func insertKnown(_ name: String) {
    // Before the folder was looked at, everything counts as known.
    known.withLock { _ = $0?.insert(name) }
  }
}
