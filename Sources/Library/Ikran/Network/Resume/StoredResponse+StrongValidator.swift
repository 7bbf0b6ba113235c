import IkranStores
import IkranTransport

extension String {
  /// Whether it is a strong entity tag rather than a date or a weak tag.
  var isEntityTag: Bool { utf8.first == UInt8(ascii: "\"") && utf8.count >= 2 }
}

extension TransportResponse {
  /// Whether it names a range although its status says that it is the whole: what it is cannot be
  /// known, so nothing is joined to it.
  var isMislabelledPart: Bool {
    (200..<300).contains(status) && status != 206 && header("content-range") != nil
  }

  /// What `If-Range` accepts of the response.
  var strongValidator: String? { strongValidatorOf { header($0) } }
}

extension StoredResponse {
  /// What `If-Range` accepts of the response.
  var strongValidator: String? { strongValidatorOf { header($0) } }
}

/// What `If-Range` accepts of a response (RFC 9110, sections 8.8.1 and 13.1.5): a strong entity
/// tag, or a date of change that is at least a minute before the response.
private func strongValidatorOf(_ header: (String) -> String?) -> String? {
  if let tag = header("etag") {
    return tag.isEntityTag && HeaderField("If-Range", tag).canBeSent ? tag : nil
  }
  guard let changed = header("last-modified"), let since = HTTPDate.seconds(changed),
    let sent = header("date").flatMap({ HTTPDate.seconds($0) }), sent - since >= 60
  else { return nil }
  return changed
}
