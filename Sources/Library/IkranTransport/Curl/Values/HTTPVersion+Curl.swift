#if CLibraries
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
#endif
