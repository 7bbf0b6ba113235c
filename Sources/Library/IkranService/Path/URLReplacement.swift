/// A rule that rewrites the beginning of source URLs: `mys3://*=s3://bucket/${1}`.
struct URLReplacement: Sendable, Hashable {
  private enum Piece: Sendable, Hashable {
    case text([UInt8])
    /// What a `*` is, from 1; 0 is all that the pattern matches.
    case star(Int)
  }

  let pattern: WildcardPattern
  private let pieces: [Piece]

  /// Makes a rule; `$1` and `${1}` in the replacement are the first `*`, and `$$` is `$`.
  init(pattern: String, replacement: String) {
    self.pattern = WildcardPattern(pattern)
    pieces = Self.pieces(of: Array(replacement.utf8)[...])
  }

  /// The rewritten URL, or the same where the pattern does not match.
  func applied(to url: [UInt8]) -> [UInt8] {
    guard let match = pattern.match(of: url) else { return url }
    var result: [UInt8] = []
    for piece in pieces {
      switch piece {
      case .text(let text): result += text
      case .star(0): result += url[..<match.end]
      case .star(let index):
        if match.stars.indices.contains(index - 1) { result += url[match.stars[index - 1]] }
      }
    }
    return result + url[match.end...]
  }

  private static func pieces(of text: ArraySlice<UInt8>) -> [Piece] {
    let dollar = UInt8(ascii: "$")
    var pieces: [Piece] = []
    var rest = text
    while let start = rest.firstIndex(of: dollar) {
      pieces.append(.text(Array(rest[..<start])))
      rest = rest[(start + 1)...]
      if rest.first == dollar {
        pieces.append(.text([dollar]))
        rest.removeFirst()
      } else if let name = takeName(from: &rest) {
        // A name that is no number is a group that does not exist: it is nothing.
        pieces.append(Int(name).map(Piece.star) ?? .text([]))
      } else {
        pieces.append(.text([dollar]))
      }
    }
    return pieces + [.text(Array(rest))]
  }

  /// Takes the name behind a `$`, in braces or not.
  private static func takeName(from rest: inout ArraySlice<UInt8>) -> String? {
    let isBraced = rest.first == UInt8(ascii: "{")
    let body = isBraced ? rest.dropFirst() : rest
    let name = body.prefix(while: isOfName)
    let behind = body[name.endIndex...]
    guard !name.isEmpty, !isBraced || behind.first == UInt8(ascii: "}") else { return nil }
    rest = isBraced ? behind.dropFirst() : behind
    return name.text
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
