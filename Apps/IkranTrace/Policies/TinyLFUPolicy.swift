/// W-TinyLFU (Einziger, Friedman and Manes, 2017) with a window of a fifth: a value that leaves the
/// window enters the main part only in place of values that are used less often.
///
/// Uses are counted exactly, while the paper uses a sketch, and halved periodically.
struct TinyLFUPolicy: SimulatedPolicy {
  private static let (window, once, again) = (0, 1, 2)

  private var lists: SimulatedLists
  private var uses: [(count: UInt32, age: UInt32)]
  private var age: UInt32 = 0
  private var sinceHalving = 0
  private let windowLimit: Int
  private let mainLimit: Int

  init(_ ids: Int, _ limit: Int) {
    lists = SimulatedLists(ids: ids, lists: 3)
    uses = Array(repeating: (0, 0), count: ids)
    windowLimit = limit / 5
    mainLimit = limit - limit / 5
  }

  mutating func use(_ id: Int32) -> Bool {
    count(id)
    guard let list = lists.list(of: id) else { return false }
    lists.move(id, to: list == Self.window ? Self.window : Self.again)
    while lists.bytes(in: Self.again) > mainLimit - mainLimit / 5,
      let oldest = lists.oldest(in: Self.again)
    {
      lists.move(oldest, to: Self.once)
    }
    return true
  }

  mutating func add(_ id: Int32, bytes: Int) {
    lists.add(id, bytes: bytes, to: Self.window)
    while lists.bytes(in: Self.window) > windowLimit, let oldest = lists.oldest(in: Self.window) {
      lists.remove(oldest)
      admit(oldest, bytes: lists.bytes(of: oldest))
    }
  }

  mutating func remove(_ id: Int32) { lists.remove(id) }

  private mutating func admit(_ id: Int32, bytes: Int) {
    guard bytes <= mainLimit else { return }
    while lists.bytes(in: Self.once) + lists.bytes(in: Self.again) > mainLimit - bytes {
      guard let victim = lists.oldest(in: Self.once) ?? lists.oldest(in: Self.again),
        frequency(victim) < frequency(id)
      else { return }
      lists.remove(victim)
    }
    lists.add(id, bytes: bytes, to: Self.once)
  }

  private mutating func count(_ id: Int32) {
    uses[Int(id)] = (min(frequency(id) + 1, 15), age)
    sinceHalving += 1
    let held = (0...2).reduce(0) { $0 + lists.count(in: $1) }
    guard sinceHalving >= 10 * max(held, 16) else { return }
    sinceHalving = 0
    age &+= 1
  }

  private func frequency(_ id: Int32) -> UInt32 {
    let (count, counted) = uses[Int(id)]
    return count >> min(age &- counted, 31)
  }
}
