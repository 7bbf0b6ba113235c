/// A JSON value that keeps the order of its keys.
enum JSON: Sendable {
  case integer(Int)
  /// Written with three decimals at most.
  case number(Double)
  case string(String)
  case object([(key: String, value: JSON)])
  /// Another program's JSON, on one line.
  case verbatim(String)

  /// The value on one line (RFC 8259); numbers that JSON has no form for become null.
  var text: String {
    switch self {
    case .integer(let value): "\(value)"
    case .number(let value): value.isFinite ? "\((value * 1000).rounded() / 1000)" : "null"
    case .string(let value): Self.quoted(value)
    case .verbatim(let text): text.split(whereSeparator: \.isNewline).joined()
    case .object(let pairs):
      "{\(pairs.map { "\(Self.quoted($0.key)):\($0.value.text)" }.joined(separator: ","))}"
    }
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}

extension JSON: ExpressibleByDictionaryLiteral {
  init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(elements.map { (key: $0.0, value: $0.1) })
  }
}
