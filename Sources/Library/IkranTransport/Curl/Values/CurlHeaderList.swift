#if CLibraries
import CCurl

/// Header fields in the form libcurl wants.
final class CurlHeaderList {
  /// What is sent unless a request says otherwise.
  private static let accept = HeaderField("Accept", "image/*,*/*;q=0.8")

  private(set) var first: UnsafeMutablePointer<curl_slist>?

  /// Makes a list of a request's fields and the ones always sent.
  ///
  /// With a body its type is not guessed, and nothing waits for the server's leave to send it.
  ///
  /// `curl_slist_append`, which copies.
  init(_ fields: [HeaderField], hasBody: Bool = false) {
    let names = fields.map { $0.name.lowercased() }
    for field in names.contains("accept") ? fields : fields + [Self.accept] {
      // “Name;” is how libcurl spells a field without a value; “Name:” removes its own.
      append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
    }
    if hasBody, !names.contains("content-type") { append("Content-Type:") }
    if hasBody, !names.contains("expect") { append("Expect:") }
  }

  private func append(_ line: String) {
    let bytes = FieldText.bytes(of: line).map { CChar(bitPattern: $0) } + [0]
    if let list = curl_slist_append(first, bytes) { first = list }
  }

  deinit { curl_slist_free_all(first) }

  /// Refuses methods and fields that would end their line early and start another.
  ///
  /// - Throws: ``TransportError/failed(code:reason:)`` with libcurl's code for a bad argument.
  static func validate(_ request: TransportRequest) throws(TransportError) {
    guard let reason = request.whyItCannotBeSent else { return }
    throw .failed(code: Int(CURLE_BAD_FUNCTION_ARGUMENT.rawValue), reason: reason)
  }
}
#endif
