import IkranTransport

extension URLSessionOptions {
  /// Refuses what URLSession cannot do.
  ///
  /// - Throws: ``TransportError/unsupported(_:)`` that names the first option that cannot be kept.
  func validate() throws(TransportError) {
    guard destinations.addresses == .any else {
      throw .unsupported("URLSession does not say which address it connects to; use CurlTransport")
    }
    guard limits.minimumSpeed == nil else {
      throw .unsupported("URLSession has no minimum speed; set TransferLimits.minimumSpeed to nil")
    }
    guard !identity.keepsCookies else {
      throw .unsupported("URLSession's cookies cannot be kept apart in caches; use CurlTransport")
    }
    guard tls == TLSOptions() else {
      throw .unsupported("URLSession trusts what the system trusts; TLSOptions need CurlTransport")
    }
    guard httpVersion == .automatic else {
      throw .unsupported("URLSession chooses the version of HTTP; HTTPVersion is .automatic")
    }
    switch proxy {
    case .environment: break
    case .none where SessionPlatform.canBypassProxies: break
    case .none: throw .unsupported("URLSession uses the environment's proxy here; unset it there")
    case .server: throw .unsupported("URLSession uses the system's proxy; CurlTransport any")
    }
    if networks.waitsForConnectivity, !(networks.allowsExpensive && networks.allowsConstrained) {
      throw .unsupported(
        "URLSession waits for another network than one that may not be used, and "
          + "no alternative is loaded; set NetworkAccess.waitsForConnectivity to false"
      )
    }
    guard SessionPlatform.choosesNetworks || networks == NetworkAccess() else {
      throw .unsupported("URLSession has no choice of networks here; use LowDataMode")
    }
  }

  /// Refuses an address whose scheme is not allowed.
  ///
  /// - Throws: ``TransportError/invalidURL(_:)``.
  func validate(_ address: HTTPAddress) throws(TransportError) {
    guard allows(address) else {
      throw .invalidURL("\(address.isSecure ? "https" : "http") is not among the allowed schemes")
    }
  }

  /// Whether an address's scheme may be used.
  func allows(_ address: HTTPAddress) -> Bool {
    destinations.schemes.contains(address.isSecure ? .https : .http)
  }
}
