import IkranHTTP
import IkranPixels
import IkranStores

/// A finished picture, as the caches of the service have it.
struct StoredResult: Sendable {
  /// What is known of it, apart from its bytes.
  struct Facts: Sendable, Hashable {
    var contentType: String
    /// Quoted, as the field has it.
    var tag: String
    /// Names the bytes of the source; nil where they have no name.
    var content: TableID?
    /// Until when it is sent without a look at the source, in microseconds since 1970.
    var freshUntil: Int64
    /// The name of the file that a browser saves, with its ending.
    var filename: String
    var sourceSize = PixelSize(width: 0, height: 0)
    var resultSize = PixelSize(width: 0, height: 0)
    var sourceBytes = 0
    /// Fields of the source's response that are passed on.
    var cacheControl: String?
  }

  var facts: Facts
  let body: BodyBytes
}

extension StoredResult.Facts {
  /// What the disk has of them: a line for each.
  var lines: String {
    [
      "1", contentType, tag, content.map { "\($0)" } ?? "", "\(freshUntil)", filename,
      "\(sourceSize.width) \(sourceSize.height) \(resultSize.width) \(resultSize.height)",
      "\(sourceBytes)", cacheControl ?? "",
    ].joined(separator: "\n")
  }

  /// Reads what ``lines`` has written; nil for anything else.
  init?(_ bytes: [UInt8]) {
    let lines = String(decoding: bytes, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count == 9, lines[0] == "1", let fresh = Int64(lines[4]),
      let bytes = Int(lines[7])
    else { return nil }
    let sides = lines[6].split(separator: " ").compactMap { Int($0) }
    guard sides.count == 4 else { return nil }
    self.init(
      contentType: String(lines[1]),
      tag: String(lines[2]),
      content: TableID(hexadecimal: lines[3]),
      freshUntil: fresh,
      filename: String(lines[5]),
      sourceSize: PixelSize(width: sides[0], height: sides[1]),
      resultSize: PixelSize(width: sides[2], height: sides[3]),
      sourceBytes: bytes,
      cacheControl: lines[8].isEmpty ? nil : String(lines[8])
    )
  }
}

extension TableID {
  /// Reads the 32 digits that its description has; nil for anything else.
  fileprivate init?(hexadecimal text: Substring) {
    let digits = text.utf8
    guard digits.count == 32,
      let middle = digits.index(digits.startIndex, offsetBy: 16, limitedBy: digits.endIndex),
      let high = UInt64(text[..<middle], radix: 16), let low = UInt64(text[middle...], radix: 16)
    else { return nil }
    self.init(high: high, low: low)
  }
}
