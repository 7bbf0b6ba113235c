public import Ikran
import IkranStores

/// A transport that counts its fetches and answers from a closure.
public final class FakeTransport: Transport {
  /// What answers: it gets the request and the progress callback.
  public typealias Answer =
    @Sendable (
      TransportRequest, @Sendable (TransferProgress) -> Void
    ) async throws(TransportError) -> TransportResponse

  private let answer: Answer
  private let fetched = Guarded([String]())

  /// The URLs fetched so far, in order.
  public var urls: [String] { fetched.withLock { $0 } }

  /// Creates a transport.
  public init(_ answer: @escaping Answer) { self.answer = answer }

  /// Creates a transport that answers every request with the same body, fresh for a week.
  public convenience init(body: [UInt8], status: Int = 200) {
    self.init { (request, _) throws(TransportError) in
      TransportResponse(status: status, headers: .fresh, body: body, url: request.url)
    }
  }

  /// Counts, then answers.
  public func fetch(
    _ request: TransportRequest,
    progress: @escaping @Sendable (TransferProgress) -> Void
  ) async throws(TransportError) -> TransportResponse {
    fetched.withLock { $0.append(request.url) }
    return try await answer(request, progress)
  }
}

extension [HeaderField] {
  /// The field of a response that is fresh for a week.
  public static var fresh: [HeaderField] { [HeaderField("Cache-Control", "max-age=604800")] }
}
