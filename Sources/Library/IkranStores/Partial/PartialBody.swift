import IkranSystem

/// The first part of a body whose transfer was interrupted, with what is needed to resume it.
package struct PartialBody: Sendable, Hashable {
  /// A strong validator of the whole: an entity tag or a date, as `If-Range` wants it.
  package let validator: String
  /// The length of the whole in bytes, when it is known.
  package let total: Int?
  /// The first bytes.
  package let bytes: [UInt8]

  /// Creates a partial body.
  package init(validator: String, total: Int?, bytes: [UInt8]) {
    self.validator = validator
    self.total = total
    self.bytes = bytes
  }
}

// A file of one partial body: a line of text, then the bytes.
//
//     ikran-partial 2 <checksum of all that follows> <total or -> <validator>\n

extension PartialBody {
  private static let magic = "ikran-partial 2 "

  /// The body as a file's bytes.
  ///
  /// The checksum covers the file's name, which is the key's hash, so a file is invalid under
  /// another key's name.
  func fileBytes(name: String) -> [UInt8] {
    let rest = Array("\(total.map(String.init) ?? "-") \(validator)\n".utf8) + bytes
    return Array("\(Self.magic)\(Self.checksum(rest, name)) ".utf8) + rest
  }

  /// Parses a file; nil when it is damaged, truncated or another key's.
  init?(fileBytes: [UInt8], name: String) {
    let head = fileBytes.prefix { $0 != UInt8(ascii: "\n") }
    guard head.count < fileBytes.count,
      let line = String(validating: head, as: UTF8.self), line.hasPrefix(Self.magic)
    else { return nil }
    let words = line.dropFirst(Self.magic.count)
      .split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard words.count == 3, !words[2].isEmpty else { return nil }
    let start = Self.magic.utf8.count + words[0].utf8.count + 1
    guard words[0] == Self.checksum(Array(fileBytes[start...]), name) else { return nil }
    let total = Int(words[1])
    guard total != nil || words[1] == "-" else { return nil }
    self.init(
      validator: String(words[2]),
      total: total,
      bytes: Array(fileBytes[(head.count + 1)...])
    )
  }

  private static func checksum(_ bytes: [UInt8], _ name: String) -> String {
    String(Checksum.of(bytes, seed: Checksum.of(name)), radix: 16)
  }
}
