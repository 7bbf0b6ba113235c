import IkranCodecs
import IkranPixels

/// Reads settings from variables: `IKRAN_X`, and where that is missing or empty, `IMGPROXY_X`.
struct SettingsReader {
  /// A variable that is not empty.
  struct Variable: Sendable, Hashable {
    let name: String
    let text: String

    func fault(_ expected: String) -> SettingsError {
      SettingsError(variable: name, value: text, expected: expected)
    }
  }

  private static let prefixes = ["IKRAN_", "IMGPROXY_"]
  /// Those of the program, which are none of the service's.
  private static let others: Set = ["IKRAN_CACHE_TRACE", "IKRAN_DECODER", "IKRAN_LOW_DATA"]

  /// What files hold, by their paths; nil where they cannot be read.
  let contents: (String) -> [UInt8]?
  private let variables: [String: String]
  private var known: Set<String> = []

  init(_ variables: [String: String], contents: @escaping (String) -> [UInt8]? = { _ in nil }) {
    self.variables = variables
    self.contents = contents
  }

  /// The variables with a prefix that were not asked for: misspelt ones, or of other programs.
  var unknownNames: [String] {
    variables.keys.filter { name in
      !Self.others.contains(name)
        && Self.prefixes.contains {
          name.hasPrefix($0) && !known.contains(String(name.dropFirst($0.count)))
        }
    }.sorted()
  }

  /// A variable with a prefix; nil where it is missing or empty.
  mutating func variable(_ name: String) -> Variable? {
    known.insert(name)
    return Self.prefixes.lazy.compactMap { [self] in system($0 + name) }.first
  }

  /// The whole name of a variable, as it is set, or as it may be.
  mutating func wholeName(_ name: String) -> String { variable(name)?.name ?? "IKRAN_" + name }

  /// The prefix of a whole name; empty for none.
  static func prefix(of name: String) -> String { prefixes.first { name.hasPrefix($0) } ?? "" }

  /// A variable without a prefix; nil where it is missing or empty.
  func system(_ name: String) -> Variable? {
    variables[name].flatMap { $0.isEmpty ? nil : Variable(name: name, text: $0) }
  }

  /// A text that may be empty; nil where the variable is missing.
  mutating func blankable(_ name: String) -> String? {
    known.insert(name)
    return Self.prefixes.lazy.compactMap { [variables] in variables[$0 + name] }.first
  }
}

// MARK: - Values

extension SettingsReader {
  mutating func text(_ name: String) -> String? { variable(name)?.text }

  mutating func flag(_ name: String, _ standard: Bool) throws(SettingsError) -> Bool {
    guard let found = variable(name) else { return standard }
    switch found.text {
    case "1", "t", "T", "TRUE", "true", "True": return true
    case "0", "f", "F", "FALSE", "false", "False": return false
    default: throw found.fault("1 or 0")
    }
  }

  mutating func integer(
    _ name: String,
    _ standard: Int,
    in range: ClosedRange<Int>
  ) throws(SettingsError) -> Int {
    guard let found = variable(name) else { return standard }
    guard let value = Int(found.text), range.contains(value) else {
      throw found.fault("an integer of \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  mutating func number(
    _ name: String,
    _ standard: Double,
    in range: ClosedRange<Double>
  ) throws(SettingsError) -> Double {
    guard let found = variable(name) else { return standard }
    guard let value = Double(found.text), range.contains(value) else {
      throw found.fault("a number of \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  /// Seconds.
  mutating func duration(
    _ name: String,
    _ standard: Int,
    atLeast least: Int = 0
  ) throws(SettingsError) -> Duration {
    .seconds(try integer(name, standard, in: least...1_000_000_000))
  }

  /// Millions of pixels, as pixels.
  mutating func megapixels(_ name: String, _ standard: Double) throws(SettingsError) -> Int {
    Int(try number(name, standard, in: 0...1e9) * 1e6)
  }

  /// Texts with a separator between them, without the spaces around them.
  mutating func list(_ name: String, separator: String = ",") -> [String] {
    variable(name).map { Self.parts(of: $0.text, separator: separator) } ?? []
  }

  /// Such texts where an empty one would allow all; it is refused.
  mutating func names(_ name: String) throws(SettingsError) -> [String] {
    let names = list(name)
    if let found = variable(name), names.contains("") {
      throw found.fault("texts with commas between them, none of them empty")
    }
    return names
  }

  static func parts(of text: String, separator: String) -> [String] {
    text.split(separator: separator, omittingEmptySubsequences: false).map(trimmed)
  }

  /// Sizes of pictures, `WIDTHxHEIGHT`, each of them once.
  mutating func sizes(_ name: String) throws(SettingsError) -> [PixelSize] {
    guard let found = variable(name) else { return [] }
    var sizes: [PixelSize] = []
    for part in Self.parts(of: found.text, separator: ",") {
      let sides = part.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
      guard sides.count == 2, sides.allSatisfy((1...8192).contains) else {
        throw found.fault("sizes of 1 to 8192 pixels a side, such as 96x96,320x240")
      }
      let size = PixelSize(width: sides[0], height: sides[1])
      if !sizes.contains(size) { sizes.append(size) }
    }
    guard sizes.count <= 64 else { throw found.fault("64 sizes at most") }
    return sizes
  }

  mutating func formats(
    _ name: String,
    _ standard: [ImageFormat] = []
  ) throws(SettingsError) -> [ImageFormat] {
    guard let found = variable(name) else { return standard }
    var formats: [ImageFormat] = []
    for part in Self.parts(of: found.text, separator: ",") {
      formats.append(try Self.format(part, found))
    }
    return formats
  }

  /// `FORMAT=QUALITY,…`, over those that are set without it.
  mutating func qualities(
    _ name: String,
    _ standard: [ImageFormat: Int]
  ) throws(SettingsError) -> [ImageFormat: Int] {
    guard let found = variable(name) else { return standard }
    var qualities = standard
    for part in Self.parts(of: found.text, separator: ",") {
      let sides = Self.parts(of: part, separator: "=")
      guard sides.count == 2, let quality = Int(sides[1]), (1...100).contains(quality) else {
        throw found.fault("formats with qualities of 1 to 100, such as webp=79,avif=63")
      }
      qualities[try Self.format(sides[0], found)] = quality
    }
    return qualities
  }

  private static func format(
    _ name: String,
    _ found: Variable
  ) throws(SettingsError) -> ImageFormat {
    guard let format = ImageFormat(serviceName: name) else {
      throw found.fault("formats in small letters with commas between them, not “\(name)”")
    }
    return format
  }

  /// A path with a `/` before it and none behind it; empty where it is not set.
  mutating func path(_ name: String) -> String {
    guard let found = variable(name) else { return "" }
    var path = found.text.prefix { $0 != "?" && $0 != "#" }
    if path.hasSuffix("/") { path.removeLast() }
    return path.isEmpty || path.hasPrefix("/") ? String(path) : "/" + path
  }

  static func trimmed(_ text: some StringProtocol) -> String {
    let begun = text.drop(while: \.isWhitespace)
    return String(
      begun[..<(begun.lastIndex { !$0.isWhitespace }.map(begun.index(after:)) ?? begun.startIndex)]
    )
  }
}
