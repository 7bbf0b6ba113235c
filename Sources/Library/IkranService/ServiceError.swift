/// Why a request gets no picture.
enum ServiceError: Error, Sendable, Hashable {
  /// The signature cannot be read, or is not that of the path.
  case signature(reason: String)
  /// The path has no source, or one that cannot be read.
  case path(reason: String)
  /// An option is unknown or not allowed, or has an argument that it does not take.
  case option(name: String, reason: String)
  /// An option of other services of this grammar that this one does not have.
  case unsupportedOption(name: String, reason: String)
  /// An option that lifts limits, where the service does not allow that.
  case securityOption(name: String)
  /// The URL was valid until then, in seconds since 1970.
  case expired(at: Int64)
  /// The field `Authorization` does not have the service's secret.
  case secret
  /// The source, or the address of its host, is not allowed.
  case forbiddenSource(reason: String)
  /// The source could not be had.
  case unreachable(status: Int, reason: String)
  /// The source broke off.
  case incomplete(reason: String)
  /// The source is over a limit, or no image.
  case invalidImage(reason: String)
  /// The source is an image that cannot be decoded.
  case brokenImage(reason: String)
  /// Results are not written in the format.
  case format(reason: String)
  /// As many requests as the settings allow are being made or wait.
  case tooManyRequests
  /// The request took longer than the settings allow.
  case timedOut
  /// The client left before its response was sent.
  case clientLeft
  /// It is the service's own fault.
  case failed(reason: String)
}

extension ServiceError {
  /// Pixels are asked for by a client that has none to map.
  static let unsupportedEndpoint = ServiceError.path(
    reason: "pixels are for clients of a Unix socket, where IKRAN_TABLES names their sizes"
  )

  /// The HTTP status of the response.
  var status: Int {
    switch self {
    case .signature, .securityOption, .secret: 403
    case .path, .option, .unsupportedOption, .expired, .forbiddenSource: 404
    case .unreachable(let status, _): status
    case .incomplete, .invalidImage, .brokenImage, .format: 422
    case .tooManyRequests: 429
    case .clientLeft: 499
    case .failed: 500
    case .timedOut: 503
    }
  }

  /// What strangers are shown: it says nothing about the service.
  var message: String {
    switch self {
    case .signature, .secret: "Forbidden"
    case .path, .option, .unsupportedOption, .securityOption, .expired, .format: "Invalid URL"
    case .forbiddenSource: "Invalid source URL"
    case .unreachable: "Source is unreachable"
    case .incomplete: "Source response is incomplete"
    case .invalidImage: "Invalid source image"
    case .brokenImage: "Broken or unsupported image"
    case .tooManyRequests: "Too many requests"
    case .timedOut: "Timeout"
    case .clientLeft: "Cancelled"
    case .failed: "Internal error"
    }
  }

  /// Its kind among the counts of errors.
  var kind: String {
    switch self {
    case .signature, .securityOption, .secret, .forbiddenSource: "security"
    case .path, .option, .unsupportedOption, .expired, .format: "path_parsing"
    case .unreachable, .incomplete: "download"
    case .invalidImage, .brokenImage: "processing"
    case .tooManyRequests: "queue"
    case .timedOut: "timeout"
    case .clientLeft, .failed: "unexpected"
    }
  }

  /// Whether the service's own picture is sent in place of a source that is not to be had.
  var allowsFallback: Bool {
    switch self {
    case .unreachable, .incomplete, .invalidImage, .forbiddenSource: true
    default: false
    }
  }

  /// Whether what an avatar's options say is drawn in place of its source.
  var allowsDrawing: Bool {
    switch self {
    case .unreachable, .incomplete, .invalidImage, .brokenImage, .forbiddenSource, .timedOut: true
    default: false
    }
  }

  /// What logs show, and responses while a program is developed.
  var details: String {
    switch self {
    case .signature(let reason): "the signature \(reason)"
    case .path(let reason): reason
    case .option(let name, let reason), .unsupportedOption(let name, let reason):
      "the option “\(name)” \(reason)"
    case .securityOption(let name):
      "the option “\(name)” is allowed only with IKRAN_ALLOW_SECURITY_OPTIONS"
    case .expired(let time): "the URL has expired at \(time)"
    case .secret: "the field Authorization does not have the secret"
    case .forbiddenSource(let reason), .unreachable(_, let reason), .incomplete(let reason),
      .invalidImage(let reason), .brokenImage(let reason), .format(let reason),
      .failed(let reason):
      reason
    case .tooManyRequests:
      "as many requests as IKRAN_REQUESTS_QUEUE_SIZE and IKRAN_WORKERS allow are open"
    case .timedOut: "the time of a request, IKRAN_TIMEOUT, is over"
    case .clientLeft: "the client left"
    }
  }
}

extension ServiceError: CustomStringConvertible {
  /// The details.
  var description: String { details }
}
