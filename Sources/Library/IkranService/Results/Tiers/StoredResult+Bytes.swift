import IkranHTTP
import IkranSystem

extension StoredResult {
  private static let mark = "ikran-result-1"

  /// What shared stores have of it: a line with the lengths and a checksum, the facts and the body.
  var bytes: [UInt8] {
    let facts = Array(facts.lines.utf8)
    let rest = facts + body.bytes
    let line = "\(Self.mark) \(facts.count) \(rest.count) \(Checksum.of(rest))\n"
    return Array(line.utf8) + rest
  }

  /// Reads what ``bytes`` has written; nil for anything else.
  init?(_ bytes: [UInt8]) {
    guard let end = bytes.prefix(100).firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    let parts = String(decoding: bytes[..<end], as: UTF8.self).split(separator: " ")
    guard parts.count == 4, parts[0] == Self.mark, let factsCount = Int(parts[1]),
      let count = Int(parts[2]), let checksum = UInt64(parts[3])
    else { return nil }
    let rest = Array(bytes[(end + 1)...])
    guard rest.count == count, (0...count).contains(factsCount), Checksum.of(rest) == checksum,
      let facts = Facts(Array(rest[..<factsCount]))
    else { return nil }
    self.init(facts: facts, body: BodyBytes(Array(rest[factsCount...])))
  }
}
