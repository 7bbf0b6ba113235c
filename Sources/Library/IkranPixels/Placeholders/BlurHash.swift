/// A BlurHash: some thirty characters from which a blurred picture is drawn.
///
/// Format: https://github.com/woltapp/blurhash – the numbers of terms, the largest term, the mean
/// colour, and the other terms, in digits to the base 83; colours are linear light.
struct BlurHash {
  private static let digits = Array(
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~".utf8
  )

  /// The numbers of terms across and down, 1…9.
  let across: Int
  let down: Int
  /// Red, green and blue of each term, row by row; the first is the mean.
  var terms: [SIMD3<Double>]

  init(across: Int, down: Int, terms: [SIMD3<Double>]) {
    (self.across, self.down, self.terms) = (across, down, terms)
  }

  /// The format's text.
  var text: String {
    let others = terms.dropFirst()
    let largest = others.reduce(0) { max($0, abs($1.x), abs($1.y), abs($1.z)) }
    let level = min(max(0, Int((largest * 166 - 0.5).rounded(.down))), 82)
    let scale = Double(level + 1) / 166
    var text: [UInt8] = []
    Self.append(across - 1 + (down - 1) * 9, 1, to: &text)
    Self.append(level, 1, to: &text)
    let mean = terms[0]
    let color = [mean.x, mean.y, mean.z].reduce(0) { $0 << 8 | Int(LinearLight.byte(of: $1)) }
    Self.append(color, 4, to: &text)
    for term in others {
      let levels = [term.x, term.y, term.z].map { Self.level($0 / scale) }
      Self.append(levels.reduce(0) { $0 * 19 + $1 }, 2, to: &text)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Reads the format's text; nil when it is none.
  init?(_ text: String) {
    guard text.utf8.count <= 4 + 2 * 9 * 9 else { return nil }
    let values = text.utf8.compactMap { Self.digits.firstIndex(of: $0) }
    guard values.count == text.utf8.count, values.count >= 6 else { return nil }
    across = values[0] % 9 + 1
    down = values[0] / 9 + 1
    guard down <= 9, values.count == 4 + 2 * across * down else { return nil }
    let scale = Double(values[1] + 1) / 166
    let color = values[2..<6].reduce(0) { $0 * 83 + $1 }
    guard color < 1 << 24 else { return nil }
    let shifts = SIMD3(16, 8, 0)
    terms = [SIMD3((0..<3).map { LinearLight.value(of: UInt8(color >> shifts[$0] & 255)) })]
    for start in stride(from: 6, to: values.count, by: 2) {
      let term = values[start] * 83 + values[start + 1]
      guard term < 19 * 19 * 19 else { return nil }
      let levels = SIMD3(Double(term / 361), Double(term / 19 % 19), Double(term % 19))
      let parts = (levels - 9) / 9
      terms.append(parts * SIMD3(abs(parts.x), abs(parts.y), abs(parts.z)) * scale)
    }
  }

  /// A term as one of nineteen levels, by the root of its part of the largest.
  private static func level(_ part: Double) -> Int {
    let root = part.magnitude.squareRoot() * (part < 0 ? -1 : 1)
    return Int(min(max(0, (root * 9 + 9.5).rounded(.down)), 18))
  }

  private static func append(_ value: Int, _ count: Int, to text: inout [UInt8]) {
    var (value, added) = (value, [UInt8]())
    for _ in 0..<count {
      added.append(digits[value % 83])
      value /= 83
    }
    text += added.reversed()
  }
}
