/// The order in which pictures are shown.
enum ItemOrder: String, Sendable, CaseIterable {
  /// As they were found: a folder's are in the order of their names, a list's stay as they are.
  case name
  /// The newest first, by when a picture was taken, or else by its file's last change.
  case date
  /// The largest files first.
  case size

  /// Its name for people.
  var title: String { "By \(rawValue)" }

  /// Sorts the numbers of items.
  ///
  /// - Parameters:
  ///   - numbers: In the order in which they were found, which those that are equal keep.
  ///   - facts: What is known of an item's file; those of which nothing is known come last.
  /// - Returns: The same numbers.
  func sorted(_ numbers: [Int], facts: (Int) -> FileFacts?) -> [Int] {
    switch self {
    case .name: numbers
    case .date: sorted(numbers) { number in facts(number).map { $0.taken ?? $0.modified } }
    case .size: sorted(numbers) { facts($0)?.size }
    }
  }

  private func sorted<Value: Comparable>(_ numbers: [Int], by value: (Int) -> Value?) -> [Int] {
    var files: [(place: Int, number: Int, value: Value)] = []
    var unknown: [Int] = []
    for (place, number) in numbers.enumerated() {
      if let known = value(number) {
        files.append((place, number, known))
      } else {
        unknown.append(number)
      }
    }
    files.sort { $0.value == $1.value ? $0.place < $1.place : $0.value > $1.value }
    return files.map(\.number) + unknown
  }
}
