import IkranSystem

/// Remembers what it is given, in order, from any thread.
public final class Recorder<Item: Sendable>: Sendable {
  private let state = Guarded([Item]())

  /// What was added so far.
  public var items: [Item] { state.withLock { $0 } }

  /// Creates an empty recorder.
  public init() {}

  /// Adds an item.
  public func add(_ item: Item) { state.withLock { $0.append(item) } }
}

/// Counts from any thread.
public final class Counter: Sendable {
  private let state = Guarded(0)

  /// The count so far.
  public var count: Int { state.withLock { $0 } }

  /// Creates a counter at zero.
  public init() {}

  /// Counts one more.
  public func add() { state.withLock { $0 += 1 } }
}
