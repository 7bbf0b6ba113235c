import IkranHTTP
import IkranTransport

/// Where a request belongs among those of other programs (W3C Trace Context, level 1).
struct TraceContext: Sendable, Hashable {
  /// That of the request for which a source is fetched.
  @TaskLocal static var current: TraceContext?

  /// 32 hexadecimal digits, which all programs on the way have in common.
  let traceID: String
  /// Two hexadecimal digits: whether it is recorded, and whether its id is random.
  let flags: String
  /// What other programs want to be passed on; nil is nothing.
  let state: String?

  /// A trace that begins here and is to be recorded.
  init() {
    traceID = Self.hexadecimal(.random(in: 1...(.max))) + Self.hexadecimal(.random(in: 0...(.max)))
    (flags, state) = ("01", nil)
  }

  /// Reads `traceparent` and `tracestate`; nil where the first is missing, twice there or wrong.
  init?(_ fields: [Field]) {
    let parents = Self.values("traceparent", of: fields)
    guard parents.count == 1, let parent = parents.first, parent.utf8.count == 55 else {
      return nil
    }
    let parts = parent.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [2, 32, 16, 2], parts[0] != "ff",
      parts.allSatisfy({ $0.utf8.allSatisfy(Self.isDigit) }),
      !parts[1...2].contains(where: { $0.utf8.allSatisfy { $0 == UInt8(ascii: "0") } }),
      let bits = UInt8(parts[3], radix: 16)
    else { return nil }
    traceID = String(parts[1])
    // Other bits may mean what is not known here.
    flags = "0\(bits & 3)"
    state = Self.state(Self.values("tracestate", of: fields))
  }

  /// What the next program gets: the trace, with an id of the request to it.
  func fields(withState: Bool) -> [HeaderField] {
    let parent = "00-\(traceID)-\(Self.hexadecimal(.random(in: 1...(.max))))-\(flags)"
    return [HeaderField("traceparent", parent)]
      + (withState ? state.map { [HeaderField("tracestate", $0)] } ?? [] : [])
  }

  /// The list of all fields; nil where it is empty, wrong or too long.
  private static func state(_ values: [String]) -> String? {
    let text = values.joined(separator: ",")
    guard (1...512).contains(text.utf8.count),
      text.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
    else { return nil }
    let members = text.split(separator: ",").filter { !$0.allSatisfy { $0 == " " } }
    let areRight = members.allSatisfy { $0.first != "=" && $0.contains("=") }
    return areRight && (1...32).contains(members.count) ? text : nil
  }

  private static func values(_ name: String, of fields: [Field]) -> [String] {
    let length = name.utf8.count
    return fields.filter { $0.name.utf8.count == length && $0.name.lowercased() == name }
      .map(\.value)
  }

  /// Whether a byte is a hexadecimal digit, in small letters.
  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }

  /// 16 digits.
  private static func hexadecimal(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
