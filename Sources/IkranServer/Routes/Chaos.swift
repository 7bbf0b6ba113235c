import Ikran

/// What one request under `/chaos` asks to go wrong; ``Origin`` lists the parameters.
///
/// A value made of the query alone: equal requests meet equal fates.
struct Chaos: Sendable {
  enum Fault: Equatable {
    case status(Int)
    case drop
    case reset
    case truncate
  }

  enum Ranges: String {
    case honest, ignore, wrong, stale, short, refuse
  }

  enum Tag: String {
    case strong, weak, none
  }

  enum Length: String {
    case honest, more, less, none
  }

  private(set) var fault: Fault?
  /// The first so many requests fail; nil when all do.
  private(set) var failures: Int?
  private(set) var retryAfter: String?
  private(set) var delay = Duration.zero
  private(set) var bytesPerSecond: Int?
  private(set) var ranges = Ranges.honest
  private(set) var tag = Tag.strong
  private(set) var length = Length.honest
  private(set) var sendsDate = true
  /// The body changes after so many requests; nil when it never does.
  private(set) var requestsPerVersion: Int?
  private(set) var fields: [Field] = []

  /// Reads the parameters of a query.
  ///
  /// - Throws: A sentence about the first that is not understood.
  init(_ parameters: [Field]) throws(Misunderstanding) {
    for parameter in parameters {
      guard try read(parameter.name, parameter.value) else {
        throw Misunderstanding(parameter: parameter)
      }
    }
  }

  struct Misunderstanding: Error {
    let parameter: Field
  }

  private mutating func read(_ name: String, _ value: String) throws(Misunderstanding) -> Bool {
    switch name {
    case "fault":
      fault = Self.fault(value)
      return fault != nil
    case "fail":
      failures = Self.number(value)
      fault = fault ?? .status(503)
      return failures != nil
    case "retry-after":
      retryAfter = value
      return true
    case "delay":
      let milliseconds = Self.number(value)
      delay = .milliseconds(min(milliseconds ?? 0, 3_600_000))
      return milliseconds != nil
    case "drip":
      bytesPerSecond = Self.number(value)
      return bytesPerSecond ?? 0 > 0
    case "change":
      requestsPerVersion = Self.number(value)
      return requestsPerVersion ?? 0 > 0
    case "header":
      return addField(value)
    default: return readChoice(name, value)
    }
  }

  private mutating func readChoice(_ name: String, _ value: String) -> Bool {
    switch name {
    case "ranges": return Self.choose(value, into: &ranges)
    case "etag": return Self.choose(value, into: &tag)
    case "length": return Self.choose(value, into: &length)
    case "modified":
      sendsDate = value != "none"
      return value == "none" || value == "yes"
    default: return false
    }
  }

  private mutating func addField(_ text: String) -> Bool {
    guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else { return false }
    fields.append(
      Field(String(text[..<colon]), String(text[text.index(after: colon)...].drop { $0 == " " }))
    )
    return true
  }

  private static func fault(_ text: String) -> Fault? {
    switch text {
    case "drop": return .drop
    case "reset": return .reset
    case "truncate": return .truncate
    default:
      guard let status = Int(text), (200...599).contains(status) else { return nil }
      return .status(status)
    }
  }

  private static func number(_ text: String) -> Int? { Int(text).flatMap { $0 < 0 ? nil : $0 } }

  private static func choose<Choice: RawRepresentable<String>>(
    _ text: String,
    into choice: inout Choice
  ) -> Bool {
    guard let chosen = Choice(rawValue: text) else { return false }
    choice = chosen
    return true
  }
}

// MARK: - Answering

extension Chaos {
  /// Which body a request gets that came after so many others.
  func version(after earlier: Int) -> Int { requestsPerVersion.map { earlier / $0 } ?? 0 }

  /// The answer to a request, or nil to close its connection without one.
  func answer(to head: RequestHead, with entity: Entity) -> Answer? {
    let fails = failures.map { head.earlier < $0 } ?? true
    switch fails ? fault : nil {
    case .drop: return nil
    case .reset: return .reset
    case .status(let status): return failure(status)
    case .truncate: return honest(to: head, with: entity).cut(after: 0.5)
    case nil: return honest(to: head, with: entity)
    }
  }

  private func failure(_ status: Int) -> Answer {
    var answer = status == 204 || status == 304 ? Answer.empty(status) : .text(status, "chaos\n")
    if let retryAfter { answer.fields.append(Field("Retry-After", Self.retryAfter(retryAfter))) }
    answer.fields += fields
    return answer
  }

  /// `date:5` becomes the date in five seconds.
  private static func retryAfter(_ text: String) -> String {
    guard text.hasPrefix("date:"), let seconds = Int(text.dropFirst(5)) else { return text }
    return HTTPDate.text(HTTPDate.now() &+ seconds)
  }

  private func honest(to head: RequestHead, with entity: Entity) -> Answer {
    var (head, entity) = (head, entity)
    if tag == .weak { entity.tag = "W/" + entity.tag }
    if !sendsDate { head.ifModifiedSince = nil }
    if ranges == .stale { head.ifRange = nil }
    let rules = Faults(ignoresRanges: ranges == .ignore, sendsETag: tag != .none)
    if ranges == .refuse, head.range != nil {
      return .empty(416, fields: [Field("Content-Range", "bytes */\(entity.count)")])
    }
    var answer = entity.answer(to: head, faults: rules)
    if !sendsDate { answer.fields.removeAll { $0.name == "Last-Modified" } }
    if let sum = entity.checksum { answer.fields.append(Field("X-Body-FNV1a", sum)) }
    answer.fields += fields
    if answer.status == 206 { lieAboutRange(&answer, count: entity.count) }
    if let bytesPerSecond { answer.pace = .speed(bytesPerSecond) }
    lieAboutLength(&answer)
    return answer
  }

  private func lieAboutRange(_ answer: inout Answer, count: Int) {
    var claimed = answer.part
    if ranges == .short, claimed.count > 1 {
      claimed = claimed.lowerBound..<claimed.upperBound - 1
      answer.part = claimed
    }
    if ranges == .wrong { claimed = claimed.lowerBound + 1..<claimed.upperBound + 1 }
    let text = "bytes \(claimed.lowerBound)-\(claimed.upperBound - 1)/\(count)"
    answer.fields.removeAll { $0.name == "Content-Range" }
    answer.fields.append(Field("Content-Range", text))
  }

  private func lieAboutLength(_ answer: inout Answer) {
    let count = answer.part.count
    switch length {
    case .honest: return
    case .none: answer.announcesLength = false
    case .more: answer.fields.append(Field("Content-Length", "\(min(count, .max - 10) + 10)"))
    case .less: answer.fields.append(Field("Content-Length", "\(max(0, count - 10))"))
    }
  }
}

extension Entity {
  /// FNV-1a (64 bits) of the whole body in hexadecimal, of bodies in memory and short patterns.
  fileprivate var checksum: String? {
    switch payload {
    case .memory(let bytes): Self.tag(of: bytes.bytes).filter { $0 != "\"" }
    case .pattern(let shift) where count <= 4 << 20:
      Self.tag(of: (0..<count).map { UInt8(($0 + shift) % Pattern.period) }).filter { $0 != "\"" }
    case .pattern, .file: nil
    }
  }
}
