import Ikran
import IkranStores
import IkranSystem

/// What a shared store has next to the file of a source: what HTTP needs to know of it, and which
/// bytes that is about.
struct SharedSourceRecord {
  /// What HTTP needs to know.
  let response: [UInt8]
  /// Names the file's bytes.
  private let id: String
  private let count: Int

  /// A record with longer text is none.
  private static let mostBytes = 64 << 10
  private static let mark = "ikran-source-1"

  /// Describes a file.
  init(of file: SharedFile) {
    (response, count) = (file.response, file.bytes.count)
    id = "\(Checksum.wide(file.bytes))"
  }

  /// Whether it is about these bytes.
  func names(_ bytes: [UInt8]) -> Bool {
    bytes.count == count && "\(Checksum.wide(bytes))" == id
  }

  /// A line with the id and the length of the file and a checksum of the record, and the response.
  var bytes: [UInt8] {
    let checksum = Self.checksum("\(id) \(count)", response)
    let line = "\(Self.mark) \(id) \(count) \(checksum)\n"
    return Array(line.utf8) + response
  }

  /// Reads what ``bytes`` has written; nil for anything else.
  init?(_ bytes: [UInt8]) {
    guard bytes.count <= Self.mostBytes,
      let end = bytes.prefix(100).firstIndex(of: UInt8(ascii: "\n"))
    else { return nil }
    let parts = String(decoding: bytes[..<end], as: UTF8.self).split(separator: " ")
    let response = Array(bytes[(end + 1)...])
    guard parts.count == 4, parts[0] == Self.mark, let count = Int(parts[2]),
      UInt64(parts[3]) == Self.checksum("\(parts[1]) \(count)", response)
    else { return nil }
    (self.response, id, self.count) = (response, String(parts[1]), count)
  }

  private static func checksum(_ name: String, _ response: [UInt8]) -> UInt64 {
    Checksum.of(Array("\(name)\n".utf8) + response)
  }
}
