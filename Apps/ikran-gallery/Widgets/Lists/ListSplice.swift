/// A change of a list at one place.
struct ListSplice: Equatable {
  /// Where it begins, after those before it were made.
  let position: Int
  let removed: Int
  let inserted: [Int]

  /// The changes that make one list of different numbers of another: those that both have stay,
  /// unless their order changes.
  static func changes(from old: [Int], to new: [Int]) -> [ListSplice] {
    let (before, after) = (Set(old), Set(new))
    let stay = old.filter(after.contains)
    guard stay == new.filter(before.contains) else {
      return [ListSplice(position: 0, removed: old.count, inserted: new)]
    }
    var changes: [ListSplice] = []
    var (i, j) = (0, 0)
    while i < old.count || j < new.count {
      let removed = old[i...].prefix { !after.contains($0) }.count
      let inserted = Array(new[j...].prefix { !before.contains($0) })
      if removed > 0 || !inserted.isEmpty {
        changes.append(ListSplice(position: j, removed: removed, inserted: inserted))
      }
      // What follows is in both.
      (i, j) = (i + removed + 1, j + inserted.count + 1)
      (i, j) = (min(i, old.count), min(j, new.count))
    }
    return changes
  }
}
