/// One header field, or one parameter of a query.
public struct Field: Sendable, Hashable {
  /// The name, as it was sent.
  public let name: String
  /// The value.
  public let value: String

  /// Creates a field.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// Where the bytes of a body come from.
enum Payload: Sendable {
  /// Bytes in memory.
  case memory(BodyBytes)
  /// An open file, sent by the kernel.
  case file(FileHandle)
  /// Byte n of the body is `(n + shift) % 251`: any length, no memory, and every range is
  /// checkable.
  case pattern(shift: Int = 0)
}

/// The beginning of the pattern, long enough for most bodies to be sent straight from here.
enum Pattern {
  static let period = 251
  static let bytes = BodyBytes((0..<1 << 18).map { UInt8($0 % period) })
}

/// How a body travels.
struct Pace: Sendable, Hashable {
  /// At most so many bytes at a time; nil sends as fast as the network takes them.
  var piece: Int?
  /// The pause before each piece.
  var interval: Duration = .zero
  /// The body takes at least as long as it would at this speed; nil is as fast as can be.
  var bytesPerSecond: Int?

  /// Pieces of a twentieth of a second, each of which comes when all of it could have been sent.
  static func speed(_ bytesPerSecond: Int) -> Pace {
    Pace(piece: max(1, bytesPerSecond / 20), bytesPerSecond: max(1, bytesPerSecond))
  }

  /// How long after the beginning a body has so many bytes, nil when its speed is free.
  func time(of count: Int) -> Duration? {
    bytesPerSecond.map { .nanoseconds(Int64(Double(count) / Double($0) * 1e9)) }
  }
}

/// A whole answer, ready to be sent.
public struct Answer: Sendable {
  /// The status, 200…599.
  var status: Int
  var fields: [Field] = []
  var payload: Payload
  /// The part of the payload to send; its upper bound is `Int.max` when the body never ends.
  var part: Range<Int>
  /// Whether Content-Length is sent; without it the body is chunked.
  var announcesLength = true
  var pace = Pace()
  /// The connection closes after so many bytes of the part.
  var cut: Int?
  /// Whether it is reset instead: after the cut, or without an answer when there is no cut.
  var resets = false
  /// How long it is held back.
  var delay: Duration = .zero

  /// Closes the connection by a reset, without an answer.
  public static var reset: Answer {
    var answer = empty(200)
    answer.resets = true
    return answer
  }

  /// Creates an answer of bytes.
  ///
  /// `Content-Length` and `Date` are added unless the headers have their own. Lengths of the headers
  /// may be lies, and several: they are sent as they are, and the connection closes after the body.
  ///
  /// - Parameters:
  ///   - status: 200…599.
  ///   - headers: All other header fields, in order.
  ///   - body: What is sent; nothing with the statuses 204 and 304.
  ///   - announcesLength: Whether `Content-Length` is sent; without it the body is chunked.
  ///   - cut: The connection closes after so many bytes of the body; nil sends all.
  ///   - delay: How long it is held back.
  public init(
    _ status: Int,
    headers: [Field] = [],
    body: [UInt8] = [],
    announcesLength: Bool = true,
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
    self.cut = cut.map { max(0, $0) }
    self.delay = delay
  }

  init(status: Int, fields: [Field] = [], payload: Payload, part: Range<Int>) {
    self.status = status
    self.fields = fields
    self.payload = payload
    self.part = part
  }

  /// An answer of a status and a line of plain text.
  static func text(_ status: Int, _ text: String, fields: [Field] = []) -> Answer {
    let bytes = Array(text.utf8)
    return Answer(
      status: status,
      fields: [Field("Content-Type", "text/plain; charset=utf-8")] + fields,
      payload: .memory(BodyBytes(bytes)),
      part: 0..<bytes.count
    )
  }

  /// An answer without a body.
  static func empty(_ status: Int, fields: [Field] = []) -> Answer {
    Answer(status: status, fields: fields, payload: .pattern(), part: 0..<0)
  }

  /// Whether its own fields say a length, true or not.
  var claimsLength: Bool { fields.contains { $0.name.lowercased() == "content-length" } }

  /// The same answer, its connection closed after a share of the body.
  func cut(after share: Double, resets: Bool = false) -> Answer {
    var answer = self
    answer.resets = resets
    // A body that never ends breaks off early too, and an empty one breaks its connection.
    let length = Double(min(part.count, 1 << 20))
    answer.cut = min(Int(length * share), max(0, part.count - 1))
    return answer
  }
}
