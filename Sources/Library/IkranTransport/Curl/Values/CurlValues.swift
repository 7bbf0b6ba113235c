import CCurl

// Values as libcurl takes them.

extension HTTPVersion {
  /// libcurl's number for it.
  func curlVersion(isSecure: Bool) -> Int {
    switch self {
    case .http1: Int(CURL_HTTP_VERSION_1_1)
    case .automatic: Int(isSecure ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1)
    case .http2: Int(isSecure ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE)
    case .http3: Int(isSecure ? CURL_HTTP_VERSION_3 : CURL_HTTP_VERSION_1_1)
    }
  }
}

extension Duration {
  /// Whole milliseconds, rounded up, at least 1 (0 would mean no timeout at all), at most libcurl's
  /// largest.
  var curlMilliseconds: Int {
    let (seconds, attoseconds) = components
    guard seconds < Int64(CInt.max) / 1000 else { return Int(CInt.max) }
    guard seconds >= 0 else { return 1 }
    let milliseconds = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    return max(1, Int(seconds * 1000 + milliseconds))
  }
}
