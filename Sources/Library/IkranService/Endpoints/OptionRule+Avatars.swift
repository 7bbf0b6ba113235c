import IkranTransport

extension OptionRule {
  /// The options that `/avatar` alone has.
  static let avatar: [String: OptionRule] = [
    "size s": .integer(1...AvatarOptions.largestSide) { $0.avatar.size = $1 },
    "style st": .custom(readStyle),
    "name n": .custom(readName),
    "thumbhash th": .custom(readThumbHash),
  ]

  /// Reads a shape, and parts of a style's text: `rounded:r=12:b=2:bc=ff8800`.
  private static func readStyle(
    _ reader: inout OptionReader,
    _ arguments: inout OptionArguments
  ) throws(ServiceError) {
    let text = try arguments.required()
    guard let shape = AvatarOptions.Shape(rawValue: text.text) else {
      throw arguments.fault(text, expected: "circle, rounded or square")
    }
    var edges = ""
    while let part = arguments.next() {
      guard part.count <= 20, part.allSatisfy(isOfEdge) else {
        throw arguments.fault(part, expected: "r=, b= or bc= with a length or a colour")
      }
      let value = part.text
      // A URL ends where this sign is.
      edges += "," + (value.hasPrefix("bc=") ? "bc=#" + value.dropFirst(3) : value)
    }
    (reader.options.avatar.shape, reader.options.avatar.edges) = (shape, edges)
  }

  /// Whether a byte may be in a part of a style that is a length or a colour.
  private static func isOfEdge(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "F"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "="), UInt8(ascii: "."):
      true
    default: false
    }
  }

  /// Reads a name that is percent-encoded, or in base64url where a `:1` follows.
  private static func readName(
    _ reader: inout OptionReader,
    _ arguments: inout OptionArguments
  ) throws(ServiceError) {
    let text = try arguments.required()
    let isBase64 = arguments.optionalFlag() ?? false
    let bytes = isBase64 ? Base64.url.decoded(text.droppingPadding) : percentDecoded(text)
    guard let bytes, let name = String(validating: bytes, as: UTF8.self) else {
      throw arguments.fault(text, expected: "a name in UTF-8, percent-encoded or in base64url")
    }
    reader.options.avatar.name = name.isEmpty ? nil : name
  }

  private static func readThumbHash(
    _ reader: inout OptionReader,
    _ arguments: inout OptionArguments
  ) throws(ServiceError) {
    let text = try arguments.required()
    guard let hash = Base64.url.decoded(text.droppingPadding), (5...64).contains(hash.count) else {
      throw arguments.fault(text, expected: "a ThumbHash in base64url")
    }
    reader.options.avatar.thumbHash = hash
  }
}
