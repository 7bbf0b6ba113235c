import Ikran

/// The faults that a request under `/chaos` selects; ``Origin`` lists the parameters.
///
/// A value parsed from the query alone: equal requests have equal outcomes.
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
  /// How many requests fail first; nil when all do.
  private(set) var failures: Int?
  private(set) var retryAfter: String?
  private(set) var delay = Duration.zero
  private(set) var bytesPerSecond: Int?
  private(set) var ranges = Ranges.honest
  private(set) var tag = Tag.strong
  private(set) var length = Length.honest
  private(set) var sendsDate = true
  /// The body changes after this many requests; nil when it never does.
  private(set) var requestsPerVersion: Int?
  private(set) var fields: [Field] = []

  /// Reads the parameters of a query.
  ///
  /// - Throws: The first invalid parameter.
  init(_ parameters: [Field]) throws(InvalidParameter) {
    for parameter in parameters {
      guard try read(parameter.name, parameter.value) else {
        throw InvalidParameter(parameter: parameter)
      }
    }
  }

  struct InvalidParameter: Error {
    let parameter: Field
  }

  private mutating func read(_ name: String, _ value: String) throws(InvalidParameter) -> Bool {
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

// MARK: - Responding

extension Chaos {
  /// The version of the body for a request after `earlier` others.
  func version(after earlier: Int) -> Int { requestsPerVersion.map { earlier / $0 } ?? 0 }

  /// The response to a request, or nil to close its connection without one.
  func faultyResponse(to head: RequestHead, with entity: Entity) -> Response? {
    let fails = failures.map { head.earlier < $0 } ?? true
    switch fails ? fault : nil {
    case .drop: return nil
    case .reset: return .reset
    case .status(let status): return failure(status)
    case .truncate: return response(to: head, with: entity).cut(after: 0.5)
    case nil: return response(to: head, with: entity)
    }
  }

  private func failure(_ status: Int) -> Response {
    var response =
      status == 204 || status == 304 ? Response.empty(status) : .text(status, "chaos\n")
    if let retryAfter { response.fields.append(Field("Retry-After", Self.retryAfter(retryAfter))) }
    response.fields += fields
    return response
  }

  /// `date:5` becomes the date in five seconds.
  private static func retryAfter(_ text: String) -> String {
    guard text.hasPrefix("date:"), let seconds = Int(text.dropFirst(5)) else { return text }
    return HTTPDate.text(HTTPDate.now() &+ seconds)
  }

  private func response(to head: RequestHead, with entity: Entity) -> Response {
    var (head, entity) = (head, entity)
    if tag == .weak { entity.tag = "W/" + entity.tag }
    if !sendsDate { head.ifModifiedSince = nil }
    if ranges == .stale { head.ifRange = nil }
    let rules = Faults(ignoresRanges: ranges == .ignore, sendsETag: tag != .none)
    if ranges == .refuse, head.range != nil {
      return .empty(416, fields: [Field("Content-Range", "bytes */\(entity.count)")])
    }
    var response = entity.response(to: head, faults: rules)
    if !sendsDate { response.fields.removeAll { $0.name == "Last-Modified" } }
    if let sum = entity.checksum { response.fields.append(Field("X-Body-FNV1a", sum)) }
    response.fields += fields
    if response.status == 206 { falsifyRange(&response, count: entity.count) }
    if let bytesPerSecond { response.pace = .speed(bytesPerSecond) }
    falsifyLength(&response)
    return response
  }

  private func falsifyRange(_ response: inout Response, count: Int) {
    var claimed = response.part
    if ranges == .short, claimed.count > 1 {
      claimed = claimed.lowerBound..<claimed.upperBound - 1
      response.part = claimed
    }
    if ranges == .wrong { claimed = claimed.lowerBound + 1..<claimed.upperBound + 1 }
    let text = "bytes \(claimed.lowerBound)-\(claimed.upperBound - 1)/\(count)"
    response.fields.removeAll { $0.name == "Content-Range" }
    response.fields.append(Field("Content-Range", text))
  }

  private func falsifyLength(_ response: inout Response) {
    let count = response.part.count
    switch length {
    case .honest: return
    case .none: response.announcesLength = false
    case .more: response.fields.append(Field("Content-Length", "\(min(count, .max - 10) + 10)"))
    case .less: response.fields.append(Field("Content-Length", "\(max(0, count - 10))"))
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
