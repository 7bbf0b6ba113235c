/// A hash table with two lists of its entries in the order of their last use: small and large ones.
///
/// Every operation is O(1). Entries are in an array without gaps, at positions that stay until the
/// next insertion or removal; a look-up allocates and writes nothing. The caller passes each key's
/// hash, computed once. Not copyable: a reader's copy would change reference counts that all
/// threads share.
@usableFromInline
struct RecencyTable<Key: Hashable & Sendable, Value: Sendable>: ~Copyable {
  @usableFromInline typealias Entry = RecencyEntry<Key, Value>

  /// The entries of each class, in their order.
  @usableFromInline var small = RecencyOrder()
  @usableFromInline var large = RecencyOrder()
  /// Uses within one epoch count as one, at the time of the first.
  @usableFromInline var epoch: UInt64 = 0
  @usableFromInline var entries: [Entry] = []
  @usableFromInline var links: [RecencyLink] = []
  /// Positions by hash with linear probing; -1 is empty, the length a power of two.
  @usableFromInline var slots: [Int32] = []

  @inlinable
  init() {}

  @inlinable var count: Int { entries.count }

  /// The sum of the entries' costs.
  @inlinable var cost: Int { small.cost + large.cost }

  // MARK: - Looking

  /// The position of the entry of a key; nil when there is none.
  @inlinable
  func position(of key: Key, hash: Int) -> Int32? {
    guard let slot = slot(of: key, hash) else { return nil }
    return slots[slot]
  }

  @inlinable
  func value(at position: Int32) -> Value { entries[Int(position)].value }

  /// Whether a use now would change the order.
  @inlinable
  func isUsedEarlier(at position: Int32) -> Bool { links[Int(position)].epoch != epoch }

  // MARK: - Changing

  /// Makes an entry the newest, unless it was already used in this epoch.
  @inlinable
  mutating func use(at position: Int32) {
    guard isUsedEarlier(at: position) else { return }
    links[Int(position)].epoch = epoch
    let isSmall = entries[Int(position)].isSmall
    guard position != (isSmall ? small.newest : large.newest) else { return }
    unlink(position, isSmall)
    linkNewest(position, isSmall)
  }

  /// Begins a new epoch.
  @inlinable
  mutating func advance() { epoch &+= 1 }

  /// Adds an entry as the newest; there must be none of its key.
  @inlinable
  mutating func insert(_ entry: Entry) {
    if (count + 1) * 4 > slots.count * 3 { grow() }
    let position = Int32(truncatingIfNeeded: entries.count)
    entries.append(entry)
    links.append(RecencyLink(epoch: epoch))
    assignSlot(position, entry.hash)
    linkNewest(position, entry.isSmall)
    if entry.isSmall { small.cost += entry.cost } else { large.cost += entry.cost }
  }

  /// Removes the entry of a key.
  @inlinable
  mutating func remove(_ key: Key, hash: Int) -> Entry? {
    guard let slot = slot(of: key, hash) else { return nil }
    return takeOut(slot)
  }

  /// Removes the least recently used entry; a small one only when there is no large one, or when
  /// the small ones cost more than `reserve`.
  @inlinable
  mutating func removeOldest(sparingSmall reserve: Int) -> Entry? {
    var position = large.oldest
    if small.oldest >= 0 {
      let isOver = small.cost > reserve
      if position < 0 || (isOver && isOlder(small.oldest, than: position)) {
        position = small.oldest
      }
    }
    guard position >= 0 else { return nil }
    return takeOut(slot(at: position, entries[Int(position)].hash))
  }

  @inlinable
  func isOlder(_ position: Int32, than other: Int32) -> Bool {
    links[Int(position)].epoch < links[Int(other)].epoch
  }

  @inlinable
  mutating func takeOut(_ slot: Int) -> Entry {
    let position = slots[slot]
    let entry = entries[Int(position)]
    unlink(position, entry.isSmall)
    if entry.isSmall { small.cost -= entry.cost } else { large.cost -= entry.cost }
    closeGap(slot)
    moveLast(to: position)
    return entry
  }

  // MARK: - Slots

  @inlinable
  func slot(of key: Key, _ hash: Int) -> Int? {
    guard !slots.isEmpty else { return nil }
    let mask = slots.count - 1
    var slot = hash & mask
    while true {
      let position = Int(slots[slot])
      guard position >= 0 else { return nil }
      if entries[position].hash == hash && entries[position].key == key { return slot }
      slot = (slot + 1) & mask
    }
  }

  /// The slot that holds a position.
  @inlinable
  func slot(at position: Int32, _ hash: Int) -> Int {
    let mask = slots.count - 1
    var slot = hash & mask
    while slots[slot] != position { slot = (slot + 1) & mask }
    return slot
  }

  @inlinable
  mutating func assignSlot(_ position: Int32, _ hash: Int) {
    let mask = slots.count - 1
    var slot = hash & mask
    while slots[slot] >= 0 { slot = (slot + 1) & mask }
    slots[slot] = position
  }

  @inlinable
  mutating func grow() {
    slots = Array(repeating: -1, count: max(16, slots.count * 2))
    for position in entries.indices {
      assignSlot(Int32(truncatingIfNeeded: position), entries[position].hash)
    }
  }

  /// Empties a slot and moves back the positions that were pushed past it.
  @inlinable
  mutating func closeGap(_ emptied: Int) {
    let mask = slots.count - 1
    var gap = emptied
    var slot = (gap + 1) & mask
    while slots[slot] >= 0 {
      let home = entries[Int(slots[slot])].hash & mask
      // It may move when its home is not between the gap (not included) and where it is.
      if (slot &- home) & mask >= (slot &- gap) & mask {
        slots[gap] = slots[slot]
        gap = slot
      }
      slot = (slot + 1) & mask
    }
    slots[gap] = -1
  }

  /// Moves the last entry of the arrays to the position of a removed one.
  @inlinable
  mutating func moveLast(to position: Int32) {
    let last = Int32(truncatingIfNeeded: entries.count - 1)
    let entry = entries.removeLast()
    let link = links.removeLast()
    guard position != last else { return }
    slots[slot(at: last, entry.hash)] = position
    entries[Int(position)] = entry
    links[Int(position)] = link
    if entry.isSmall {
      small.moved(to: position, link, &links)
    } else {
      large.moved(to: position, link, &links)
    }
  }

  // MARK: - Order

  @inlinable
  mutating func unlink(_ position: Int32, _ isSmall: Bool) {
    if isSmall { small.unlink(position, &links) } else { large.unlink(position, &links) }
  }

  @inlinable
  mutating func linkNewest(_ position: Int32, _ isSmall: Bool) {
    if isSmall { small.linkNewest(position, &links) } else { large.linkNewest(position, &links) }
  }
}

/// An entry of a recency table; returned when it leaves, to be released outside the lock.
@usableFromInline
struct RecencyEntry<Key: Sendable, Value: Sendable>: Sendable {
  @usableFromInline let key: Key
  @usableFromInline let value: Value
  @usableFromInline let cost: Int
  @usableFromInline let hash: Int
  /// The entry's class, for as long as it stays.
  @usableFromInline var isSmall = false

  @inlinable
  init(key: Key, value: Value, cost: Int, hash: Int) {
    self.key = key
    self.value = value
    self.cost = cost
    self.hash = hash
  }
}
