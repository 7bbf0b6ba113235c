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
}
