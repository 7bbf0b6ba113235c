import Foundation
import IkranTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// Why a transfer failed, in the words of every transport.

extension SessionTransfer {
  /// What an error of URLSession means.
  func reason(_ error: any Error) -> TransportError {
    guard let error = error as? URLError else {
      return .failed(code: URLError.unknown.rawValue, reason: "\(error)")
    }
    if let reason = SessionPlatform.reason(error, of: self) { return reason }
    let text = error.clause
    switch error.code {
    case .cancelled: return .cancelled
    case .timedOut: return .timedOut(after: order.request.timeout)
    case .cannotFindHost, .dnsLookupFailed: return .hostNotFound(order.hop.address.host)
    case .cannotConnectToHost, .notConnectedToInternet:
      return .cannotConnect(order.hop.address.hostAndPort)
    case .networkConnectionLost: return .connectionLost(received: receivedByteCount)
    case .badURL, .unsupportedURL: return .invalidURL("the URL is malformed: \(text)")
    case .badServerResponse, .cannotParseResponse: return .invalidResponse(text)
    case .cannotDecodeRawData, .cannotDecodeContentData:
      return .contentEncoding(BodyFraming.undecodable(encodings, text))
    case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
      .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid,
      .clientCertificateRejected, .clientCertificateRequired:
      return .tls(text)
    default: return .failed(code: error.code.rawValue, reason: text)
    }
  }
}

extension URLError {
  /// What it says, without a full stop.
  var clause: String {
    let text = localizedDescription
    return text.last == "." ? String(text.dropLast()) : text
  }
}
