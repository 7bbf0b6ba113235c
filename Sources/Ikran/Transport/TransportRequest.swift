/// One fetch, as a transport sees it.
public struct TransportRequest: Sendable {
  /// The absolute URL.
  public var url: String
  /// The HTTP method.
  public var method: String
  /// The body to send, for methods that have one.
  public var body: [UInt8]?
  /// Header fields to send, in order; names are matched without regard to case.
  public var headers: [HeaderField]
  /// The longest wait for a connection.
  public var connectTimeout: Duration
  /// The longest time from start to last byte.
  public var timeout: Duration
  /// More bytes than this end the transfer with ``TransportError/bodyTooLarge(limit:)``.
  public var maximumBodyBytes: Int
  /// Asked after each chunk of a successful answer, with the body so far; true ends the transfer
  /// there, as a success that is not complete.
  public var isEnough: (@Sendable ([UInt8]) -> Bool)?
  /// Told what had arrived of a successful answer when the transfer broke, timed out or was
  /// cancelled: at most once, before the fetch ends.
  public var onInterruption: (@Sendable (TransportResponse) -> Void)?

  /// Creates a request with the defaults of ``NetworkOptions``.
  public init(
    url: String,
    method: String = "GET",
    body: [UInt8]? = nil,
    headers: [HeaderField] = [],
    connectTimeout: Duration = .seconds(10),
    timeout: Duration = .seconds(60),
    maximumBodyBytes: Int = 256 << 20
  ) {
    self.url = url
    self.method = method
    self.body = body
    self.headers = headers
    self.connectTimeout = connectTimeout
    self.timeout = timeout
    self.maximumBodyBytes = maximumBodyBytes
  }
}

/// One header line.
public struct HeaderField: Sendable, Hashable {
  /// The field's name, such as `Accept`.
  public let name: String
  /// The field's value, without surrounding white space.
  public let value: String

  /// Creates a field.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}
