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
}

extension ServiceError {
  /// The HTTP status of the response.
  var status: Int {
    switch self {
    case .signature, .securityOption: 403
    case .path, .option, .unsupportedOption, .expired: 404
    }
  }

  /// What strangers are shown: it says nothing about the service.
  var message: String {
    switch self {
    case .signature: "Forbidden"
    case .path, .option, .unsupportedOption, .securityOption, .expired: "Invalid URL"
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
      "the option “\(name)” is allowed only with ALLOW_SECURITY_OPTIONS"
    case .expired(let time): "the URL has expired at \(time)"
    }
  }
}

extension ServiceError: CustomStringConvertible {
  /// The details.
  var description: String { details }
}
