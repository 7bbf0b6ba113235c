import IkranTransport

/// The redirects that led to a request.
struct RedirectChain: Sendable {
  let count: Int
  /// Whether every address had the first one's scheme, host and port.
  let isSameOrigin: Bool
  /// Whether what it leads to is kept apart from what a direct request brings.
  let isIsolated: Bool
  /// What messages call the first request.
  let name: String
}

extension TransportRequest {
  /// Adds the redirects that led to the request.
  mutating func apply(_ chain: RedirectChain?) {
    guard let chain else { return }
    (redirectCount, isSameOrigin) = (chain.count, chain.isSameOrigin)
  }

  /// The request as a hook made it, in place of another: where that one has been redirected from
  /// stays.
  ///
  /// Once a redirect has left the first origin, the fields that must not leave it are removed
  /// again: the hook may have added a token.
  func continuing(_ other: TransportRequest) -> TransportRequest {
    var request = self
    request.reportsRedirects = other.reportsRedirects
    (request.redirectCount, request.isSameOrigin) = (other.redirectCount, other.isSameOrigin)
    if !request.isSameOrigin { request.headers.removeAll { !HTTPHop.mayTravel($0) } }
    return request
  }
}
