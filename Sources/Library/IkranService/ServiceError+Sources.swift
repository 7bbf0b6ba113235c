import Ikran
import IkranCodecs
import IkranTransport

extension ServiceError {
  /// Why a source's file could not be had or read.
  init(_ error: ImageError) {
    let details = "\(error)" + Self.reason(of: error)
    switch error {
    case .cancelled: self = .clientLeft
    case .timedOut: self = .timedOut
    case .decode(let error, _, _): self.init(error)
    case .status(let code, _, _) where (400..<500).contains(code):
      self = .unreachable(status: code, reason: details)
    case .status(500..., _, _), .retryLater: self = .unreachable(status: 502, reason: details)
    case .transport(let error, _): self.init(error, details)
    case .status, .contentType, .refused, .offline, .lowData, .noSource, .source:
      self = .unreachable(status: 404, reason: details)
    default: self = .failed(reason: details)
    }
  }

  /// What S3 says of a request that it refuses; empty for other errors.
  private static func reason(of error: ImageError) -> String {
    guard case .status(_, _, let context) = error, let head = context.response,
      let fault = S3Fault(head)
    else { return "" }
    return " (\(fault.code): \(fault.message))"
  }

  private static let addressSettings =
    "; IKRAN_ALLOW_LOOPBACK_SOURCE_ADDRESSES, IKRAN_ALLOW_LINK_LOCAL_SOURCE_ADDRESSES and"
    + " IKRAN_ALLOW_PRIVATE_SOURCE_ADDRESSES allow some"

  private init(_ error: TransportError, _ details: String) {
    switch error {
    case .cancelled: self = .clientLeft
    case .timedOut, .tooSlow:
      self = .unreachable(status: 504, reason: details + " (IKRAN_DOWNLOAD_TIMEOUT)")
    case .forbiddenAddress: self = .forbiddenSource(reason: details + Self.addressSettings)
    case .forbiddenRedirect: self = .forbiddenSource(reason: details)
    case .bodyTooLarge:
      self = .invalidImage(reason: details + " (IKRAN_MAX_SRC_FILE_SIZE, in bytes)")
    case .tooManyRedirects:
      let reason = "the source redirects in a circle, or more often than IKRAN_MAX_REDIRECTS allows"
      self = .unreachable(status: 404, reason: reason)
    case .connectionLost(let received) where received > 0: self = .incomplete(reason: details)
    default: self = .unreachable(status: 404, reason: details)
    }
  }

  /// Why a file is no picture, or none that is decoded.
  init(_ error: DecodeError) {
    switch error {
    case .unknownFormat, .empty: self = .invalidImage(reason: "\(error)")
    case .overLimit: self = .invalidImage(reason: "\(error)")
    case .isolated(_, .cancelled): self = .clientLeft
    default: self = .brokenImage(reason: "\(error)")
    }
  }

  /// Why no result could be made of a picture.
  init(_ error: RenderError) {
    switch error {
    case .tooLarge: self = .option(name: "size", reason: "\(error)")
    case .cannotWrite: self = .format(reason: "\(error)")
    case .decode(let error): self.init(error)
    case .bitmap, .filter, .encode: self = .failed(reason: "\(error)")
    case .cancelled: self = .clientLeft
    }
  }
}
