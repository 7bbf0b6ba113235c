import IkranCodecs
import IkranPixels

/// The arguments of one option, read from the first to the last.
///
/// Numbers are limited so that what is computed with them cannot overflow.
struct OptionArguments {
  /// Sides, offsets and blocks, in pixels.
  static let sizes = 0...1_000_000_000
  static let byteCounts = 0...1_000_000_000_000_000
  /// Factors that are no zero.
  static let factors = 1e-9...1e9
  static let offsets = -1e9...1e9

  let name: String
  private var rest: ArraySlice<UInt8>?
  private let separator: [UInt8]

  /// Divides a segment of a path; nil when it has no separator, and so is no option.
  init?(segment: ArraySlice<UInt8>, separator: [UInt8]) {
    guard let end = segment.position(of: separator) else { return nil }
    name = segment[..<end].text
    rest = segment[(end + separator.count)...]
    self.separator = separator
  }

  /// The next argument, or nil behind the last.
  mutating func next() -> ArraySlice<UInt8>? {
    guard let text = rest else { return nil }
    guard let end = text.position(of: separator) else {
      rest = nil
      return text
    }
    rest = text[(end + separator.count)...]
    return text[..<end]
  }

  /// Whether the next argument is there and not empty.
  var isFilled: Bool {
    var copy = self
    return copy.filled() != nil
  }

  /// Whether all are read.
  var isAtEnd: Bool { rest == nil }

  /// The next argument, which has to be there, but may be empty.
  mutating func required() throws(ServiceError) -> ArraySlice<UInt8> {
    guard let text = next() else { throw fault("has too few arguments") }
    return text
  }

  /// The next argument where it is there and not empty.
  mutating func filled() -> ArraySlice<UInt8>? {
    guard let text = next(), !text.isEmpty else { return nil }
    return text
  }

  /// Throws when arguments are left.
  func end() throws(ServiceError) {
    guard isAtEnd else { throw fault("has too many arguments") }
  }

  /// An error about the option.
  func fault(_ reason: String) -> ServiceError {
    .option(name: String(name.prefix(100)), reason: reason)
  }

  /// An error about one argument.
  func fault(_ text: ArraySlice<UInt8>, expected: String) -> ServiceError {
    fault("has “\(text.prefix(100).text)” where \(expected) is expected")
  }
}

// MARK: - Values

extension OptionArguments {
  /// Whether a text is one of those that switch on; all others switch off.
  static func isOn(_ text: ArraySlice<UInt8>) -> Bool {
    switch text.count {
    case 1: [UInt8(ascii: "1"), UInt8(ascii: "t"), UInt8(ascii: "T")].contains(text.first)
    case 4: ["true", "True", "TRUE"].contains(text.text)
    default: false
    }
  }

  mutating func flag() throws(ServiceError) -> Bool { Self.isOn(try required()) }

  /// Nil where the argument is empty or missing.
  mutating func optionalFlag() -> Bool? { filled().map(Self.isOn) }

  mutating func integer(in range: ClosedRange<Int> = sizes) throws(ServiceError) -> Int {
    try integer(required(), in: range)
  }

  /// Nil where the argument is empty or missing.
  mutating func optionalInteger(
    in range: ClosedRange<Int> = sizes
  ) throws(ServiceError) -> Int? {
    guard let text = filled() else { return nil }
    return try integer(text, in: range)
  }

  mutating func number(in range: ClosedRange<Double>) throws(ServiceError) -> Double {
    try number(required(), in: range)
  }

  /// Nil where the argument is empty or missing.
  mutating func optionalNumber(
    in range: ClosedRange<Double> = offsets
  ) throws(ServiceError) -> Double? {
    guard let text = filled() else { return nil }
    return try number(text, in: range)
  }

  /// Millions of pixels, as pixels.
  mutating func megapixels() throws(ServiceError) -> Int {
    Int(try number(in: 0...1e9) * 1e6)
  }

  mutating func format() throws(ServiceError) -> ImageFormat {
    let text = try required()
    guard let format = ImageFormat(serviceName: text.text) else {
      if text.elementsEqual("best".utf8) {
        throw .unsupportedOption(name: name, reason: "does not choose the best format")
      }
      throw fault(text, expected: "a format in small letters")
    }
    return format
  }

  /// A colour of three or six hexadecimal digits, without `#`.
  func color(_ text: ArraySlice<UInt8>) throws(ServiceError) -> Color {
    let digits = text.count == 3 ? text.flatMap { [$0, $0] }[...] : text
    guard digits.count == 6, let color = Color(hexadecimal: Substring("#" + digits.text)) else {
      throw fault(text, expected: "a colour of 3 or 6 hexadecimal digits")
    }
    return color
  }

  private func integer(
    _ text: ArraySlice<UInt8>,
    in range: ClosedRange<Int>
  ) throws(ServiceError) -> Int {
    guard let value = Int(text.text), range.contains(value) else {
      throw fault(text, expected: "an integer of \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  private func number(
    _ text: ArraySlice<UInt8>,
    in range: ClosedRange<Double>
  ) throws(ServiceError) -> Double {
    // Spaces and zero bytes are refused here: they are not all refused by the parser of numbers.
    guard text.allSatisfy({ $0 > 0x20 }), let value = Double(text.text), range.contains(value)
    else {
      throw fault(text, expected: "a number of \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }
}

extension ImageFormat {
  /// The format of a name in URLs and settings; nil where there is none.
  init?(serviceName name: String) {
    switch name {
    case "jpeg", "jpg": self = .jpeg
    case "jxl": self = .jpegXL
    case "png": self = .png
    case "webp": self = .webp
    case "gif": self = .gif
    case "ico": self = .ico
    case "svg": self = .svg
    case "heic": self = .heic
    case "avif": self = .avif
    case "bmp": self = .bmp
    case "tiff": self = .tiff
    default: return nil
    }
  }
}
