public import IkranTransport

/// How downloads behave.
public struct NetworkOptions: Sendable {
  /// The order of downloads, and how many run at once.
  public var queue: QueueOptions
  /// The longest wait for a connection.
  public var connectTimeout: Duration
  /// The longest time of each transfer from start to last byte; a redirect of a GET begins another.
  public var timeout: Duration
  /// A larger body ends the download with an error as soon as that is known.
  public var maximumBodyBytes: Int
  /// Whether, and when, a download that failed is tried again.
  public var retry: RetryPolicy
  /// How long a source that failed permanently is not asked again.
  public var failures: FailureOptions
  /// Which responses are accepted, and how long they stay fresh.
  public var responses: ResponseOptions
  /// How broken transfers are resumed, and large ones are split.
  public var resumption: ResumptionOptions

  /// Creates options.
  public init(
    queue: QueueOptions = QueueOptions(),
    connectTimeout: Duration = .seconds(10),
    timeout: Duration = .seconds(60),
    maximumBodyBytes: Int = 256 << 20,
    retry: RetryPolicy = .exponential(maximum: 2),
    failures: FailureOptions = FailureOptions(),
    responses: ResponseOptions = ResponseOptions(),
    resumption: ResumptionOptions = ResumptionOptions()
  ) {
    self.queue = queue
    self.connectTimeout = connectTimeout
    self.timeout = timeout
    self.maximumBodyBytes = maximumBodyBytes
    self.retry = retry
    self.failures = failures
    self.responses = responses
    self.resumption = resumption
  }

  /// Creates options with so many downloads at once, of one host as well as in all.
  ///
  /// One host may then take all places; ``/IkranTransport/QueueOptions`` can give it fewer.
  public init(
    maximumConcurrent: Int,
    timeout: Duration = .seconds(60),
    retry: RetryPolicy = .exponential(maximum: 2)
  ) {
    self.init(
      queue: QueueOptions(maximumConcurrent: maximumConcurrent, maximumPerHost: maximumConcurrent),
      timeout: timeout,
      retry: retry
    )
  }
}

/// Which responses are accepted, and how long they stay fresh.
public struct ResponseOptions: Sendable, Hashable {
  /// What decides how long a stored response is used without revalidation.
  public enum Expiry: Sendable, Hashable {
    /// The response's own fields, as RFC 9111 and RFC 5861 say; for one that names no lifetime at
    /// least ``ResponseOptions/assumedLifetime`` or
    /// ``ResponseOptions/assumedLifetimeWithoutValidators``.
    case fromResponse
    /// The time since the origin last said so, whatever the response's own fields say.
    case after(Duration)
    /// Nothing: what is kept is used until a cache's limit drops it.
    case never
  }

  /// What decides how long a stored response is used without revalidation.
  public var expiry: Expiry
  /// The statuses that bring an image.
  public var statuses: Range<Int>
  /// The content types that bring an image, in lower case, such as `image/png`, or `image/*`; nil
  /// is any, as many servers send wrong ones and the file's first bytes tell anyway.
  public var contentTypes: Set<String>?
  /// How long, from its arrival, an image is fresh at least whose response names no lifetime: one
  /// with neither `max-age` nor `Expires`, nor `no-cache` or `no-store`; zero asks the origin again
  /// at once.
  ///
  /// A feed that shows a picture in three styles then asks for it once.
  public var assumedLifetime: Duration
  /// ``assumedLifetime`` of an image whose response has no `ETag` and no `Last-Modified` either: it
  /// cannot be validated, only downloaded again.
  public var assumedLifetimeWithoutValidators: Duration

  /// Creates options.
  public init(
    expiry: Expiry = .fromResponse,
    statuses: Range<Int> = 200..<300,
    contentTypes: Set<String>? = nil,
    assumedLifetime: Duration = .seconds(60),
    assumedLifetimeWithoutValidators: Duration = .seconds(3600)
  ) {
    self.expiry = expiry
    self.statuses = statuses
    self.contentTypes = contentTypes
    self.assumedLifetime = assumedLifetime
    self.assumedLifetimeWithoutValidators = assumedLifetimeWithoutValidators
  }

  /// How long, from its arrival, a response is fresh at least that says nothing of it; zero for one
  /// that does, and for a redirect, which costs little to ask about.
  func assumedLifetime(of response: StoredResponse) -> Duration {
    let control = response.cacheControl
    guard response.isHeuristicallyCacheable, response.redirectTarget == nil, !control.noCache,
      !control.noStore, control.maxAge == nil, response.header("expires") == nil
    else { return .zero }
    return response.hasConditions ? assumedLifetime : assumedLifetimeWithoutValidators
  }

  /// Whether a media type is one of ``contentTypes``.
  func accepts(mediaType: String?) -> Bool {
    guard let contentTypes else { return true }
    let type = mediaType ?? ""
    let family = type.prefix { $0 != "/" }
    return contentTypes.contains(type) || contentTypes.contains("\(family)/*")
  }
}

/// How broken transfers are resumed, and large ones are split.
public struct ResumptionOptions: Sendable, Hashable {
  /// The fewest bytes worth keeping of a body that broke off; `Int.max` keeps none.
  public var minimumBytes: Int
  /// The most bytes kept of such bodies.
  ///
  /// Nil, the default, is an eighth of ``DiskOptions/limit``, and 256 MiB without a disk cache. A
  /// limit that is set here is no part of that one. Bodies kept in memory have at most an eighth of
  /// its limit, too.
  public var byteLimit: Int?
  /// How long they are kept.
  public var maximumAge: Duration
  /// Bodies of at least so many bytes arrive in parts, side by side, when the origin can send
  /// ranges of them; `Int.max` splits none.
  public var splitBytes: Int
  /// The number of such parts, at least 1.
  public var parts: Int

  /// Creates options.
  public init(
    minimumBytes: Int = 64 << 10,
    byteLimit: Int? = nil,
    maximumAge: Duration = .seconds(86_400),
    splitBytes: Int = 16 << 20,
    parts: Int = 4
  ) {
    self.splitBytes = splitBytes
    self.parts = parts
    self.minimumBytes = minimumBytes
    self.byteLimit = byteLimit
    self.maximumAge = maximumAge
  }
}
