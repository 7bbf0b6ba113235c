public import IkranPixels

/// A value whose substance is an object that others may hold too, such as a bitmap's memory.
///
/// A ``MemoryCache`` that recalls held values keeps what such a value gives it in place of a value
/// that left, and so finds it again without keeping it alive.
public protocol WeaklyHeld: Sendable {
  /// A function that gives the value again for as long as somebody else holds its object, and nil
  /// after that; it may be called on any thread, and must neither wait nor call the cache.
  func weakened() -> @Sendable () -> Self?
}

extension Bitmap: WeaklyHeld {}

/// The values that left a memory cache, each only for as long as somebody holds it.
@usableFromInline
struct HeldShelf<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Held: Sendable {
    let recall: @Sendable () -> Value?
    let cost: Int
  }

  private let weaken: @Sendable (Value) -> @Sendable () -> Value?
  private var held: [Key: Held] = [:]
  /// Values that are gone are swept out when the shelf has doubled since the last sweep.
  private var sweepCount = 64

  init(_ weaken: @escaping @Sendable (Value) -> @Sendable () -> Value?) { self.weaken = weaken }

  var count: Int { held.count }

  /// Keeps track of an entry that left; `left` gets what must be released outside the lock.
  mutating func put(_ entry: RecencyEntry<Key, Value>, _ left: inout [RecencyEntry<Key, Value>]) {
    if held.count >= sweepCount { sweep(&left) }
    held[entry.key] = Held(recall: weaken(entry.value), cost: entry.cost)
  }

  /// Takes out what is left of a key's value.
  mutating func take(_ key: Key) -> (value: Value, cost: Int)? {
    guard let found = held.removeValue(forKey: key) else { return nil }
    return found.recall().map { ($0, found.cost) }
  }

  mutating func remove(_ key: Key) { held[key] = nil }

  mutating func removeAll() { held = [:] }

  private mutating func sweep(_ left: inout [RecencyEntry<Key, Value>]) {
    held = held.filter { key, held in
      guard let value = held.recall() else { return false }
      // Its holder may let go at this moment: then it dies with `left`, not under the lock.
      left.append(RecencyEntry(key: key, value: value, cost: held.cost, hash: 0))
      return true
    }
    sweepCount = max(64, 2 * held.count)
  }
}
