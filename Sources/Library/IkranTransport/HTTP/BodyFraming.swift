/// The framing of a response's body, as its header fields give it: length and encodings.
///
/// A value without a connection in it.
package struct BodyFraming: Sendable, Equatable {
  private static let contentLength = "Content-Length"
  private static let contentEncoding = "Content-Encoding"
  private static let transferEncoding = "Transfer-Encoding"
  /// The content codings that IANA has registered, except `identity`, and their older names.
  private static let registeredCodings: Set<String> = [
    "aes128gcm", "br", "compress", "dcb", "dcz", "deflate", "exi", "gzip", "pack200-gzip",
    "x-compress", "x-gzip", "zstd",
  ]

  /// The length of the body on the wire; nil when its chunks or the connection end it.
  package private(set) var length: Int?
  /// Whether chunks end it.
  private(set) var isChunked = false
  /// What the body is encoded with, in the order of encoding and in lower case; empty for nothing.
  ///
  /// Only registered codings count. Object stores send whatever name a file was uploaded with, such
  /// as `utf-8`, `base64`, `undefined` or Amazon's `aws-chunked`; browsers leave such a body as it
  /// is.
  package private(set) var encodings: [String] = []
  /// Whether a name among the codings is none, of which libcurl would make an error.
  package private(set) var hasOtherNames = false
  /// Names of fields that are not true of the body without its encodings.
  package private(set) var fieldsOfEncodedBody: [String] = []

  /// Reads a header as RFC 9112, section 6.3, has it.
  ///
  /// Lengths may be repeated when all are equal. A `Transfer-Encoding` whose last coding is
  /// `chunked` overrides them, whatever they are; any other one does not end a body.
  ///
  /// - Throws: ``TransportError/invalidResponse(_:)`` for lengths that differ or are no numbers.
  init(_ header: HeaderText) throws(TransportError) {
    var lengths: [String] = []
    var transferCodings: [String] = []
    var hasEncoding = false
    for field in header.fields(named: [
      Self.contentLength, Self.contentEncoding, Self.transferEncoding,
    ]) {
      if field.isNamed(Self.contentLength) {
        lengths.append(field.value)
      } else if field.isNamed(Self.transferEncoding) {
        transferCodings += Self.codings(field.value)
      } else {
        hasEncoding = true
        encodings += Self.codings(field.value)
      }
    }
    isChunked = transferCodings.last == "chunked"
    if !isChunked { length = try Self.singleLength(of: lengths) }
    let hasTransferCoding = transferCodings.contains { $0 != "identity" }
    if hasTransferCoding { length = nil }
    hasOtherNames = encodings.contains {
      $0 != "identity" && !Self.registeredCodings.contains($0)
    }
    encodings.removeAll { !Self.registeredCodings.contains($0) }
    if hasEncoding { fieldsOfEncodedBody.append(Self.contentEncoding) }
    if !lengths.isEmpty, hasTransferCoding || !encodings.isEmpty {
      fieldsOfEncodedBody.append(Self.contentLength)
    }
  }

  /// Reads the fields of a header, of which some may be joined by commas.
  ///
  /// - Throws: ``TransportError/invalidResponse(_:)`` for lengths that differ or are no numbers.
  package init(_ fields: [HeaderField]) throws(TransportError) {
    try self.init(HeaderText(fields))
  }

  /// Why a body's encodings stay, in a sentence.
  package static func undecodable(_ encodings: [String], _ reason: String) -> String {
    let names = encodings.joined(separator: ", ").prefix(40)
    let encoding = encodings.isEmpty ? "transfer encoding" : "content encoding “\(names)”"
    return "the body's \(encoding) cannot be removed: \(reason)"
  }

  /// The codings in a list, in lower case.
  private static func codings(_ list: String) -> [String] {
    list.split(separator: ",").map { trimmed($0).lowercased() }.filter { !$0.isEmpty }
  }

  /// The one length that all values say, nil without values.
  private static func singleLength(of values: [String]) throws(TransportError) -> Int? {
    var length: Int?
    for value in values {
      for item in value.split(separator: ",", omittingEmptySubsequences: false) {
        guard let number = number(trimmed(item)) else {
          throw .invalidResponse("its Content-Length “\(value.prefix(40))” is not a number")
        }
        if let length, length != number {
          throw .invalidResponse("its Content-Length fields contradict each other")
        }
        length = number
      }
    }
    return length
  }

  /// Digits only; the largest number for more than any body has.
  private static func number(_ text: some StringProtocol) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return Int(text) ?? .max
  }
}
