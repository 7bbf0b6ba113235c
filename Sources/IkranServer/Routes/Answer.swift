/// One header field of an answer.
struct Field: Sendable, Hashable {
  let name: String
  let value: String

  init(_ name: String, _ value: String) {
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
  /// Byte n of the body is `n % 251`: any length, no memory, and every range is checkable.
  case pattern
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
}

/// A whole answer, ready to be sent.
struct Answer: Sendable {
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
    Answer(status: status, fields: fields, payload: .pattern, part: 0..<0)
  }

  /// The same answer, its connection closed after a share of the body.
  func cut(after share: Double) -> Answer {
    var answer = self
    // A body that never ends breaks off early too, and an empty one breaks its connection.
    let length = Double(min(part.count, 1 << 20))
    answer.cut = min(Int(length * share), max(0, part.count - 1))
    return answer
  }
}
