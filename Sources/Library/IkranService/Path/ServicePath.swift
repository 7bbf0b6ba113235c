/// A request's target, undecoded: a signature, and the path that it signs.
///
/// ```
/// /PREFIX/ENDPOINT/SIGNATURE/OPTION/OPTION/plain/SOURCE@ENDING?QUERY
/// ```
/// Pictures have no endpoint in their paths. The query is ignored. What browsers and proxies change
/// in paths is undone, as the signature is of the path before.
struct ServicePath: Sendable, Hashable {
  let endpoint: Endpoint
  let signature: ArraySlice<UInt8>
  /// All behind the signature, with the `/` before it, repaired.
  let signed: [UInt8]

  /// Divides a target; the prefix begins with `/` and does not end with it, or is empty.
  init(_ target: [UInt8], prefix: [UInt8]) throws(ServiceError) {
    var path = target.prefix { $0 != UInt8(ascii: "?") }
    if !prefix.isEmpty {
      guard path.starts(with: prefix) else {
        throw .path(reason: "the path does not begin with the prefix")
      }
      path = path.dropFirst(prefix.count)
      guard path.isEmpty || path.first == UInt8(ascii: "/") else {
        throw .path(reason: "the path does not begin with the prefix")
      }
    }
    guard path.first == UInt8(ascii: "/") else {
      throw .path(reason: "the path does not begin with a slash")
    }
    path.removeFirst()
    endpoint = Endpoint(removedFrom: &path)
    guard let end = path.firstIndex(of: UInt8(ascii: "/")), end > path.startIndex else {
      throw .path(reason: "the path has no signature before its options")
    }
    let rest = path[(end + 1)...]
    guard !rest.isEmpty else { throw .path(reason: "the path ends with the signature") }
    signature = path[..<end]
    signed = PathRepair.repaired(rest)
  }

  /// What the signature is of.
  var message: [UInt8] {
    let beginning = endpoint.signedBeginning
    return beginning.isEmpty ? signed : Array(beginning.utf8) + signed
  }

  /// Names what is asked for: equal for equal endpoints and bytes alone, however they were sent.
  var name: String {
    let beginning = endpoint.beginning
    if signed.allSatisfy({ $0 < 0x80 }) {
      return beginning + String(decoding: signed, as: UTF8.self)
    }
    // Texts of other bytes may be equal. No other name begins with a %.
    return signed.reduce(into: "%" + beginning) { name, byte in
      let isPlain = byte < 0x80 && byte != UInt8(ascii: "%")
      name += isPlain ? String(UnicodeScalar(byte)) : "%" + String(byte, radix: 16)
    }
  }
}
