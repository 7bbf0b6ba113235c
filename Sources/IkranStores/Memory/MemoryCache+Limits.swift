// What bounds a memory cache; each change evicts at once what is then too much.

extension MemoryCache {
  /// The largest sum of costs in bytes; lowering it evicts at once.
  ///
  /// Which of the values held already are small stays as it was when they were stored.
  public var byteLimit: Int {
    get { shared.read { state, _ in state.limits.bytes } }
    set { limit { $0.bytes = max(0, newValue) } }
  }

  /// The largest number of values; lowering it evicts at once.
  public var countLimit: Int {
    get { shared.read { state, _ in state.limits.count } }
    set { limit { $0.count = max(0, newValue) } }
  }

  /// The share of ``byteLimit`` that holds while ``isInBackground``, from 0 to 1; other numbers
  /// count as the nearest.
  public var backgroundShare: Double {
    get { shared.read { state, _ in state.limits.backgroundShare } }
    set { limit { $0.backgroundShare = MemoryCacheLimits.share(newValue) } }
  }

  /// Whether nobody looks at the program just now, so that it should hold less memory.
  ///
  /// Setting it evicts what is over ``backgroundShare`` of the limit at once. Nothing sets it by
  /// itself.
  public var isInBackground: Bool {
    get { shared.read { state, _ in state.limits.isInBackground } }
    set { limit { $0.isInBackground = newValue } }
  }

  /// Evicts until the values cost no more than `bytes` together; the limits stay as they are.
  ///
  /// Small values are spared while they fit a quarter of the limit and large ones are left; 0 or
  /// less evicts all that cost anything.
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
