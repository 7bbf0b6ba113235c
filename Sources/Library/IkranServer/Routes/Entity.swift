import Ikran

/// A resource, served whole, in part, or with a 304 because the client already has it.
struct Entity: Sendable {
  var payload: Payload
  var count: Int
  var contentType: String
  /// The entity tag with its quotes; a weak one starts with `W/`.
  var tag: String
  /// Seconds since 1970.
  var modified: Int

  /// The response of RFC 9110 (sections 13 and 14): 200, 206, 304 or 416.
  func response(to head: RequestHead, faults: Faults) -> Response {
    let date = HTTPDate.text(modified)
    var fields = [Field("Last-Modified", date)]
    if faults.sendsETag { fields.append(Field("ETag", tag)) }
    if let age = faults.maxAge { fields.append(Field("Cache-Control", "max-age=\(age)")) }
    if isKnown(to: head, tagged: faults.sendsETag) { return .empty(304, fields: fields) }

    fields.append(Field("Content-Type", contentType))
    var response = Response(status: 200, fields: fields, payload: payload, part: 0..<count)
    guard !faults.ignoresRanges else { return response }
    response.fields.append(Field("Accept-Ranges", "bytes"))
    guard let range = head.range, head.method == "GET" else { return response }
    if let condition = head.ifRange, condition != date {
      // Weak tags never match here.
      guard faults.sendsETag, condition == tag, !tag.hasPrefix("W/") else { return response }
    }
    switch ByteRange(range, count: count) {
    case .whole: return response
    case .unsatisfiable:
      return .empty(416, fields: [Field("Content-Range", "bytes */\(count)")])
    case .part(let part):
      response.status = 206
      response.part = part
      let span = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(count)"
      response.fields.append(Field("Content-Range", span))
      return response
    }
  }

  /// If-None-Match takes precedence when both conditions are present.
  private func isKnown(to head: RequestHead, tagged: Bool) -> Bool {
    if let tags = head.ifNoneMatch {
      return tags.split(separator: ",").contains { candidate in
        var candidate = candidate.drop { $0 == " " }
        while candidate.last == " " { candidate.removeLast() }
        if candidate.hasPrefix("W/") { candidate.removeFirst(2) }
        let own = tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
        return candidate == "*" || (tagged && candidate == own)
      }
    }
    guard let since = head.ifModifiedSince.flatMap({ HTTPDate.seconds($0) }) else { return false }
    return modified <= since
  }

  /// FNV-1a (64 bits) of bytes, quoted as a strong entity tag.
  static func tag(of bytes: [UInt8]) -> String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return "\"\(String(hash, radix: 16))\""
  }
}
