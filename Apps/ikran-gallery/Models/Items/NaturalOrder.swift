/// The order in which people expect names: numbers by their value, letters in any case.
enum NaturalOrder {
  /// A name, and what it is compared by.
  private struct Entry {
    let name: String
    let letters: [UInt8]

    init(_ name: String) { (self.name, letters) = (name, Array(name.lowercased().utf8)) }
  }

  /// Names with `2.jpg` before `10.jpg`, and `a.jpg` before `B.jpg`.
  ///
  /// Those that are equal in that are in the order of their bytes.
  static func sorted(_ names: [String]) -> [String] {
    names.map(Entry.init).sorted(by: isBefore).map(\.name)
  }

  private static func isBefore(_ entry: Entry, _ other: Entry) -> Bool {
    let (left, right) = (entry.letters, other.letters)
    var (i, j) = (0, 0)
    while i < left.count, j < right.count {
      guard isDigit(left[i]), isDigit(right[j]) else {
        if left[i] != right[j] { return left[i] < right[j] }
        (i, j) = (i + 1, j + 1)
        continue
      }
      let (one, two) = (number(in: left, at: &i), number(in: right, at: &j))
      if one.count != two.count { return one.count < two.count }
      if one != two { return one.lexicographicallyPrecedes(two) }
    }
    if left.count - i != right.count - j { return left.count - i < right.count - j }
    return entry.name.utf8.lexicographicallyPrecedes(other.name.utf8)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

  /// Takes the digits at a place, without the zeros before them: of any length.
  private static func number(in name: [UInt8], at index: inout Int) -> ArraySlice<UInt8> {
    let digits = name[index...].prefix(while: isDigit)
    index += digits.count
    return digits.drop { $0 == 0x30 }
  }
}
