/// One fetch, as a transport sees it.
///
/// Only ``CurlTransport`` knows methods and bodies; files and `data:` URLs have neither.
public struct TransportRequest: Sendable {
  /// The absolute URL.
  public var url: String
  /// The HTTP method, as it is sent.
  public var method = "GET"
  /// The body to send, for example of a POST; nil for none.
  public var body: [UInt8]?
  /// Header fields to send, in order; names are matched without regard to case.
  public var headers: [HeaderField]
  /// The longest wait for a connection.
  public var connectTimeout: Duration
  /// The longest time from start to last byte.
  public var timeout: Duration
  /// More bytes than this end the transfer with ``TransportError/bodyTooLarge(limit:)``: on the
  /// wire, and once more without their content encoding.
  public var maximumBodyBytes: Int
  /// Whether a redirect is returned as the response, with ``TransportResponse/redirectTarget`` or
  /// its `Location`, rather than followed.
  ///
  /// The pipeline sets it, as a redirect may be reused only as long as its own response is fresh.
  /// When a transport follows redirects all the same, the pipeline stores the response under the
  /// first URL.
  public var reportsRedirects = false
  /// Redirects that led to this request, which count against the transport's limit.
  package var redirectCount = 0
  /// Whether all of them stayed on the first origin; only then are credentials sent.
  package var isSameOrigin = true
  /// Whether it takes the place of another one because data is to be saved; networks may then be
  /// used that are refused to others.
  package var isForLowData = false
  /// How ``CurlTransport`` signs the request; nil does not.
  package var signature: AWSSignature?
  /// Called with the status and the fields of a response before its body arrives, on the
  /// transport's thread.
  ///
  /// It must return quickly. Transports that do not call it do no harm.
  public var onHead: (@Sendable (TransportResponse) -> Void)?
  /// Called with the body so far after each chunk of a 2xx response, on the transport's thread.
  ///
  /// True ends the transfer: the fetch returns what has arrived, and
  /// ``TransportResponse/isComplete`` is false unless that is everything. Nil, the default, wants
  /// all. It must return quickly. Files and `data:` URLs come whole and do not call it.
  public var shouldStop: (@Sendable (borrowing [UInt8]) -> Bool)?
  /// Called with the body so far after each chunk of a 2xx response, on the transport's thread.
  ///
  /// It must return quickly. Transports that do not call it do no harm.
  package var onBytes: (@Sendable (borrowing [UInt8]) -> Void)?
  /// Called with what has arrived of a 2xx response whose transfer breaks, times out or is
  /// cancelled.
  ///
  /// Called at most once, on the transport's thread, before the fetch throws; not called when the
  /// response broke a limit of the request, such as ``maximumBodyBytes``, nor with a content
  /// encoding, as no range could bring the rest. It must return quickly.
  public var onInterruption: (@Sendable (TransportResponse) -> Void)?

  /// Creates a GET request with the defaults of `NetworkOptions`.
  public init(
    url: String,
    headers: [HeaderField] = [],
    connectTimeout: Duration = .seconds(10),
    timeout: Duration = .seconds(60),
    maximumBodyBytes: Int = 256 << 20
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
  ///
  /// Bytes that are not UTF-8 are characters from U+EF80 to U+EFFF, and are sent as they came.
  public let value: String

  /// Creates a field.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}
