public import IkranPixels

/// A value that can be referenced weakly, such as a bitmap by its memory.
///
/// A ``MemoryCache`` that recalls held values stores the weak reference of a value that it evicts,
/// and finds the value again while another object holds it.
package protocol WeaklyHeld: Sendable {
  /// A weak reference: a function that returns the value while another object holds its memory, and
  /// nil after that. It is called on any thread, and must not wait or call the cache.
  func weakened() -> @Sendable () -> Self?
}

extension Bitmap: WeaklyHeld {}

/// Weak references to the values that a memory cache has evicted.
@usableFromInline
struct WeakCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Held: Sendable {
    let recall: @Sendable () -> Value?
    let cost: Int
  }

  private let weaken: @Sendable (Value) -> @Sendable () -> Value?
  private var held: [Key: Held] = [:]
  /// References to released values are removed when the cache has doubled since the last sweep.
  private var sweepCount = 64

  init(_ weaken: @escaping @Sendable (Value) -> @Sendable () -> Value?) { self.weaken = weaken }

  var count: Int { held.count }

  /// Adds an evicted entry; `left` gets values that must be released outside the lock.
  mutating func put(_ entry: RecencyEntry<Key, Value>, _ left: inout [RecencyEntry<Key, Value>]) {
    if held.count >= sweepCount { sweep(&left) }
    held[entry.key] = Held(recall: weaken(entry.value), cost: entry.cost)
  }

  /// Removes a key's reference; returns the value if it is still held.
  mutating func take(_ key: Key) -> (value: Value, cost: Int)? {
    guard let found = held.removeValue(forKey: key) else { return nil }
    return found.recall().map { ($0, found.cost) }
  }

  mutating func remove(_ key: Key) { held[key] = nil }

  mutating func removeAll() { held = [:] }

  private mutating func sweep(_ left: inout [RecencyEntry<Key, Value>]) {
    held = held.filter { key, held in
      guard let value = held.recall() else { return false }
      // If its last holder releases it now, it is released with `left`, not under the lock.
      left.append(RecencyEntry(key: key, value: value, cost: held.cost, hash: 0))
      return true
    }
    sweepCount = max(64, 2 * held.count)
  }
}
