// The limits of a memory cache; lowering one evicts at once.

extension MemoryCache {
  /// The largest sum of costs in bytes; lowering it evicts at once.
  ///
  /// Values that are already stored stay in their size class.
  public var byteLimit: Int {
    get { shared.read { state, _ in state.limits.bytes } }
    set { limit { $0.bytes = max(0, newValue) } }
  }

  /// The largest number of values; lowering it evicts at once.
  public var countLimit: Int {
    get { shared.read { state, _ in state.limits.count } }
    set { limit { $0.count = max(0, newValue) } }
  }

  /// The share of ``byteLimit`` that applies while ``isInBackground``, from 0 to 1; other numbers
  /// are clamped.
  public var backgroundShare: Double {
    get { shared.read { state, _ in state.limits.backgroundShare } }
    set { limit { $0.backgroundShare = MemoryCacheLimits.share(newValue) } }
  }

  /// Whether the program is in the background and should use less memory.
  ///
  /// Setting it evicts at once what is over ``backgroundShare`` of the limit. Only the program sets
  /// it.
  public var isInBackground: Bool {
    get { shared.read { state, _ in state.limits.isInBackground } }
    set { limit { $0.isInBackground = newValue } }
  }

  /// Evicts until the costs of all values sum to `bytes` at most; the limits stay as they are.
  ///
  /// Small values stay while they fit a quarter of the limit and large ones are left; 0 or less
  /// evicts all values whose cost is not 0.
  public func trim(toBytes bytes: Int) {
    let evicted = change { $0.trim(toBytes: max(0, bytes)) }
    withExtendedLifetime(evicted) {}
  }

  private func limit(_ set: (inout MemoryCacheLimits) -> Void) {
    let evicted = change { state in
      set(&state.limits)
      return state.evict()
    }
    withExtendedLifetime(evicted) {}
  }
}
