import IkranHTTP
import IkranTransport

/// The source of a body's bytes.
enum Payload: Sendable {
  /// Bytes in memory.
  case memory(BodyBytes)
  /// An open file, sent by the kernel.
  case file(ServedFile)
  /// Byte n of the body is `(n + shift) % 251`: any length, no memory, and a client
  /// can check every range.
  case pattern(shift: Int = 0)
}

/// The beginning of the pattern, long enough to send most bodies without a copy.
enum Pattern {
  static let period = 251
  static let bytes = BodyBytes((0..<1 << 18).map { UInt8($0 % period) })
}

/// How fast a body is sent.
struct Pace: Sendable, Hashable {
  /// The most bytes at a time; nil is no limit.
  var piece: Int?
  /// The pause before each piece.
  var interval: Duration = .zero
  /// The maximum speed; nil is unlimited.
  var bytesPerSecond: Int?

  /// Pieces of a twentieth of a second, each sent when its last byte would be due at this speed.
  static func speed(_ bytesPerSecond: Int) -> Pace {
    Pace(piece: max(1, bytesPerSecond / 20), bytesPerSecond: max(1, bytesPerSecond))
  }

  /// The time from the beginning at which `count` bytes are due; nil when the speed is unlimited.
  func time(of count: Int) -> Duration? {
    bytesPerSecond.map { .nanoseconds(Int64(Double(count) / Double($0) * 1e9)) }
  }
}

/// A complete response, ready to be sent.
package struct Response: Sendable {
  /// The status, 200…599.
  var status: Int
  var fields: [Field] = []
  var payload: Payload
  /// The part of the payload to send; its upper bound is `Int.max` when the body never ends.
  var part: Range<Int>
  /// Whether Content-Length is sent; without it the body is chunked.
  var announcesLength = true
  var pace = Pace()
  /// Holds back the rest of the part until it is let through.
  var gate: BodyGate?
  /// The connection closes after this many bytes of the part.
  var cut: Int?
  /// Whether it is reset instead: after the cut, or without a response when there is no cut.
  var resets = false
  /// The delay before it is sent.
  var delay: Duration = .zero

  /// Resets the connection without a response.
  package static var reset: Response {
    var response = empty(200)
    response.resets = true
    return response
  }

  /// Creates a response from bytes.
  ///
  /// `Content-Length` and `Date` are added unless `headers` has them. A `Content-Length` in
  /// `headers` may be wrong or repeated: it is sent unchanged, and the connection closes after the
  /// body.
  ///
  /// - Parameters:
  ///   - status: 200…599.
  ///   - headers: All other header fields, in order.
  ///   - body: The body; ignored with the statuses 204 and 304.
  ///   - announcesLength: Whether `Content-Length` is sent; without it the body is chunked.
  ///   - gate: Holds back the rest of the body until it is let through.
  ///   - cut: The connection closes after this many bytes of the body; nil sends all.
  ///   - delay: The delay before it is sent.
  package init(
    _ status: Int,
    headers: [Field] = [],
    body: [UInt8] = [],
    announcesLength: Bool = true,
    gate: BodyGate? = nil,
    cut: Int? = nil,
    delay: Duration = .zero
  ) {
    let bytes = status == 204 || status == 304 ? [] : body
    self.init(
      status: min(max(status, 200), 599),
      fields: headers,
      payload: .memory(BodyBytes(bytes)),
      part: 0..<bytes.count
    )
    self.announcesLength = announcesLength
    self.gate = gate
    self.cut = cut.map { max(0, $0) }
    self.delay = delay
  }

  init(status: Int, fields: [Field] = [], payload: Payload, part: Range<Int>) {
    self.status = status
    self.fields = fields
    self.payload = payload
    self.part = part
  }

  /// A response with a status and a line of plain text.
  static func text(_ status: Int, _ text: String, fields: [Field] = []) -> Response {
    let bytes = Array(text.utf8)
    return Response(
      status: status,
      fields: [Field("Content-Type", "text/plain; charset=utf-8")] + fields,
      payload: .memory(BodyBytes(bytes)),
      part: 0..<bytes.count
    )
  }

  /// A response without a body.
  static func empty(_ status: Int, fields: [Field] = []) -> Response {
    Response(status: status, fields: fields, payload: .pattern(), part: 0..<0)
  }

  /// Whether its fields contain a Content-Length, right or wrong.
  var claimsLength: Bool { fields.contains { $0.name.lowercased() == "content-length" } }

  /// The same response, its connection closed after a share of the body.
  func cut(after share: Double, resets: Bool = false) -> Response {
    var response = self
    response.resets = resets
    // An endless body is cut early too, and for an empty one the connection closes.
    let length = Double(min(part.count, 1 << 20))
    response.cut = min(Int(length * share), max(0, part.count - 1))
    return response
  }
}
