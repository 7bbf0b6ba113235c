import CIkranKernels

/// Working memory, filter weights and edge masks, reused from one render to the next.
///
/// Use one per worker thread for everything that thread renders: the second image of a size then
/// allocates nothing but its result. A workspace stores at most about fifteen megabytes, and
/// the tables and pictures of its last filters; it must not be used by two threads at once.
public final class Workspace {
  /// Whether the processor's SIMD instructions are used; the bytes are the same either way.
  package var usesSIMD = ikran_has_simd()
  /// Memory that a codec reuses from one picture to the next, identified by its type.
  package var codecMemory: AnyObject?
  /// The last conversions of colours.
  package var colorMemory: AnyObject?
  /// Threads that may compute parts of a large picture; nil where this thread does everything.
  package let idleThreads: (any IdleThreads)?
  /// Tells a decoder in another process that its picture is not wanted any more.
  package var cancellation: (any DecodeCancellation)?
  /// How many passes filters have made over whole pictures.
  package var filterPasses = 0
  /// How many pictures filters of single pixels have copied; they change their own in place.
  package var filterPictures = 0
  /// The last chain of filters, which a whole animation uses.
  private var chain: (filters: [Filter], graph: FilterGraph)?
  private var weights = RecentValues<AxisKey, AxisWeights>(byteLimit: 4 << 20)
  private var masks = RecentValues<EdgeShape, EdgeMask>(byteLimit: 4 << 20)
  private var scratch: ScratchMemory?

  /// Creates an empty workspace; it fills as it is used.
  public init() { idleThreads = nil }

  /// Creates an empty workspace for a thread that others may work for.
  package init(idleThreads: (any IdleThreads)?) { self.idleThreads = idleThreads }

  func weights(for key: AxisKey) -> AxisWeights {
    weights.value(for: key, cost: \.byteCount) { AxisWeights(key) }
  }

  func mask(for shape: EdgeShape) -> EdgeMask {
    masks.value(for: shape, cost: \.byteCount) { EdgeMask(shape) }
  }

  /// The plan of a chain of filters.
  func graph(for filters: [Filter], scale: Double) throws(FilterError) -> FilterGraph {
    if let chain, chain.graph.scale == scale, chain.filters == filters { return chain.graph }
    let graph = try FilterGraph(filters, scale: scale)
    chain = (filters, graph)
    return graph
  }

  /// Takes working memory; two renders never share it.
  func takeScratch(byteCount: Int) throws(BitmapError) -> ScratchMemory {
    if let kept = scratch, kept.byteCount >= byteCount {
      scratch = nil
      return kept
    }
    return try ScratchMemory(byteCount: byteCount)
  }

  /// Stores working memory for the next render unless it is large.
  func give(back memory: ScratchMemory) {
    guard memory.byteCount <= 4 << 20, memory.byteCount > scratch?.byteCount ?? 0 else { return }
    scratch = memory
  }
}

/// Ends a wait for pixels that are not wanted any more.
package protocol DecodeCancellation: AnyObject, Sendable {
  /// Has `action` called, on any thread, when the pixels are no longer wanted.
  ///
  /// - Returns: False when they are not wanted already; then it is never called.
  func onCancel(_ action: @escaping @Sendable () -> Void) -> Bool

  /// Whether the pixels are no longer wanted.
  var isCancelled: Bool { get }

  /// Calls nothing from now on, but for a call that is under way.
  func ignore()
}

/// Threads that prepare parts of a job for another thread while they have nothing else to do.
package protocol IdleThreads: Sendable {
  /// Whether a thread has nothing to do at this moment.
  var isAnyIdle: Bool { get }

  /// Begins to prepare the parts of a job.
  ///
  /// - Parameters:
  ///   - count: How many parts there are.
  ///   - ahead: How many parts there is memory for: the part `ahead` after another is begun when
  ///     the caller is done with that one.
  ///   - prepare: Prepares one part. It is called at most once for each number from 0, in order but
  ///     from several threads at once; it must not wait for another part.
  /// - Returns: The parts; nil when no thread is idle.
  func begin(
    _ count: Int,
    ahead: Int,
    _ prepare: @escaping @Sendable (Int) -> Void
  ) -> (any PartsAhead)?
}

/// The parts of one job, which a single thread takes in order.
package protocol PartsAhead {
  /// Returns when the next part is prepared; false after the last one.
  ///
  /// The memory of the part before is free then. Parts that no thread has begun are prepared here.
  func next() -> Bool
  /// Returns when no thread prepares a part any more; none is begun after that.
  func end()
}

/// The most recently used values, bounded in number and bytes.
private struct RecentValues<Key: Hashable, Value> {
  private var entries: [(key: Key, value: Value, cost: Int)] = []
  private var bytes = 0
  private let byteLimit: Int

  init(byteLimit: Int) { self.byteLimit = byteLimit }

  mutating func value(for key: Key, cost: (Value) -> Int, make: () -> Value) -> Value {
    // Oldest first; renders usually need the newest, so the search starts there.
    if let index = entries.lastIndex(where: { $0.key == key }) {
      if index != entries.count - 1 { entries.append(entries.remove(at: index)) }
      return entries[entries.count - 1].value
    }
    let value = make()
    let cost = cost(value)
    guard cost <= byteLimit else { return value }
    entries.append((key, value, cost))
    bytes += cost
    while bytes > byteLimit || entries.count > 32 { bytes -= entries.removeFirst().cost }
    return value
  }
}
