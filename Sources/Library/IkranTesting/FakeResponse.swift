public import IkranTransport

/// What a ``FakeTransport`` gives for one request: a response or a failure, and when.
public struct FakeResponse: Sendable {
  /// The HTTP status.
  public var status: Int
  /// The header fields.
  public var headers: [HeaderField]
  /// The body; of a failure, what arrives before it.
  public var body: [UInt8]
  /// The error that ends the transfer; nil when the response arrives.
  public var failure: TransportError?
  /// How long the transfer takes, on the transport's clock.
  ///
  /// One that takes longer than the request's timeout fails when that has passed.
  public var delay: Duration = .zero
  /// The number of equal parts in which the body arrives, spread over the delay; each is a step of
  /// progress.
  public var chunks = 1

  /// Creates a response, which is fresh for a week unless its fields say otherwise.
  public init(
    status: Int = 200,
    headers: [HeaderField] = .fresh,
    body: [UInt8] = [],
    failure: TransportError? = nil
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.failure = failure
  }

  /// A response with a file of any format.
  public static func body(_ body: [UInt8], headers: [HeaderField] = .fresh) -> FakeResponse {
    FakeResponse(headers: headers, body: body)
  }

  /// A response without a body, such as 304 or 404.
  public static func status(_ status: Int, headers: [HeaderField] = []) -> FakeResponse {
    FakeResponse(status: status, headers: headers)
  }

  /// A transfer that fails.
  public static func failure(_ error: TransportError) -> FakeResponse {
    FakeResponse(headers: [], failure: error)
  }

  /// The same, after a while on the transport's clock.
  public func delayed(by delay: Duration, chunks: Int = 1) -> FakeResponse {
    var response = self
    response.delay = delay
    response.chunks = chunks
    return response
  }
}

extension [HeaderField] {
  /// The field of a response that is fresh for a week.
  public static var fresh: [HeaderField] { [HeaderField("Cache-Control", "max-age=604800")] }
}
