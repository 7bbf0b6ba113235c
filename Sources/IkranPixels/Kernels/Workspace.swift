import CIkranKernels

/// Working memory, filter weights and edge masks, kept from one render to the next.
///
/// Give each worker thread one and pass it to everything that thread renders: the second image of
/// a size then allocates nothing but its result. A workspace keeps at most some twelve megabytes
/// and must not be used by two threads at once.
public final class Workspace {
  /// Whether the processor's wide instructions are used; the bytes are the same either way.
  package var usesSIMD = ikran_has_simd()
  /// What a codec keeps from one picture to the next; its type says whose it is.
  package var codecMemory: AnyObject?
  private var weights = RecentValues<AxisKey, AxisWeights>(byteLimit: 4 << 20)
  private var masks = RecentValues<EdgeShape, EdgeMask>(byteLimit: 4 << 20)
  private var scratch: ScratchMemory?

  /// Creates an empty workspace; it fills as it is used.
  public init() {}

  func weights(for key: AxisKey) -> AxisWeights {
    weights.value(for: key, cost: \.byteCount) { AxisWeights(key) }
  }

  func mask(for shape: EdgeShape) -> EdgeMask {
    masks.value(for: shape, cost: \.byteCount) { EdgeMask(shape) }
  }

  /// Hands out working memory; two renders at a time never share any.
  func takeScratch(byteCount: Int) throws(BitmapError) -> ScratchMemory {
    if let kept = scratch, kept.byteCount >= byteCount {
      scratch = nil
      return kept
    }
    return try ScratchMemory(byteCount: byteCount)
  }

  /// Keeps working memory for the next render unless it is large.
  func give(back memory: ScratchMemory) {
    guard memory.byteCount <= 4 << 20, memory.byteCount > scratch?.byteCount ?? 0 else { return }
    scratch = memory
  }
}

/// The most recently used values, bounded in number and bytes.
private struct RecentValues<Key: Hashable, Value> {
  private var entries: [(key: Key, value: Value, cost: Int)] = []
  private var bytes = 0
  private let byteLimit: Int

  init(byteLimit: Int) { self.byteLimit = byteLimit }

  mutating func value(for key: Key, cost: (Value) -> Int, make: () -> Value) -> Value {
    // Oldest first; a render asks for the newest, so the search starts there.
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
