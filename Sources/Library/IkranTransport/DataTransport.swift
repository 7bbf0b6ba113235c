/// Reads the bytes that a `data:` URL (RFC 2397) carries in itself, as browsers do (the `data:` URL
/// processor of the Fetch standard).
public struct DataTransport: Transport {
  /// Creates the transport.
  public init() {}

  /// Decodes the URL's own data.
  ///
  /// - Parameters:
  ///   - request: The URL and the most bytes to accept; the time-outs do not matter.
  ///   - progress: Called once, with everything received.
  /// - Returns: Status 200, the media type as `Content-Type`, and the data.
  /// - Throws: ``TransportError/invalidURL(_:)``, ``TransportError/bodyTooLarge(limit:)`` or
  ///   ``TransportError/cancelled``.
  public func fetch(
    _ request: TransportRequest,
    progress: @escaping @Sendable (TransferProgress) -> Void
  ) async throws(TransportError) -> TransportResponse {
    if Task.isCancelled { throw .cancelled }
    let (mediaType, body) = try Self.parse(request.url, limit: request.maximumBodyBytes)
    progress(TransferProgress(received: body.count, expected: body.count))
    return TransportResponse(
      status: 200,
      headers: [HeaderField("Content-Type", mediaType)],
      body: body,
      url: request.url
    )
  }

  private static func parse(
    _ url: String,
    limit: Int
  ) throws(TransportError) -> (mediaType: String, body: [UInt8]) {
    guard urlScheme(of: url) == "data" else {
      throw .invalidURL("the URL does not start with data:")
    }
    let rest = url.utf8.dropFirst("data:".utf8.count)
    guard let comma = rest.firstIndex(of: UInt8(ascii: ",")) else {
      throw .invalidURL("the data: URL has no comma before its data")
    }
    var type = stripped(rest[..<comma])
    let isBase64 = removeBase64Mark(from: &type)
    let data = rest[rest.index(after: comma)...].prefix { $0 != UInt8(ascii: "#") }
    let text = leniently(percentDecoding: data)
    let body = isBase64 ? try base64Decoded(text.filter { !isWhite($0) }, limit: limit) : text
    guard body.count <= limit else { throw .bodyTooLarge(limit: limit) }
    let mediaType = String(Substring(type))
    if mediaType.isEmpty { return ("text/plain;charset=US-ASCII", body) }
    return (mediaType.hasPrefix(";") ? "text/plain" + mediaType : mediaType, body)
  }

  /// ASCII white space (Infra standard).
  private static func isWhite(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0C || byte == 0x0D
  }

  /// A text without the white space around it.
  private static func stripped(_ text: Substring.UTF8View) -> Substring.UTF8View {
    let start = text.drop(while: isWhite)
    return start[..<(start.lastIndex { !isWhite($0) }.map(start.index(after:)) ?? start.startIndex)]
  }

  /// Removes `;base64` from the end of a media type; spaces may precede the word.
  private static func removeBase64Mark(from type: inout Substring.UTF8View) -> Bool {
    guard let mark = type.lastIndex(of: UInt8(ascii: ";")) else { return false }
    let word = type[type.index(after: mark)...].drop { $0 == 0x20 }
    guard Substring(word).lowercased() == "base64" else { return false }
    type = type[..<mark]
    return true
  }

  /// Decodes base64 (RFC 4648, section 4); the padding may be left out, as browsers allow.
  private static func base64Decoded(
    _ text: [UInt8],
    limit: Int
  ) throws(TransportError) -> [UInt8] {
    var digits = text[...]
    while digits.count > text.count - 2, digits.last == UInt8(ascii: "=") { digits.removeLast() }
    let isPadded = digits.count < text.count
    guard digits.count % 4 != 1, !isPadded || text.count % 4 == 0 else {
      let isWhole = digits.allSatisfy { base64Value($0) != nil }
      throw isWhole ? .invalidURL("the data: URL's base64 ends in the middle") : notBase64
    }
    let count = digits.count / 4 * 3 + max(0, digits.count % 4 - 1)
    guard count <= limit else { throw .bodyTooLarge(limit: limit) }
    var body: [UInt8] = []
    body.reserveCapacity(count)
    var bits: UInt32 = 0
    var bitCount = 0
    for digit in digits {
      guard let value = base64Value(digit) else { throw notBase64 }
      bits = bits << 6 | UInt32(value)
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        body.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
      }
    }
    return body
  }

  private static var notBase64: TransportError {
    .invalidURL("the data: URL's base64 has a character that is not base64")
  }

  private static func base64Value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit - 65
    case UInt8(ascii: "a")...UInt8(ascii: "z"): digit - 71
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit + 4
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}

/// The bytes that percent-encoded text stands for; a `%` without two digits stands for itself.
private func leniently(percentDecoding text: Substring.UTF8View) -> [UInt8] {
  let bytes = Array(text)
  var (decoded, position) = ([UInt8](), 0)
  decoded.reserveCapacity(bytes.count)
  while position < bytes.count {
    let isEncoded = bytes[position] == UInt8(ascii: "%") && position + 2 < bytes.count
    if isEncoded, let high = hexadecimalValue(bytes[position + 1]),
      let low = hexadecimalValue(bytes[position + 2])
    {
      decoded.append(high << 4 | low)
      position += 3
    } else {
      decoded.append(bytes[position])
      position += 1
    }
  }
  return decoded
}

/// The bytes that percent-encoded text stands for, or nil when a `%` lacks its two digits.
package func percentDecoded(_ text: some Collection<UInt8>) -> [UInt8]? {
  var decoded: [UInt8] = []
  decoded.reserveCapacity(text.count)
  var bytes = text.makeIterator()
  while let byte = bytes.next() {
    guard byte == UInt8(ascii: "%") else {
      decoded.append(byte)
      continue
    }
    guard let high = bytes.next().flatMap(hexadecimalValue),
      let low = bytes.next().flatMap(hexadecimalValue)
    else { return nil }
    decoded.append(high << 4 | low)
  }
  return decoded
}

/// The value of a hexadecimal digit, in capitals or not; nil for another character.
package func hexadecimalValue(_ digit: UInt8) -> UInt8? {
  switch digit {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - 48
  case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - 55
  case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - 87
  default: nil
  }
}
