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
    // RFC 9110, section 5.6.2, without the characters that no method has.
    let isMethod =
      !request.method.isEmpty
      && request.method.utf8.allSatisfy { ($0 >= 0x41 && $0 <= 0x5A) || $0 == 0x2D }
    guard isMethod, request.method != "CONNECT" else {
      throw refusal("the method to send is not made of capital letters, or is CONNECT")
    }
    guard request.body == nil || (request.method != "GET" && request.method != "HEAD") else {
      throw refusal("a \(request.method) request has no body; use another method")
    }
    guard request.headers.allSatisfy(\.canBeSent) else {
      throw refusal("a header field to send has a name or value that HTTP does not allow")
    }
  }

  private static func refusal(_ reason: String) -> TransportError {
    .failed(code: Int(CURLE_BAD_FUNCTION_ARGUMENT.rawValue), reason: reason)
  }
}
