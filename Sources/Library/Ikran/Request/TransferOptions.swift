public import IkranFoundation
public import IkranTransport

/// How the bytes of one request are transferred.
public struct TransferOptions: Sendable {
  /// The HTTP method, which is part of ``ImageRequest/sourceKey``; only what `GET` brings is kept
  /// on disk.
  public var method: String
  /// Header fields sent with the request; all but those of caches (`Cache-Control`, `Pragma`)
  /// and of credentials (`Authorization`, `Cookie`) are part of ``ImageRequest/sourceKey``.
  ///
  /// In `Cache-Control`, `no-store` stores nothing of the response; `no-cache` and `max-age=0`
  /// revalidate first, as `Pragma: no-cache` does when there is no `Cache-Control`. Other
  /// directives are only sent.
  public var headers: [HeaderField]
  /// The body to send; part of ``ImageRequest/sourceKey``.
  public var body: [UInt8]?
  /// The longest time of each transfer, as ``NetworkOptions/timeout``; nil takes the pipeline's.
  public var timeout: Duration?
  /// Whether, and when, a download that failed is tried again; nil takes the pipeline's
  /// ``NetworkOptions/retry``.
  ///
  /// The first of several requests that share a download decides.
  public var retry: RetryPolicy?
  /// The share of a body, from 0 to 1, that arrives between one ``ImageEvent/progress(_:)`` and the
  /// next; 0, the default, tells of every change.
  public var progressStep: Double
  /// Other sources of the image, for a network that is slow or costs money; none by default.
  public var alternatives: [Alternative]
  /// Other URLs of the image, tried in order when its own source fails; none by default.
  ///
  /// An image keeps the name of the URL that brought it. When all of them fail the request fails
  /// with the error of its own URL. Fields with credentials, such as `Authorization`, go only to
  /// URLs of the request's own scheme, host and port.
  public var fallbacks: [URL]

  /// Creates options.
  public init(
    method: String = "GET",
    headers: [HeaderField] = [],
    body: [UInt8]? = nil,
    timeout: Duration? = nil,
    retry: RetryPolicy? = nil,
    progressStep: Double = 0,
    alternatives: [Alternative] = [],
    fallbacks: [URL] = []
  ) {
    self.method = method
    self.headers = headers
    self.body = body
    self.timeout = timeout
    self.retry = retry
    self.progressStep = progressStep
    self.alternatives = alternatives
    self.fallbacks = fallbacks
  }
}
