/// Numbers as people read them.
enum NumberText {
  /// A count such as 12,345.
  static func count(_ number: Int) -> String {
    let digits = Array(String(number.magnitude))
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
      text.append(digit)
    }
    return number < 0 ? "-" + text : text
  }

  /// A size such as 812 bytes, 12.3 kB or 4.0 MB.
  static func bytes(_ number: Int) -> String {
    if number < 1000 { return "\(number) bytes" }
    if number < 1_000_000 { return "\(tenths(Double(number) / 1000)) kB" }
    return "\(tenths(Double(number) / 1_000_000)) MB"
  }

  /// A time such as 3.2 ms; a dash for none.
  static func milliseconds(_ duration: Duration) -> String {
    duration == .zero ? "–" : "\(tenths(duration / .milliseconds(1))) ms"
  }

  /// One decimal.
  static func tenths(_ number: Double) -> String {
    let tenths = Int((number * 10).rounded())
    return "\(tenths / 10).\(abs(tenths % 10))"
  }
}
