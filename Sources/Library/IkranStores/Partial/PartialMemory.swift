/// Partial bodies in memory, limited in bytes and age; those stored first are dropped first.
///
/// Every call also drops what has expired. Each takes constant time for each body that it drops.
struct PartialMemory: Sendable {
  private struct Entry {
    let body: PartialBody
    /// When it was stored, in seconds.
    let time: Int
    let number: Int
  }

  private let byteLimit: Int
  private let maximumAge: Int
  private var entries: [String: Entry] = [:]
  /// Keys in the order in which their bodies were stored.
  ///
  /// One whose number is not its body's was replaced or removed since.
  private var order: [(key: String, number: Int)] = []
  /// The first of `order` that counts.
  private var first = 0
  private var lastNumber = 0
  private var byteCount = 0
  /// While true a quarter of the limit holds.
  var isInBackground = false { didSet { trim(toBytes: limit) } }

  init(byteLimit: Int, maximumAge: Int) {
    (self.byteLimit, self.maximumAge) = (byteLimit, maximumAge)
  }

  private var limit: Int { isInBackground ? byteLimit / 4 : byteLimit }

  mutating func body(for key: String, at now: Int) -> PartialBody? {
    dropExpired(at: now)
    return entries[key]?.body
  }

  /// Stores a body in place of the one under the same key; one larger than the limit is not stored.
  mutating func keep(_ body: PartialBody, for key: String, at now: Int) {
    remove(key)
    dropExpired(at: now)
    guard body.bytes.count <= limit else { return }
    trim(toBytes: limit - body.bytes.count)
    lastNumber += 1
    entries[key] = Entry(body: body, time: now, number: lastNumber)
    order.append((key, lastNumber))
    byteCount += body.bytes.count
    // What was removed in between goes, too.
    guard order.count > 2 * entries.count + 16 else { return }
    order = order[first...].filter { entries[$0.key]?.number == $0.number }
    first = 0
  }

  mutating func remove(_ key: String) {
    guard let entry = entries.removeValue(forKey: key) else { return }
    byteCount -= entry.body.bytes.count
  }

  /// Drops bodies until no more than so many bytes are left.
  mutating func trim(toBytes bytes: Int) {
    while byteCount > max(0, bytes) { dropFirst() }
    // Empty bodies count nothing.
    if bytes <= 0 { (entries, order, first) = ([:], [], 0) }
  }

  mutating func statistics(at now: Int) -> PartialStatistics {
    dropExpired(at: now)
    return PartialStatistics(count: entries.count, byteCount: byteCount)
  }

  /// Drops what is too old, or of a time in the future because the clock was wrong.
  private mutating func dropExpired(at now: Int) {
    while first < order.count {
      let (key, number) = order[first]
      if let entry = entries[key], entry.number == number {
        let age = now - entry.time
        guard age > maximumAge || age < -60 else { return }
      }
      dropFirst()
    }
  }

  private mutating func dropFirst() {
    let (key, number) = order[first]
    first += 1
    if entries[key]?.number == number { remove(key) }
  }
}
