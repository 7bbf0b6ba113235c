package import IkranPixels
public import IkranSystem

// Decision 39: composed frames are in memory only.
/// The memory and the threads for the composed frames of animations.
///
/// One byte budget holds for all its animations. Those on display share it: each gets all of its
/// frames while that fits, else a few frames ahead of what is shown. Frames that players show stay
/// in memory even where the budget is smaller than they are.
///
/// A program needs one store. Methods may be called on any thread; none waits for a decoder.
public final class AnimationStore: Sendable {
  /// The store for programs that need no other: two threads and the default budget.
  public static let shared = AnimationStore()

  /// Runs a job on some thread, later, those that a player waits for first.
  package typealias Executor =
    @Sendable (
      _ isDue: Bool, _ job: @escaping @Sendable (Workspace) -> Void
    ) -> Void

  private struct State: Sendable {
    var shares: BudgetShares
    var lastID: UInt64 = 0
    var animations: [UInt64: WeakAnimation] = [:]
    var given: [UInt64: Int] = [:]
    var reports: [UInt64: Int] = [:]
    var generation = 0
    var isWatched = false
    var watch: PressureWatch?
  }

  private struct WeakAnimation: Sendable {
    weak let core: AnimationCore?
  }

  private let state: Guarded<State>
  private let trimsUnderMemoryPressure: Bool
  private let execute: Executor

  /// Creates a store; its threads start with the first frame.
  ///
  /// - Parameters:
  ///   - byteLimit: The budget in bytes; nil is a sixteenth of the memory that the process may use,
  ///     at least 8 and at most 256 MiB.
  ///   - threads: How many frames are decoded at the same time, each of another animation.
  ///   - trimsUnderMemoryPressure: Whether the store calls ``relieveMemory(_:)`` itself when
  ///     memory is scarce.
  public convenience init(
    byteLimit: Int? = nil,
    threads: Int = 2,
    trimsUnderMemoryPressure: Bool = true
  ) {
    let pool = Lazy { WorkerPool(name: "ikran-frames", threads: threads) { _ in Workspace() } }
    self.init(
      byteLimit: byteLimit ?? PhysicalMemory.cacheShare / 2,
      trimsUnderMemoryPressure: trimsUnderMemoryPressure
    ) { isDue, job in
      let pool = pool.value
      pool.submit(id: pool.nextID(), priority: { isDue ? 1 : 0 }, job: job) {}
    }
  }

  package init(byteLimit: Int, trimsUnderMemoryPressure: Bool, execute: @escaping Executor) {
    state = Guarded(State(shares: BudgetShares(byteLimit: byteLimit)))
    self.trimsUnderMemoryPressure = trimsUnderMemoryPressure
    self.execute = execute
  }

  /// The budget in bytes; a smaller one releases frames at once.
  public var byteLimit: Int {
    get { state.withLock { $0.shares.byteLimit } }
    set {
      rebalance {
        $0.shares.byteLimit = newValue
        return true
      }
    }
  }

  /// The bytes of all frames that are kept now.
  ///
  /// Cost: visits every animation.
  public var byteCount: Int { animations.reduce(0) { $0 + $1.byteCount } }

  /// Makes do with less memory: half of the budget, or at critical pressure an eighth; animations
  /// that no player shows keep nothing.
  ///
  /// The budget doubles again after each 256 frames that are decoded without more pressure.
  public func relieveMemory(_ pressure: MemoryPressure) {
    rebalance {
      $0.shares.relieve(isCritical: pressure == .critical)
      return true
    }
  }

  func makeID() -> UInt64 {
    state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
  }

  func add(_ core: AnimationCore) {
    state.withLock { $0.animations[core.id] = WeakAnimation(core: core) }
    watchPressure()
  }

  func remove(_ id: UInt64) {
    rebalance { state in
      state.animations[id] = nil
      state.given[id] = nil
      state.reports[id] = nil
      return state.shares.set(nil, of: id)
    }
  }

  /// Sets what an animation can use, and divides the budget again if that is new.
  ///
  /// `number` counts what the animation reports: an older report that comes late is ignored.
  func set(_ demand: BudgetShares.Demand, of id: UInt64, _ number: Int) {
    rebalance { state in
      guard number > state.reports[id] ?? 0 else { return false }
      state.reports[id] = number
      return state.shares.set(demand, of: id)
    }
  }

  func countDecoded() { rebalance { $0.shares.countDecoded() } }

  func run(isDue: Bool, _ job: @escaping @Sendable (Workspace) -> Void) { execute(isDue, job) }

  private var animations: [AnimationCore] {
    state.withLock { $0.animations.values.compactMap(\.core) }
  }

  /// Divides the budget again if `change` returns true, and gives new shares to their animations.
  private func rebalance(_ change: (inout State) -> Bool) {
    let (generation, changed) = state.withLock { state in
      guard change(&state) else { return (0, [(AnimationCore, Int)]()) }
      let shares = state.shares.shares()
      state.generation += 1
      let changed = shares.compactMap { id, share -> (AnimationCore, Int)? in
        guard state.given.updateValue(share, forKey: id) != share else { return nil }
        return state.animations[id]?.core.map { ($0, share) }
      }
      return (state.generation, changed)
    }
    for (core, share) in changed { core.setShare(share, generation: generation) }
  }

  private func watchPressure() {
    guard trimsUnderMemoryPressure else { return }
    let isWatched = state.withLock { state in
      defer { state.isWatched = true }
      return state.isWatched
    }
    guard !isWatched else { return }
    let watch = PressureWatch { [weak self] in self?.relieveMemory($0) }
    state.withLock { $0.watch = watch }
  }
}
