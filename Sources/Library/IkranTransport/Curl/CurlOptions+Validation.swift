#if CLibraries
import CCurl

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

extension AWSSignature {
  /// Refuses to sign with a libcurl that does it wrong.
  ///
  /// - Throws: ``TransportError/unsupported(_:)``.
  func validate() throws(TransportError) {
    guard ikran_curl_can_sign() != 0 else {
      throw .unsupported("the installed libcurl signs no requests to S3; 7.87 and newer do")
    }
  }
}
#endif
