/// What HTTP says of its methods (RFC 9110, section 9.2).
package enum HTTPMethod {
  /// Whether a method changes nothing; unknown ones may.
  package static func isSafe(_ method: String) -> Bool {
    ["GET", "HEAD", "OPTIONS", "TRACE"].contains(method)
  }

  /// Whether sending it twice does no more than sending it once; unknown ones may do more.
  package static func isIdempotent(_ method: String) -> Bool {
    isSafe(method) || method == "PUT" || method == "DELETE"
  }
}

extension TransportRequest {
  /// What HTTP does not allow in its method, its body or its fields, in a sentence; nil when all
  /// can be sent.
  package var whyItCannotBeSent: String? {
    // RFC 9110, section 5.6.2, without the characters that no method has.
    let isMethod =
      !method.isEmpty && method.utf8.allSatisfy { ($0 >= 0x41 && $0 <= 0x5A) || $0 == 0x2D }
    guard isMethod, method != "CONNECT" else {
      return "the method to send is not made of capital letters, or is CONNECT"
    }
    guard body == nil || (method != "GET" && method != "HEAD") else {
      return "a \(method) request has no body; use another method"
    }
    guard headers.allSatisfy(\.canBeSent) else {
      return "a header field to send has a name or value that HTTP does not allow"
    }
    return nil
  }
}
