/// The delay and outcome of one request, chosen when its head arrives.
struct RequestPlan: Sendable {
  var delay: Duration = .zero
  var outcome: Faults.Outcome = .served
}

/// Maps requests to responses: no connection, no clock, no lock.
struct Routes: Sendable {
  static let statsPath = "/stats"
  private static let chaosPath = "/chaos/"
  private static let listPaths: Set<String> = ["/", "/list.txt"]

  let paths: [String]
  private let faults: Faults
  private let portraits: Portraits
  private let folder: Folder?
  /// Responds to all requests when present.
  private let handler: (@Sendable (RequestHead) -> Response?)?

  /// Routes that leave every response but the statistics to `handler`.
  init(answering handler: @escaping @Sendable (RequestHead) -> Response?) {
    self.handler = handler
    faults = Faults()
    portraits = Portraits(count: 0)
    folder = nil
    paths = []
  }

  init(_ content: OriginContent, faults: Faults) throws(ServerError) {
    self.faults = faults
    handler = nil
    switch content {
    case .portraits(let count):
      guard (0...1_000_000).contains(count) else { throw .invalidPortraitCount(count) }
      portraits = Portraits(count: count)
      folder = nil
      paths = (0..<count).map(Portraits.path)
    case .folder(let path):
      let folder = try Folder(path: path)
      portraits = Portraits(count: 0)
      self.folder = folder
      paths = folder.paths()
    }
  }

  /// Draws portraits until all are cached or the cache is full.
  func prepare() {
    for number in 0..<portraits.count where !portraits.isFull {
      // The request for a portrait that cannot be drawn gets the error.
      if let name = Portraits.Name(path: Portraits.path(number)) { _ = try? portraits.entity(name) }
    }
  }

  /// Whether all header fields and the body of requests are needed.
  var needsWholeRequests: Bool { handler != nil }

  /// The key under which requests are counted; nil when their number does not matter.
  func target(of head: RequestHead) -> String? {
    guard handler != nil || head.path.hasPrefix(Self.chaosPath) else { return nil }
    return head.parameters.reduce(head.path) { $0 + "&" + $1.name + "=" + $1.value }
  }

  /// Chooses the delay and outcome of request `number`.
  func plan(for head: RequestHead, number: Int) -> RequestPlan {
    if handler != nil || head.path == Self.statsPath || Self.listPaths.contains(head.path) {
      return RequestPlan()
    }
    var plan = RequestPlan(delay: faults.delay, outcome: faults.outcome(of: number))
    if case .slow(let pause) = SpecialPath(head.path) { plan.delay += pause }
    return plan
  }

  /// The response to a request, or nil to close its connection without one.
  func response(to head: RequestHead, outcome: Faults.Outcome) -> Response? {
    if let handler { return handler(head) }
    guard var response = unlimitedResponse(to: head, outcome: outcome) else { return nil }
    if let bandwidth = faults.bandwidth, response.pace == Pace() {
      response.pace = .speed(bandwidth)
    }
    return response
  }

  private func unlimitedResponse(
    to head: RequestHead,
    outcome: Faults.Outcome
  ) -> Response? {
    guard head.method == "GET" || head.method == "HEAD" else {
      return .text(405, "only GET and HEAD work here\n", fields: [Field("Allow", "GET, HEAD")])
    }
    switch outcome {
    case .dropped: return nil
    case .reset: return .reset
    case .throttled:
      return .text(429, "this request was chosen to wait\n", fields: [Field("Retry-After", "1")])
    case .refused: return .text(503, "this request was chosen to fail\n")
    case .served: return response(to: head)
    case .cut(let share, let resets):
      guard let whole = response(to: head), !whole.part.isEmpty, head.method != "HEAD" else {
        return response(to: head)
      }
      return whole.cut(after: share, resets: resets)
    }
  }

  private func response(to head: RequestHead) -> Response? {
    if head.path.hasPrefix(Self.chaosPath) { return chaosResponse(to: head) }
    if Self.listPaths.contains(head.path) { return list(for: head) }
    if let entity = folder?.entity(at: head.path) {
      return entity.response(to: head, faults: faults)
    }
    if let special = SpecialPath(head.path) { return response(to: head, special: special) }
    guard let portrait = Portraits.Name(path: head.path), portrait.number < portraits.count else {
      return .text(404, "nothing is at this path; /list.txt names what is here\n")
    }
    return response(to: head, portrait: portrait)
  }

  /// The response to a path under `/chaos`: the entity at the rest of the path, with faults.
  private func chaosResponse(to head: RequestHead) -> Response? {
    do throws(Chaos.InvalidParameter) {
      let chaos = try Chaos(head.parameters)
      let path = String(head.path.dropFirst(Self.chaosPath.count - 1))
      guard let entity = entity(at: path, version: chaos.version(after: head.earlier)) else {
        return .text(404, "no picture, file or bytes are at \(path)\n")
      }
      guard var response = chaos.faultyResponse(to: head, with: entity) else { return nil }
      response.delay = chaos.delay
      return response
    } catch {
      let parameter = error.parameter
      return .text(400, "“\(parameter.name)=\(parameter.value)” is not a fault of this origin\n")
    }
  }

  private func entity(at path: String, version: Int) -> Entity? {
    if let entity = folder?.entity(at: path) { return entity }
    if let count = SpecialPath.byteCount(path) {
      return SpecialPath.pattern(count: count, version: version)
    }
    guard var name = Portraits.Name(path: path), name.number < portraits.count else { return nil }
    name.number += version
    // A portrait that cannot be drawn counts as missing.
    return try? portraits.entity(name)
  }

  private func response(to head: RequestHead, portrait: Portraits.Name) -> Response {
    do {
      return try portraits.entity(portrait).response(to: head, faults: faults)
    } catch {
      return .text(500, "the portrait could not be drawn: \(error)\n")
    }
  }

  private func list(for head: RequestHead) -> Response {
    let base = head.host.map { "http://\($0)" } ?? ""
    return .text(200, paths.map { "\(base)\($0)\n" }.joined())
  }

  private func response(to head: RequestHead, special: SpecialPath) -> Response {
    switch special {
    case .status(let code):
      return code == 204 || code == 304 ? .empty(code) : .text(code, "status \(code)\n")
    case .redirect(let location):
      return .text(302, "go to \(location)\n", fields: [Field("Location", location)])
    case .slow, .picture: return response(to: head, portrait: .sample)
    case .fixed(let entity): return entity.response(to: head, faults: faults)
    case .truncatedPicture:
      do {
        var entity = try portraits.entity(.sample)
        entity.count = entity.count * 6 / 10
        return entity.response(to: head, faults: faults)
      } catch {
        return .text(500, "the portrait could not be drawn: \(error)\n")
      }
    case .stream(let response): return response
    }
  }
}
