import IkranSystem

/// A JSON value that keeps the order of its keys.
package enum JSON: Sendable {
  case null
  case bool(Bool)
  case integer(Int)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([(key: String, value: JSON)])
  /// Another program's JSON.
  case verbatim(String)

  /// Text or null.
  package static func string(orNull text: String?) -> JSON { text.map(JSON.string) ?? .null }

  /// An integer or null.
  package static func integer(orNull number: Int?) -> JSON { number.map(JSON.integer) ?? .null }

  /// A number with three decimals at most.
  package static func rounded(_ number: Double) -> JSON {
    .number((number * 1000).rounded() / 1000)
  }

  /// A duration in milliseconds, to the microsecond.
  package static func milliseconds(_ duration: Duration) -> JSON {
    let microseconds = (duration / .microseconds(1)).rounded()
    return .number(microseconds / 1000)
  }

  /// An object with one more key; other values stay.
  package func with(_ key: String, _ value: JSON) -> JSON {
    guard case .object(let pairs) = self else { return self }
    return .object(pairs + [(key: key, value: value)])
  }

  /// The value on one line (RFC 8259); numbers that JSON has no form for become null.
  package var text: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .integer(let value): "\(value)"
    case .number(let value): value.isFinite ? "\(value)" : "null"
    case .string(let value): Self.quoted(value)
    case .verbatim(let text): text.split(whereSeparator: \.isNewline).joined()
    case .array(let values): "[\(values.map(\.text).joined(separator: ","))]"
    case .object(let pairs):
      "{\(pairs.map { "\(Self.quoted($0.key)):\($0.value.text)" }.joined(separator: ","))}"
    }
  }

  /// The value as aligned lines for readers, inner objects' keys after a dot.
  package var lines: [String] {
    let rows = rows(prefix: "")
    let width = rows.map(\.key.count).max() ?? 0
    return rows.map { key, value in
      "\(key):\(String(repeating: " ", count: width - key.count + 1))\(value)"
    }
  }

  private func rows(prefix: String) -> [(key: String, value: String)] {
    guard case .object(let pairs) = self else { return [(prefix, words)] }
    return pairs.flatMap { pair in
      pair.value.rows(prefix: prefix.isEmpty ? pair.key : "\(prefix).\(pair.key)")
    }
  }

  private var words: String {
    switch self {
    case .null: "-"
    case .bool(let value): value ? "yes" : "no"
    case .string(let value): value
    case .array(let values): values.isEmpty ? "-" : values.map(\.words).joined(separator: " ")
    default: text
    }
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.displayedPath.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      // Also of the second set, and marks that change the order of letters: text may come from a
      // file, and a terminal may show it.
      case _ where Output.isUnprintable(scalar):
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}

extension JSON: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(elements.map { (key: $0.0, value: $0.1) })
  }
}
