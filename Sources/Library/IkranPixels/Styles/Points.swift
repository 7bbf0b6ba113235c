/// A length in thousandths of a point, so that equal styles have equal keys on every machine.
struct Points: Sendable, Hashable {
  /// Zero or more for valid lengths; `Int.min` for a length that is not a finite number.
  private let thousandths: Int

  init(_ points: Double) {
    // NaN and infinity fail the comparison.
    thousandths = points.magnitude < 1e12 ? Int((points * 1000).rounded()) : Int.min
  }

  /// Reads digits with an optional fraction: no sign, no exponent, below one million.
  init?(parsing text: some StringProtocol) {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let isPlain = parts.allSatisfy { part in
      !part.isEmpty && part.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
    }
    guard isPlain, parts[0].utf8.count <= 6, text.utf8.count <= 32, let value = Double(text) else {
      return nil
    }
    self.init(value)
  }

  var value: Double { Double(thousandths) / 1000 }
  var isPositive: Bool { thousandths > 0 }
  var isZero: Bool { thousandths == 0 }
  var isLength: Bool { thousandths >= 0 }
}

extension Points: CustomStringConvertible {
  /// The shortest decimal, such as `96`, `0.5` or `12.125`.
  var description: String {
    if thousandths == Int.min { return "nan" }
    let sign = thousandths < 0 ? "-" : ""
    let (whole, rest) = thousandths.magnitude.quotientAndRemainder(dividingBy: 1000)
    if rest == 0 { return "\(sign)\(whole)" }
    var fraction = String(rest + 1000).dropFirst()
    while fraction.last == "0" { fraction.removeLast() }
    return "\(sign)\(whole).\(fraction)"
  }
}
