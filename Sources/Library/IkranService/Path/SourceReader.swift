import IkranTransport

/// Reads where a picture is from the end of a path: its URL, and the ending of the result.
///
/// The URL is written as it is behind `plain/`, percent-encoded once, or else in base64url, which
/// may be divided by slashes.
struct SourceReader: Sendable {
  /// A source as the path has it.
  struct Source: Sendable, Hashable {
    let url: String
    /// The wanted format's name; nil where there is none.
    let ending: String?
  }

  private let settings: URLSettings
  private let base: [UInt8]

  init(_ settings: URLSettings) {
    self.settings = settings
    base = Array(settings.base.utf8)
  }

  /// Reads what follows the options.
  func source(in text: ArraySlice<UInt8>) throws(ServiceError) -> Source {
    let marker = "plain/"
    return text.starts(with: marker.utf8)
      ? try plain(text.dropFirst(marker.utf8.count)) : try base64(text)
  }

  private func plain(_ text: ArraySlice<UInt8>) throws(ServiceError) -> Source {
    let (body, ending) = try divided(text, at: UInt8(ascii: "@"))
    guard let url = percentDecoded(body) else {
      throw .path(reason: "the source has a % without two hexadecimal digits; write it as %25")
    }
    return Source(url: try completed(url), ending: ending)
  }

  private func base64(_ text: ArraySlice<UInt8>) throws(ServiceError) -> Source {
    var text = text
    if settings.base64HasFilename, let slash = text.lastIndex(of: UInt8(ascii: "/")) {
      text = text[..<slash]
    }
    let digits = text.filter { $0 != UInt8(ascii: "/") }[...]
    // A URL in its place has dots, too.
    guard digits.allSatisfy(Self.isOfBase64) else { throw .path(reason: fault(of: text)) }
    let (body, ending) = try divided(digits, at: UInt8(ascii: "."))
    guard let url = Base64.url.decoded(body.droppingPadding) else {
      throw .path(reason: fault(of: text))
    }
    guard !url.isEmpty else { throw .path(reason: "the path has no source") }
    return Source(url: try completed(url), ending: ending)
  }

  /// Whether a byte may be in a source in base64url, or in its ending.
  private static func isOfBase64(_ byte: UInt8) -> Bool {
    Base64.url.isDigit(byte) || byte == UInt8(ascii: "=") || byte == UInt8(ascii: ".")
  }

  /// What is wrong with a text that is no base64.
  private func fault(of text: ArraySlice<UInt8>) -> String {
    let first = text.prefix { $0 != UInt8(ascii: "/") }
    guard text[first.endIndex...].dropFirst().starts(with: "plain/".utf8) else {
      return "the source is not base64url; one that is written as it is begins with plain/"
    }
    // Not its name: it may be a part of a source.
    let separator = settings.argumentsSeparator
    return "what is before plain/ is no option: it has no “\(separator)”; a preset has"
      + " “pr\(separator)” before its name"
  }

  /// Divides a source from its ending.
  private func divided(
    _ text: ArraySlice<UInt8>,
    at separator: UInt8
  ) throws(ServiceError) -> (ArraySlice<UInt8>, String?) {
    let end = text.firstIndex(of: separator) ?? text.endIndex
    guard end > text.startIndex else { throw .path(reason: "the path has no source") }
    let ending = text[end...].dropFirst()
    guard !ending.contains(separator) else {
      let advice = separator == UInt8(ascii: "@") ? "; write an @ in it as %40" : " in base64url"
      throw .path(reason: "the source has two endings\(advice)")
    }
    return (text[..<end], ending.isEmpty ? nil : ending.text)
  }

  /// The URL with its replacements, and behind the base.
  private func completed(_ url: [UInt8]) throws(ServiceError) -> String {
    // Libraries of C would read a URL with a zero byte only up to that.
    guard url.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      throw .path(reason: "the source has a control character; write it as %25 and its digits")
    }
    var url = url
    for replacement in settings.replacements { url = replacement.applied(to: url) }
    if !url.starts(with: base) { url = base + url }
    return String(validating: url, as: UTF8.self) ?? encoded(url)
  }

  /// A URL that is not UTF-8, with all bytes percent-encoded that are not ASCII, as HTTP has them.
  private func encoded(_ url: [UInt8]) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = []
    for byte in url {
      if byte < 0x80 {
        text.append(byte)
      } else {
        text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
