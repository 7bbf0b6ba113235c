/// The status and the header fields of a response, without its body.
///
/// Fields that carry secrets, or URLs that may have some, are left out: `Set-Cookie`,
/// `Set-Cookie2`, `Authentication-Info`, `Proxy-Authentication-Info`, `Location` and
/// `Content-Location`. The others are as they were received, once ``TransportResponse/headers`` has
/// lost those of a content encoding; they may have any text.
public struct ResponseHead: Sendable {
  private static let leftOut: Set<String> = [
    "set-cookie", "set-cookie2", "authentication-info", "proxy-authentication-info", "location",
    "content-location",
  ]

  /// The HTTP status.
  public let status: Int
  private let header: TransportResponse.Header

  /// Creates the head of a response.
  public init(status: Int, headers: [HeaderField] = []) {
    self.init(status, .fields(headers))
  }

  init(_ status: Int, _ header: TransportResponse.Header) {
    (self.status, self.header) = (status, header)
  }

  /// The header fields, in order of arrival.
  ///
  /// Cost: they are split at each call.
  public var headers: [HeaderField] {
    header.all.filter { !Self.leftOut.contains($0.name.lowercased()) }
  }

  /// The value of the first field called `name`, compared without regard to case; nil when it is
  /// missing or left out.
  public func header(_ name: String) -> String? {
    Self.leftOut.contains(name.lowercased()) ? nil : header.first(name)
  }

  /// The bytes of memory that it takes, roughly.
  package var byteCount: Int { header.byteCount }
}

extension ResponseHead: Hashable {
  /// Whether status and fields are the same, in the same order.
  public static func == (left: ResponseHead, right: ResponseHead) -> Bool {
    left.status == right.status && left.headers == right.headers
  }

  /// Hashes the status alone.
  public func hash(into hasher: inout Hasher) { hasher.combine(status) }
}

extension TransportResponse {
  /// The status and the fields, without the body.
  package var head: ResponseHead { ResponseHead(status, header) }
}
