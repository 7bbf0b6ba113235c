#if !canImport(FoundationNetworking)
import Foundation
import IkranTransport

/// What Apple's Foundation does otherwise than FoundationNetworking.
///
/// Type-checked, and never run.
enum SessionPlatform {
  static let canBypassProxies = true
  static let choosesNetworks = true

  static func configure(_ configuration: URLSessionConfiguration, _ options: URLSessionOptions) {
    configuration.waitsForConnectivity = options.networks.waitsForConnectivity
    if options.proxy == .none { configuration.connectionProxyDictionary = [:] }
  }

  /// Chooses the networks of one request: what the session refused, no request could have.
  static func configure(
    _ request: inout URLRequest,
    _ networks: NetworkAccess
  ) {
    request.allowsExpensiveNetworkAccess = networks.allowsExpensive
    request.allowsConstrainedNetworkAccess = networks.allowsConstrained
  }

  /// Refuses to follow a redirect, of which the transfer has made its response.
  static func decline(_ completionHandler: (URLRequest?) -> Void) { completionHandler(nil) }

  /// What an error means that has a code for several reasons; nil where the code says it.
  static func reason(_ error: URLError, of transfer: SessionTransfer) -> TransportError? {
    switch error.networkUnavailableReason {
    case .constrained: .forbiddenNetwork(.constrained)
    case .expensive: .forbiddenNetwork(.expensive)
    case .cellular: .forbiddenNetwork(.cellular)
    case nil: nil
    @unknown default: nil
    }
  }
}

extension SessionDelegate {
  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didFinishCollecting metrics: URLSessionTaskMetrics
  ) {
    guard let owner = transfer(of: task) else { return }
    owner.receive(TransferMetrics(metrics, redirects: owner.order.hop.redirects))
  }
}

extension TransferMetrics {
  /// Takes the last connection of a task.
  fileprivate init(_ metrics: URLSessionTaskMetrics, redirects: Int) {
    self.init()
    self.redirects = redirects
    total = .seconds(metrics.taskInterval.duration)
    guard let last = metrics.transactionMetrics.last else { return }
    func time(_ begin: Date?, _ end: Date?) -> Duration {
      guard let begin, let end else { return .zero }
      return .seconds(max(0, end.timeIntervalSince(begin)))
    }
    nameLookup = time(last.domainLookupStartDate, last.domainLookupEndDate)
    connect = time(last.connectStartDate, last.secureConnectionStartDate ?? last.connectEndDate)
    tls = time(last.secureConnectionStartDate, last.secureConnectionEndDate)
    firstByte = time(metrics.taskInterval.start, last.responseStartDate)
    receivedBytes = Int(
      last.countOfResponseHeaderBytesReceived + last.countOfResponseBodyBytesReceived
    )
    sentBytes = Int(last.countOfRequestHeaderBytesSent + last.countOfRequestBodyBytesSent)
    reusedConnection = last.isReusedConnection
    address = last.remoteAddress
    switch last.networkProtocolName {
    case "http/1.0": httpVersion = "HTTP/1.0"
    case "http/1.1": httpVersion = "HTTP/1.1"
    case "h2": httpVersion = "HTTP/2"
    case "h3": httpVersion = "HTTP/3"
    default: break
    }
  }
}
#endif
