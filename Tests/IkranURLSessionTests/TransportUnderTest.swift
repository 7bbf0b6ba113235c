import Foundation
import IkranTransport
import IkranURLSession
import Testing

/// What the tests of a transport for HTTP are for: here URLSession's.
///
/// The tests themselves are those of IkranTransportTests, to which files of this folder link.
final class TransportUnderTest: IdentifyingTransport {
  /// Whether responses have metrics: on Linux no delegate is called with them.
  static var hasMetrics: Bool { false }
  /// Whether values of fields may be bytes that are not UTF-8: FoundationNetworking ends a transfer
  /// that has such a field.
  static var takesAnyBytes: Bool { false }

  private let made: Result<URLSessionTransport, TransportError>

  /// What URLSession does not count.
  var openedConnections: Int { 0 }
  /// What URLSession does not count.
  var wakeUps: Int { 0 }

  /// Makes a transport of the options that the tests have for both.
  init(_ options: CurlOptions = CurlOptions()) {
    var own = URLSessionOptions(
      limits: options.limits,
      destinations: options.destinations,
      identity: options.identity
    )
    own.connectionsPerHost = options.connections.perHost
    (own.tls, own.httpVersion) = (options.tls, options.httpVersion)
    // The tests that are of it need libcurl.
    own.limits.minimumSpeed = nil
    do throws(TransportError) {
      made = .success(try URLSessionTransport(own))
    } catch {
      made = .failure(error)
    }
  }

  func fetch(
    _ request: TransportRequest,
    progress: @escaping @Sendable (TransferProgress) -> Void
  ) async throws(TransportError) -> TransportResponse {
    try await made.get().fetch(request, progress: progress)
  }

  func shutDown() { try? made.get().shutDown() }

  var hasCredential: Bool { (try? made.get().hasCredential) ?? false }

  var addsFields: Bool { (try? made.get().addsFields) ?? false }

  func addedFields(to url: String) -> [HeaderField] {
    (try? made.get().addedFields(to: url)) ?? []
  }
}

extension Trait where Self == ConditionTrait {
  /// Marks a test that URLSession cannot pass, for the reason that is given.
  static func needsCurl(_ reason: Comment) -> Self { .disabled(reason) }
}
