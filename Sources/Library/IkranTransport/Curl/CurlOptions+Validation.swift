import CCurl

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

extension CurlOptions {
  /// Refuses what the installed libcurl cannot do, and forbidden addresses.
  ///
  /// - Throws: ``TransportError/unsupported(_:)`` or ``TransportError/invalidURL(_:)``.
  func validate(_ address: HTTPAddress) throws(TransportError) {
    guard destinations.allow(address) else {
      throw .invalidURL("\(address.isSecure ? "https" : "http") is not among the allowed schemes")
    }
    guard httpVersion != .http3 || ikran_curl_has_http3() != 0 else {
      throw .unsupported("the installed libcurl has no HTTP/3; choose another version")
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
