/// What this process knows of free and old slots: hints, each checked before it is used.
struct TableSlots {
  /// A slot with the time of its last use.
  struct Use: Comparable {
    let lastUse: UInt64
    let slot: Int

    static func < (lhs: Use, rhs: Use) -> Bool { lhs.lastUse < rhs.lastUse }
  }

  var free: [Int] = []
  var deallocated: [Int] = []
  /// The slots of replaced pictures that wait for `synchronize`.
  var superseded: [Int] = []
  /// The least recently used slots of the last scan, the oldest at the end.
  var oldest: [Use] = []
  /// The last use of those that fit in `oldest`; nil while all do.
  private var bound: Use?
  /// Old entries that another process held when they were looked at, until ``heldUntil``: to look
  /// at thousands of them for each put would take longer than the put.
  private(set) var held: [Use] = []
  private var heldUntil: Int64 = 0
  /// When the present change began.
  var time: Int64 = 0
  var releases: UInt64 = 0
  /// The chunks that the slots are in.
  var chunkCount: UInt64 = 0
  /// When the file was last seen to have a name and all its chunks; not a hint about slots, so a
  /// scan leaves it.
  var nameCheck: Int64?

  /// Forgets all hints.
  mutating func forget() {
    let kept = (nameCheck, time)
    self = TableSlots()
    (nameCheck, time) = kept
  }

  /// Sets an old entry aside that another process holds.
  mutating func setAside(_ use: Use) {
    if held.isEmpty { heldUntil = time + 16_000_000 }
    held.append(use)
  }

  /// Begins a change; entries that were set aside for 16 ms are considered again.
  mutating func begin(at time: Int64) {
    self.time = time
    guard !held.isEmpty, time >= heldUntil else { return }
    oldest += held
    held = []
    oldest.sort(by: >)
  }

  /// Adds a use to `oldest`, which is unordered until ``trimOldest(to:)``.
  mutating func add(_ use: Use, keepingOldest limit: Int) {
    if let bound, use >= bound { return }
    oldest.append(use)
    if oldest.count / 2 >= limit { trimOldest(to: limit) }
  }

  /// Sorts `oldest` and keeps the `limit` oldest ones.
  mutating func trimOldest(to limit: Int) {
    oldest.sort(by: >)
    guard oldest.count > limit else { return }
    oldest.removeFirst(oldest.count - limit)
    bound = oldest.first
  }
}
