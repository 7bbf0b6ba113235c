import IkranHTTP

/// The head of a request, as far as the service reads it.
struct ClientRequest: Sendable {
  let method: String
  /// As it was sent, with its query and its escapes.
  let target: String
  /// The path without the query.
  let path: Substring
  /// Names the request in logs and in the response.
  let id: String
  /// The number of the client's address; nil for a Unix socket.
  let address: String?
  let wishes: ClientWishes
  let ifNoneMatch: String?
  let authorization: String?
  /// Whether the client announces a body, which no request needs.
  let hasBody: Bool
  /// Whether it is in doubt where it ends or what it is for: another program may read it otherwise.
  let isAmbiguous: Bool
  /// Whether its connection is a Unix socket, and the service has tables for such clients.
  var isLocal = false
  /// Where the client says it belongs; nil where it says nothing.
  var trace: TraceContext?

  /// Reads the fields of a connection's request.
  init(
    _ line: RequestLine,
    on connection: ConnectionHandle,
    _ settings: NegotiationSettings
  ) {
    method = line.method
    target = line.target
    let end = target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
    path = target[..<end]
    let given = connection.header("X-Request-ID")
    id = given.flatMap { RequestID.isValid($0) ? $0 : nil } ?? RequestID.random()
    address = connection.clientAddress
    wishes = ClientWishes(settings, field: connection.header)
    ifNoneMatch = connection.header("If-None-Match")
    authorization = connection.header("Authorization")
    let fields = connection.headers
    trace = TraceContext(fields)
    let framing = RequestFraming(fields)
    (hasBody, isAmbiguous) = (framing.hasBody, framing.isAmbiguous)
  }
}

/// What the fields of a request say of its end (RFC 9112, sections 3.2, 5.1 and 6.3).
struct RequestFraming {
  private var hosts = 0
  private var lengths: [String] = []
  private var encodings: [String] = []
  private var isBroken = false

  /// Reads all fields.
  ///
  /// libmicrohttpd puts the second line of a folded field behind its name: what begins with one of
  /// the names that matter was folded.
  init(_ fields: [Field]) {
    for field in fields {
      isBroken = isBroken || !field.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 9 }
      switch field.name.lowercased() {
      case "host": hosts += 1
      case "content-length": lengths.append(field.value)
      case "transfer-encoding": encodings.append(field.value.lowercased())
      case let name:
        isBroken =
          isBroken || name.isEmpty || !name.utf8.allSatisfy(Self.isOfName)
          || name.hasPrefix("content-length")
          || name.hasPrefix("transfer-encoding")
      }
    }
  }

  /// Whether a body follows.
  var hasBody: Bool { !encodings.isEmpty || lengths.contains { $0 != "0" } }

  /// Whether programs may differ in what they take for its end.
  var isAmbiguous: Bool {
    hosts > 1 || isBroken || lengths.count + encodings.count > 1
      || !encodings.allSatisfy { $0 == "chunked" } || !lengths.allSatisfy(Self.isNumber)
  }

  private static func isNumber(_ text: String) -> Bool {
    (1...18).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// Whether a byte may be in a field's name (RFC 9110, section 5.6.2).
  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
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
