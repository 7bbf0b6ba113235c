/// What a transport received.
public struct TransportResponse: Sendable {
  /// A header, whose text is split when a field is read.
  enum Header: Sendable {
    case fields([HeaderField])
    case text(HeaderText)

    var all: [HeaderField] {
      switch self {
      case .fields(let fields): fields
      case .text(let text): text.fields
      }
    }

    var byteCount: Int {
      switch self {
      case .fields(let fields):
        fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
      case .text(let text): text.lines.count
      }
    }

    func first(_ name: String) -> String? {
      switch self {
      case .fields(let fields): fields.first { $0.isNamed(name) }?.value
      case .text(let text): text.first(name)
      }
    }
  }

  /// The HTTP status; 200 for files and `data:` URLs.
  public let status: Int
  let header: Header
  /// The body, content encoding removed.
  ///
  /// When there was one, ``headers`` have neither `Content-Encoding` nor `Content-Length`: they
  /// would describe other bytes. The response to a HEAD request keeps both.
  public let body: [UInt8]
  /// The URL after redirects.
  public let url: String
  /// Whether the body is all that the sender meant to send.
  ///
  /// False when ``TransportRequest/shouldStop`` ended the transfer, and in what
  /// ``TransportRequest/onInterruption`` gets.
  public let isComplete: Bool
  /// Where the time went; nil when the transport does not measure, and of interrupted transfers.
  public package(set) var metrics: TransferMetrics?

  /// The absolute URL that a redirect leads to, of a request that
  /// ``TransportRequest/reportsRedirects``; nil of other responses.
  public package(set) var redirectTarget: String?

  /// Fields that the transport itself added to the request and that say who asks.
  package var addedFields: [HeaderField] = []

  /// Creates a response.
  public init(
    status: Int,
    headers: [HeaderField] = [],
    body: [UInt8],
    url: String,
    isComplete: Bool = true,
    metrics: TransferMetrics? = nil
  ) {
    self.init(status, .fields(headers), body, url: url, isComplete: isComplete, metrics: metrics)
  }

  /// Creates a response whose header is not split yet.
  init(
    status: Int,
    header: HeaderText,
    body: [UInt8],
    url: String,
    isComplete: Bool,
    metrics: TransferMetrics?
  ) {
    self.init(status, .text(header), body, url: url, isComplete: isComplete, metrics: metrics)
  }

  private init(
    _ status: Int,
    _ header: Header,
    _ body: [UInt8],
    url: String,
    isComplete: Bool,
    metrics: TransferMetrics?
  ) {
    self.status = status
    self.header = header
    self.body = body
    self.url = url
    self.isComplete = isComplete
    self.metrics = metrics
  }

  /// The header fields of the final response, in order of arrival.
  ///
  /// Cost: they are split at each call; ``header(_:)`` splits none.
  public var headers: [HeaderField] { header.all }

  /// The value of the first field called `name`, compared without regard to case, or nil.
  public func header(_ name: String) -> String? { header.first(name) }

  /// What `Content-Type` says without its parameters, in lower case: `image/avif`.
  package var mediaType: String? {
    header("content-type").map { trimmed($0.prefix { $0 != ";" }).lowercased() }
  }
}

/// What one transfer cost, redirects included.
public struct TransferMetrics: Sendable, Hashable {
  /// Time spent looking up host names; zero when all connections were open already.
  public var nameLookup = Duration.zero
  /// Time spent opening connections; zero when all were open already.
  public var connect = Duration.zero
  /// Time spent on TLS handshakes; zero without TLS and when all connections were open already.
  public var tls = Duration.zero
  /// From the start to the first byte of the final response; zero when none came.
  public var firstByte = Duration.zero
  /// From the start, which is when the transfer got its turn, to the end.
  public var total = Duration.zero
  /// Bytes of headers and bodies received, as HTTP/1.1 would have them on the wire.
  public var receivedBytes = 0
  /// Bytes of headers and bodies sent, as HTTP/1.1 would have them on the wire.
  public var sentBytes = 0
  /// Whether no connection had to be opened.
  public var reusedConnection = false
  /// `HTTP/1.0`, `HTTP/1.1`, `HTTP/2` or `HTTP/3`; empty when no response came.
  public var httpVersion = ""
  /// Redirects followed.
  public var redirects = 0
  /// The peer's address, a proxy's when one was used; nil when there was no connection.
  public var address: String?

  /// Creates metrics of a transfer that cost nothing.
  public init() {}
}
