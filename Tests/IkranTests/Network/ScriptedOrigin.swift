import Ikran
import IkranStores

/// A transport that gives the answers of a script, one after the other and the last one for ever,
/// and keeps what it was asked.
final class ScriptedOrigin: Transport {
  enum Answer: Sendable {
    case response(status: Int, headers: [HeaderField], body: [UInt8])
    /// An answer that breaks off after its body.
    case interrupted(status: Int, headers: [HeaderField], body: [UInt8])
    case failure(TransportError)

    /// An image; fresh for a week unless the headers say otherwise.
    static func ok(
      _ body: [UInt8],
      _ headers: [String: String] = ["Cache-Control": "max-age=604800"]
    ) -> Answer {
      .response(status: 200, headers: fields(headers), body: body)
    }

    static func status(_ status: Int, _ headers: [String: String] = [:]) -> Answer {
      .response(status: status, headers: fields(headers), body: [])
    }

    static func fields(_ headers: [String: String]) -> [HeaderField] {
      headers.map { HeaderField($0.key, $0.value) }
    }
  }

  private let script: Guarded<[Answer]>
  private let asked = Guarded([TransportRequest]())

  /// What was asked so far.
  var requests: [TransportRequest] { asked.withLock { $0 } }

  init(_ script: [Answer]) { self.script = Guarded(script) }

  /// Puts other answers in place of those that are left.
  func answer(_ answers: Answer...) { script.withLock { $0 = answers } }

  /// The value of a field of a request, by the request's number from 0.
  func header(_ name: String, of number: Int) -> String? {
    requests[number].headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  func fetch(
    _ request: TransportRequest,
    progress: @escaping @Sendable (TransferProgress) -> Void
  ) async throws(TransportError) -> TransportResponse {
    var kept = request
    // What the closures hold may hold this origin.
    (kept.onHead, kept.isEnough, kept.onInterruption) = (nil, nil, nil)
    asked.withLock { [kept] in $0.append(kept) }
    let answer = script.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
    switch answer {
    case .failure(let error): throw error
    case .response(let status, let headers, let body):
      guard body.count <= request.maximumBodyBytes else {
        throw .bodyTooLarge(limit: request.maximumBodyBytes)
      }
      progress(TransferProgress(received: body.count, expected: body.count))
      return TransportResponse(status: status, headers: headers, body: body, url: request.url)
    case .interrupted(let status, let headers, let body):
      let arrived = TransportResponse(
        status: status,
        headers: headers,
        body: body,
        url: request.url,
        isComplete: false
      )
      request.onInterruption?(arrived)
      throw .connectionLost(received: body.count)
    }
  }
}
