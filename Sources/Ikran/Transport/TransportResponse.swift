/// What a transport received.
public struct TransportResponse: Sendable {
  /// The HTTP status; 200 for files and `data:` URLs.
  public let status: Int
  /// The header fields of the final answer, in order of arrival.
  public let headers: [HeaderField]
  /// The whole body, content encoding removed.
  public let body: [UInt8]
  /// The URL after redirects.
  public let url: String
  /// False when the body is only what had arrived: see ``TransportRequest/isEnough`` and
  /// ``TransportRequest/onInterruption``.
  public let isComplete: Bool

  /// Creates a response.
  public init(
    status: Int,
    headers: [HeaderField] = [],
    body: [UInt8],
    url: String,
    isComplete: Bool = true
  ) {
    self.isComplete = isComplete
    self.status = status
    self.headers = headers
    self.body = body
    self.url = url
  }

  /// The value of the first field called `name`, compared without regard to case, or nil.
  public func header(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}
