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
