import IkranHTTP

/// The head of a request, as far as the service reads it.
struct ClientRequest: Sendable {
  let method: String
  /// As it was sent, with its query and its escapes.
  let target: String
  /// Names the request in logs and in the response.
  let id: String
  let wishes: ClientWishes
  let ifNoneMatch: String?
  let authorization: String?
  /// Whether the client announces a body, which no request needs.
  let hasBody: Bool

  /// Reads the fields of a connection's request.
  init(_ line: RequestLine, _ connection: ConnectionHandle, _ settings: NegotiationSettings) {
    method = line.method
    target = line.target
    let given = connection.header("X-Request-ID")
    id = given.flatMap { RequestID.isValid($0) ? $0 : nil } ?? RequestID.random()
    wishes = ClientWishes(settings, field: connection.header)
    ifNoneMatch = connection.header("If-None-Match")
    authorization = connection.header("Authorization")
    let length = connection.header("Content-Length")
    hasBody = length.map { $0 != "0" } ?? false || connection.header("Transfer-Encoding") != nil
  }

  /// The path without the query.
  var path: Substring { target.prefix { $0 != "?" } }
}

/// The names of requests.
enum RequestID {
  private static let letters = Array(
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_".utf8
  )

  /// Whether a client's own name may stand in logs.
  static func isValid(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 128 && text.utf8.allSatisfy { letters.contains($0) }
  }

  /// A new name of 21 letters.
  static func random() -> String {
    var bits: (UInt64, UInt64) = (.random(in: 0...(.max)), .random(in: 0...(.max)))
    return String(unsafeUninitializedCapacity: 21) { bytes in
      for index in 0..<21 {
        bytes[index] = letters[Int(bits.0 & 63)]
        bits.0 >>= 6
        if index == 9 { bits.0 = bits.1 }
      }
      return 21
    }
  }
}
