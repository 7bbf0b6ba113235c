/// The letters that stand for a name, and their colour.
struct Initials {
  /// One or two characters, or none.
  let letters: String
  /// The place of the name's colour in ``colors``.
  private let place: Int

  init(_ name: String) {
    // A cluster may be as long as a text: what it is cut to is bounded.
    let text = CleanText(name, limit: 1024).text
    letters = Self.letters(text.split(whereSeparator: \.isWhitespace))
    // FNV-1a, finished as in SplitMix64: the last letters alone would not reach the upper bits.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.composed.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    hash = (hash ^ hash >> 30) &* 0xbf58_476d_1ce4_e5b9
    hash = (hash ^ hash >> 27) &* 0x94d0_49bb_1331_11eb
    place = Int((hash >> 32) % UInt64(Self.colors.count))
  }

  /// Red, green and blue of the name's colour.
  var color: (red: UInt8, green: UInt8, blue: UInt8) {
    let color = Self.colors[place]
    return (
      UInt8(truncatingIfNeeded: color >> 16), UInt8(truncatingIfNeeded: color >> 8),
      UInt8(truncatingIfNeeded: color)
    )
  }

  /// Sixteen hues of equal lightness (0.53 in Oklch); white on each has a contrast of five or more.
  private static let colors: [UInt32] = [
    0xA64860, 0xA84B3F, 0xA35318, 0x916004, 0x7E6B01, 0x647505, 0x3C7D35, 0x067F5A, 0x087C74,
    0x027A88, 0x03769F, 0x326DB2, 0x5A63B3, 0x7759A9, 0x8D5196, 0x9C4B7D,
  ]

  private static func letters(_ words: [Substring]) -> String {
    let starts = words.compactMap { word in word.first { isVisible($0) } }
    guard let first = starts.first, let last = starts.last else {
      return words.first.map { String($0.prefix(1)) } ?? ""
    }
    if starts.count > 1 { return capital(first) + capital(last) }
    // A single word of two characters is taken for initials.
    let visible = words.joined().filter(isVisible)
    return visible.count == 2 ? visible.map(capital).joined() : capital(first)
  }

  private static func isVisible(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character.isSymbol
  }

  /// The capital letter where it is one character; few fonts have those of Georgian.
  private static func capital(_ character: Character) -> String {
    let isGeorgian = character.unicodeScalars.contains { (0x10D0...0x10FF).contains($0.value) }
    let capital = character.uppercased()
    return isGeorgian || capital.count != 1 ? String(character) : capital
  }
}
