import Ikran
import IkranTesting
import IkranTransport

/// An origin that gives every URL the same responses, written down in order.
typealias ScriptedOrigin = FakeTransport

extension FakeTransport {
  typealias Answer = FakeResponse

  convenience init(_ script: [FakeResponse]) {
    self.init()
    respond(with: script)
  }

  /// Puts other responses in place of those that are left.
  func answer(_ responses: FakeResponse...) { respond(with: responses) }

  /// The value of a field of a request, by the request's number from 0.
  func header(_ name: String, of number: Int) -> String? {
    requests[number].headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}

extension FakeResponse {
  /// An image; fresh for a week unless the headers say otherwise.
  static func ok(_ body: [UInt8], _ headers: [String: String]? = nil) -> FakeResponse {
    .body(body, headers: headers.map(fields) ?? .fresh)
  }

  static func status(_ status: Int, _ headers: [String: String]) -> FakeResponse {
    .status(status, headers: fields(headers))
  }

  static func response(status: Int, headers: [HeaderField], body: [UInt8]) -> FakeResponse {
    FakeResponse(status: status, headers: headers, body: body)
  }

  /// A response that breaks off after its body.
  static func interrupted(status: Int, headers: [HeaderField], body: [UInt8]) -> FakeResponse {
    let failure = TransportError.connectionLost(received: body.count)
    return FakeResponse(status: status, headers: headers, body: body, failure: failure)
  }

  static func fields(_ headers: [String: String]) -> [HeaderField] {
    headers.map { HeaderField($0.key, $0.value) }
  }
}
