/// One fetch, as a transport sees it.
public struct TransportRequest: Sendable, Hashable {
  /// The absolute URL.
  public var url: String
  /// Header fields to send, in order; names are matched without regard to case.
  public var headers: [HeaderField]
  /// The longest wait for a connection.
  public var connectTimeout: Duration
  /// The longest time from start to last byte.
  public var timeout: Duration
  /// More bytes than this end the transfer with ``TransportError/bodyTooLarge(limit:)``.
  public var maximumBodyBytes: Int

  /// Creates a request with the defaults of ``NetworkOptions``.
  public init(
    url: String,
    headers: [HeaderField] = [],
    connectTimeout: Duration = NetworkOptions().connectTimeout,
    timeout: Duration = NetworkOptions().timeout,
    maximumBodyBytes: Int = NetworkOptions().maximumBodyBytes
  ) {
    self.url = url
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
