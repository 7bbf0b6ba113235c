public import IkranFoundation
public import IkranCodecs
public import IkranPixels
public import IkranStores
import IkranTransport

/// Why a request produced no image.
///
/// URLs in it carry no user, password, query or fragment. The last value of some cases, which need
/// not be given, is the response that came with them: see ``response``.
@nonexhaustive
public enum ImageError: Error, Sendable, Hashable {
  /// The request itself makes no sense; the text says what to change.
  case invalidRequest(String)
  /// No response arrived.
  case transport(TransportError, url: String)
  /// The server responded, with a status that brings no image.
  case status(Int, url: String, ErrorContext = ErrorContext())
  /// Nothing was sent: a moment ago the server responded with this status and asked to be left
  /// alone until then (`Retry-After`), for longer than the request may wait.
  case retryLater(status: Int, until: Date, url: String)
  /// The server responded with a content type that the options do not accept.
  case contentType(String, url: String, ErrorContext = ErrorContext())
  /// A hook of the program's refused the request or its response; the text is the hook's.
  case refused(String, url: String, ErrorContext = ErrorContext())
  /// The bytes arrived and are not an image Ikran can decode.
  case decode(DecodeError, url: String, ErrorContext = ErrorContext())
  /// The decoded image could not be styled.
  case style(StyleError)
  /// The entity's source has no image.
  case noSource(url: String)
  /// The entity's source, or the closure that was to bring the request's data, failed; the text is
  /// its own.
  case source(String, url: String)
  /// The request's deadline passed, or the entity's source brought nothing in time.
  case timedOut(Duration, url: String)
  /// An entity could not be drawn in a format; the text is the drawing's.
  case drawing(String, format: String)
  /// An image table could not do what it was asked.
  case table(TableError)
  /// No cache has the image, and the request forbids the network.
  case offline(url: String)
  /// Data is to be saved, and the request is not to be downloaded then.
  case lowData(url: String)
  /// The caller's task was cancelled, or the pipeline dropped the work.
  case cancelled
}

extension ImageError: CustomStringConvertible {
  /// One sentence that says what to do.
  public var description: String {
    switch self {
    case .invalidRequest(let reason): reason
    case .transport(.file(let path, let reason), _):
      TransportError.file(path: path, reason: reason).description
    case .transport(let error, let url): "\(url): \(error)"
    case .status(let code, let url, _): "\(url): the server answered \(Self.phrase(code))"
    case .retryLater(let code, let until, let url):
      "\(url): the server answered \(Self.phrase(code)) a moment ago; try again after "
        + HTTPDate.text(Int(until.timeIntervalSince1970.rounded(.up)))
    case .contentType(let type, let url, _):
      "\(url): the server answered with the content type “\(type)”, which is not accepted"
    case .refused(let reason, let url, _): "\(url): refused: \(reason)"
    case .decode(let error, let url, let context):
      "\(url): \(error)" + Self.advice(on: error, in: context)
    case .style(let error): "\(error)"
    case .noSource(let url): "\(url): the source has no image there"
    case .source(let reason, let url): "\(url): the source failed: \(reason)"
    case .timedOut(let limit, let url): "\(url): no image within \(limit); try again later"
    case .drawing(let reason, let format): "drawing the format “\(format)” failed: \(reason)"
    case .table(let error): error.description
    case .offline(let url): "\(url): not in the cache, and the network is switched off"
    case .lowData(let url):
      "\(url): not in the cache, and not to be downloaded while data is to be saved"
    case .cancelled: "cancelled"
    }
  }

  /// The server's words on a body that is no image.
  private static func advice(on error: DecodeError, in context: ErrorContext) -> String {
    guard case .unknownFormat = error, let response = context.response else { return "" }
    let type = response.header("content-type").map { " with the content type “\($0)”" } ?? ""
    return "; the server answered \(phrase(response.status))\(type)"
  }

  /// The reason phrases people know (RFC 9110, section 15); the number alone for the rest.
  private static func phrase(_ code: Int) -> String {
    let phrases = [
      200: "OK", 204: "No Content", 304: "Not Modified", 400: "Bad Request", 401: "Unauthorized",
      403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 408: "Request Timeout",
      410: "Gone", 416: "Range Not Satisfiable", 429: "Too Many Requests",
      500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable",
      504: "Gateway Timeout",
    ]
    return phrases[code].map { "\(code) \($0)" } ?? "\(code)"
  }
}

extension ImageError {
  /// Whether a stale response may be used (RFC 5861, section 4): a connection error, a 5xx, a 429,
  /// or a body that is no image, as from a network that wants a log-in first.
  var allowsStaleResponse: Bool {
    switch self {
    case .transport, .retryLater, .decode, .contentType, .offline: true
    case .status(let code, _, _): code == 429 || code >= 500
    default: false
    }
  }

  /// Whether the origin says that the source is not there any more.
  var isGone: Bool {
    switch self {
    case .status(404, _, _), .status(410, _, _): true
    default: false
    }
  }

  /// Whether the status was 2xx or 3xx, but the response is unusable.
  var isAfterSuccess: Bool {
    switch self {
    case .status(let code, _, _): (200..<400).contains(code)
    case .decode, .contentType: true
    default: false
    }
  }

  /// Whether a decode was ended, or not begun, as no caller wanted what it made.
  var isAbandonedDecode: Bool {
    switch self {
    case .cancelled, .decode(.isolated(_, .cancelled), _, _): true
    default: false
    }
  }

  /// Whether a transfer took too long.
  var isTimeout: Bool {
    if case .transport(.timedOut, _) = self { return true }
    return false
  }
}

extension ImageError {
  /// Whether trying again can succeed.
  var isTransient: Bool {
    switch self {
    case .transport(let error, _):
      switch error {
      case .hostNotFound, .cannotConnect, .proxyFailed, .timedOut, .tooSlow, .connectionLost: true
      default: false
      }
    case .status(let code, _, _):
      [408, 425, 429, 500, 502, 503, 504].contains(code) || (520..<530).contains(code)
    default: false
    }
  }
}

/// How long a server asks to wait (RFC 9110, section 10.2.3): seconds, or a date.
///
/// `now` is in microseconds since 1970.
func retryAfter(_ response: TransportResponse, now: Int64) -> Duration? {
  guard let text = response.header("retry-after") else { return nil }
  if let seconds = Int(text), seconds >= 0 { return .seconds(min(seconds, 1 << 31)) }
  guard let date = HTTPDate.seconds(text) else { return nil }
  return .microseconds(max(0, Int64(date) * 1_000_000 - now))
}

extension ImageError {
  /// The status and the header fields of the response that brought no image; nil when none arrived,
  /// and when what failed was no download.
  ///
  /// A failure that is remembered (``FailureOptions``) has the response that it was remembered
  /// with.
  public var response: ResponseHead? {
    switch self {
    case .status(_, _, let context), .contentType(_, _, let context),
      .refused(_, _, let context), .decode(_, _, let context):
      context.response
    default: nil
    }
  }
}
