// Decision 19: redirects are followed hop by hop.
/// What goes to one address of a chain of redirects.
///
/// A value with no connection, clock or lock in it.
package struct HTTPHop: Sendable {
  /// Fields that a redirect may carry to another origin: they say nothing about who asks.
  private static let travellingFields: Set<String> = [
    "accept", "accept-encoding", "accept-language", "cache-control", "content-type",
    "if-modified-since", "if-none-match", "if-range", "pragma", "range", "user-agent",
  ]

  package private(set) var address: HTTPAddress
  package private(set) var method: String
  package private(set) var body: [UInt8]?
  package private(set) var headers: [HeaderField]
  /// Redirects followed so far.
  package private(set) var redirects: Int
  /// Whether all addresses so far had the first one's scheme, host and port.
  package private(set) var isSameOrigin: Bool

  package init(_ request: TransportRequest, address: HTTPAddress) {
    self.address = address
    method = request.method
    body = request.body
    headers = request.headers
    redirects = request.redirectCount
    isSameOrigin = request.isSameOrigin
  }

  /// Whether a field may go along once a redirect has left the first address's origin.
  package static func mayTravel(_ field: HeaderField) -> Bool {
    travellingFields.contains(field.name.lowercased())
  }

  /// Whether a response sends the client elsewhere, when it names a target.
  package static func isRedirect(_ status: Int) -> Bool {
    status == 301 || status == 302 || status == 303 || status == 307 || status == 308
  }

  /// What goes to the target of a redirect (Fetch standard, section 4.4).
  ///
  /// Once a redirect has left the first address's scheme, host and port, the request's own fields
  /// stay behind permanently, all but a few that only say what is wanted.
  ///
  /// - Parameters:
  ///   - target: The absolute address.
  ///   - status: The redirect's.
  /// - Returns: The next hop.
  package func following(_ target: HTTPAddress, status: Int) -> HTTPHop {
    var next = self
    next.redirects += 1
    let isRead = method == "GET" || method == "HEAD"
    if status == 303 && !isRead || status < 303 && method == "POST" {
      next.method = "GET"
      next.body = nil
      next.headers.removeAll { $0.name.lowercased().hasPrefix("content-") }
    }
    if target.origin == address.origin {
      next.address = target.userInfo.isEmpty ? target.adding(userInfo: address.userInfo) : target
    } else {
      next.address = target
      next.isSameOrigin = false
      next.headers.removeAll { !Self.mayTravel($0) }
    }
    return next
  }
}
