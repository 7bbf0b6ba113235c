/// The avatars whose images are under way, and which storages they bring.
///
/// A value with no lock in it: the pod guards it.
struct AvatarSubscribers {
  private var subscribers: [StyledKey: [(id: Int, avatar: any Avatar)]] = [:]
  private var sources: [SourceKey: Set<StyledKey>] = [:]
  private var last = 0

  mutating func enter(_ avatar: some Avatar, _ key: StyledKey) -> Int {
    last += 1
    subscribers[key, default: []].append((last, avatar))
    sources[key.source, default: []].insert(key)
    return last
  }

  mutating func leave(_ id: Int, _ key: StyledKey) {
    subscribers[key]?.removeAll { $0.id == id }
    guard subscribers[key]?.isEmpty == true else { return }
    subscribers[key] = nil
    sources[key.source]?.remove(key)
    if sources[key.source]?.isEmpty == true { sources[key.source] = nil }
  }

  /// A waiting avatar whose storage has not been asked yet.
  func next(for key: StyledKey, notIn asked: Set<String>) -> (any Avatar)? {
    subscribers[key]?.first { !asked.contains($0.avatar.storageID) }?.avatar
  }

  /// The same among all styles of a source.
  func next(forSource source: SourceKey, notIn asked: Set<String>) -> (any Avatar)? {
    for key in sources[source] ?? [] {
      if let avatar = next(for: key, notIn: asked) { return avatar }
    }
    return nil
  }

  /// One waiting avatar for each storage.
  func storages(for key: StyledKey) -> [any Avatar] {
    var seen: Set<String> = []
    return (subscribers[key] ?? []).map(\.avatar).filter { seen.insert($0.storageID).inserted }
  }
}
