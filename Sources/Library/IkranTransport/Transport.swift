/// Fetches bytes: the only stage that waits on something outside the process.
///
/// The pipeline limits how many downloads run at once and shares one fetch between everyone who
/// asks for the same source, so a transport does neither.
public protocol Transport: Sendable {
  /// Fetches one whole body.
  ///
  /// - Parameters:
  ///   - request: What to fetch, and how much of it at most.
  ///   - progress: Called while bytes arrive, on any thread, never after this function returned.
  /// - Returns: The response, whatever its status; the pipeline evaluates it.
  /// - Throws: ``TransportError``; ``TransportError/cancelled`` at once when the task is cancelled.
  func fetch(
    _ request: TransportRequest,
    progress: @escaping @Sendable (TransferProgress) -> Void
  ) async throws(TransportError) -> TransportResponse
}

/// How much of a body has arrived.
public struct TransferProgress: Sendable, Hashable {
  /// Bytes received so far.
  public let received: Int
  /// Bytes in the whole body, or nil when the sender did not say, or said it of encoded bytes.
  public let expected: Int?

  /// Creates a progress report.
  public init(received: Int, expected: Int?) {
    self.received = received
    self.expected = expected
  }
}

extension Transport {
  /// Fetches one whole body without progress.
  ///
  /// - Parameter request: What to fetch, and how much of it at most.
  /// - Returns: The response, whatever its status.
  /// - Throws: ``TransportError``; ``TransportError/cancelled`` at once when the task is cancelled.
  public func fetch(
    _ request: TransportRequest
  ) async throws(TransportError) -> TransportResponse {
    try await fetch(request) { _ in }
  }
}

/// A transport that adds fields to requests which say who asks.
package protocol IdentifyingTransport: Transport {
  /// Whether some requests carry a credential that redirected ones do not.
  var hasCredential: Bool { get }
  /// Whether fields that say who asks are added to requests: a credential, or cookies.
  var addsFields: Bool { get }

  /// The fields that say who asks, as they would be added to a request for a URL now; `Vary` may
  /// name them.
  func addedFields(to url: String) -> [HeaderField]
}

/// A transport in which no code of the program's runs.
package protocol BuiltInTransport: IdentifyingTransport {}

extension Transport {
  /// What fetches `http:` and `https:` URLs, if it may say who asks.
  package var identifying: (any IdentifyingTransport)? {
    ((self as? SchemeTransport)?.network ?? self) as? any IdentifyingTransport
  }
}
