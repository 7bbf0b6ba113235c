#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import IkranTransport

/// What FoundationNetworking does otherwise than Apple's Foundation.
///
/// It does not wait for what a delegate says to a response, and ignores `.cancel`
/// (swift-corelibs-foundation, issue 3236): a transfer that is not wanted cancels its task. It
/// calls no delegate with metrics (issue 4988), so responses have none.
enum SessionPlatform {
  /// It has no such setting: libcurl takes the environment's proxy.
  static let canBypassProxies = false
  /// Its configurations have neither `waitsForConnectivity` nor a choice of networks.
  static let choosesNetworks = false

  static func configure(_ configuration: URLSessionConfiguration, _ options: URLSessionOptions) {}

  static func configure(
    _ request: inout URLRequest,
    _ networks: NetworkAccess
  ) {}

  /// Leaves a redirect without a word.
  ///
  /// A word to a task that was cancelled while it waited for it ends the process
  /// (`didCompleteRedirectCallback`). The transfer has ended, and has cancelled the task.
  static func decline(_ completionHandler: (URLRequest?) -> Void) {}

  /// What an error means that has a code for several reasons; nil where the code says it.
  ///
  /// Most of libcurl's errors have the code `.unknown`, and only the text tells them apart.
  static func reason(_ error: URLError, of transfer: SessionTransfer) -> TransportError? {
    let (text, order) = (error.clause, transfer.order)
    switch error.code {
    // libcurl received nothing at all.
    case .badServerResponse: return .connectionLost(received: transfer.receivedByteCount)
    // The address was checked: what libcurl does not know is the protocol of the response.
    case .unsupportedURL: return .invalidResponse("it is not HTTP: \(text)")
    case .unknown: break
    default: return nil
    }
    let lower = text.lowercased()
    func says(_ words: String...) -> Bool { words.contains { lower.contains($0) } }
    if says("content-length") { return .invalidResponse(text) }
    if says("response headers") { return .headersTooLarge(limit: order.headerLimit) }
    if says("ssl", "certificate", "tls") { return .tls(text) }
    // All bytes were taken: libcurl found no room for those after the end of the encoded body.
    let isUnwritable = !transfer.encodings.isEmpty && says("failed writing")
    if isUnwritable || says("encoding", "decompress", "decoding", "inflate", "zlib") {
      return .contentEncoding(BodyFraming.undecodable(transfer.encodings, text))
    }
    if says("transfer closed", "partial", "recv", "reset", "receiving data", "sending data") {
      return .connectionLost(received: transfer.receivedByteCount)
    }
    return nil
  }
}

extension SessionDelegate {
  /// Takes a 401 for what it is: all that could be sent was sent with the request.
  ///
  /// It comes after the response and its body. The task waits for a credential without end where
  /// the delegate leaves it to the system.
  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (
        URLSession.AuthChallengeDisposition, URLCredential?
      ) -> Void
  ) {
    transfer(of: task)?.complete(nil, task.response)
    completionHandler(.cancelAuthenticationChallenge, nil)
  }
}
#endif
