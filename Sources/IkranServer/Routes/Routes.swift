/// What the origin means to do with one request, decided when its head arrives.
struct Course: Sendable {
  var delay: Duration = .zero
  var fate: Faults.Fate = .served
}

/// Which answer belongs to which request: no connection, no clock, no lock.
struct Routes: Sendable {
  static let statsPath = "/stats"
  private static let chaosPath = "/chaos/"
  private static let listPaths: Set<String> = ["/", "/list.txt"]

  let paths: [String]
  private let faults: Faults
  private let portraits: Portraits
  private let folder: Folder?
  /// What answers instead of all this.
  private let handler: (@Sendable (RequestHead) -> Answer?)?

  /// Routes that leave every answer but the statistics to `handler`.
  init(answering handler: @escaping @Sendable (RequestHead) -> Answer?) {
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

  /// Draws portraits until all are kept or the memory is full.
  func prepare() {
    for number in 0..<portraits.count where !portraits.isFull {
      // One that cannot be drawn says so when it is asked for.
      if let name = Portraits.Name(path: Portraits.path(number)) { _ = try? portraits.entity(name) }
    }
  }

  /// Whether requests must be read to their last field and byte.
  var wantsAll: Bool { handler != nil }

  /// What requests are counted by to tell the first from the next; nil when it does not matter.
  func target(of head: RequestHead) -> String? {
    guard handler != nil || head.path.hasPrefix(Self.chaosPath) else { return nil }
    return head.parameters.reduce(head.path) { $0 + "&" + $1.name + "=" + $1.value }
  }

  /// Decides about request `number`.
  func course(of head: RequestHead, number: Int) -> Course {
    if handler != nil || head.path == Self.statsPath || Self.listPaths.contains(head.path) {
      return Course()
    }
    var course = Course(delay: faults.delay, fate: faults.fate(of: number))
    if case .slow(let pause) = SpecialPath(head.path) { course.delay += pause }
    return course
  }

  /// The answer to a request, or nil to close its connection without one.
  func answer(to head: RequestHead, fate: Faults.Fate) -> Answer? {
    if let handler { return handler(head) }
    guard var answer = answerInTime(to: head, fate: fate) else { return nil }
    if let bandwidth = faults.bandwidth, answer.pace == Pace() { answer.pace = .speed(bandwidth) }
    return answer
  }

  private func answerInTime(to head: RequestHead, fate: Faults.Fate) -> Answer? {
    guard head.method == "GET" || head.method == "HEAD" else {
      return .text(405, "only GET and HEAD work here\n", fields: [Field("Allow", "GET, HEAD")])
    }
    switch fate {
    case .dropped: return nil
    case .reset: return .reset
    case .throttled:
      return .text(429, "this request was chosen to wait\n", fields: [Field("Retry-After", "1")])
    case .refused: return .text(503, "this request was chosen to fail\n")
    case .served: return answer(to: head)
    case .cut(let share, let resets):
      guard let whole = answer(to: head), !whole.part.isEmpty, head.method != "HEAD" else {
        return answer(to: head)
      }
      return whole.cut(after: share, resets: resets)
    }
  }

  private func answer(to head: RequestHead) -> Answer? {
    if head.path.hasPrefix(Self.chaosPath) { return chaoticAnswer(to: head) }
    if Self.listPaths.contains(head.path) { return list(for: head) }
    if let entity = folder?.entity(at: head.path) { return entity.answer(to: head, faults: faults) }
    if let special = SpecialPath(head.path) { return answer(to: head, special: special) }
    guard let portrait = Portraits.Name(path: head.path), portrait.number < portraits.count else {
      return .text(404, "nothing is at this path; /list.txt names what is here\n")
    }
    return answer(to: head, portrait: portrait)
  }

  /// The answer to a path under `/chaos`: what the rest of the path names, with faults.
  private func chaoticAnswer(to head: RequestHead) -> Answer? {
    do throws(Chaos.Misunderstanding) {
      let chaos = try Chaos(head.parameters)
      let path = String(head.path.dropFirst(Self.chaosPath.count - 1))
      guard let entity = entity(at: path, version: chaos.version(after: head.earlier)) else {
        return .text(404, "no picture, file or bytes are at \(path)\n")
      }
      guard var answer = chaos.answer(to: head, with: entity) else { return nil }
      answer.delay = chaos.delay
      return answer
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
    // A portrait that cannot be drawn is not there.
    return try? portraits.entity(name)
  }

  private func answer(to head: RequestHead, portrait: Portraits.Name) -> Answer {
    do {
      return try portraits.entity(portrait).answer(to: head, faults: faults)
    } catch {
      return .text(500, "the portrait could not be drawn: \(error)\n")
    }
  }

  private func list(for head: RequestHead) -> Answer {
    let base = head.host.map { "http://\($0)" } ?? ""
    return .text(200, paths.map { "\(base)\($0)\n" }.joined())
  }

  private func answer(to head: RequestHead, special: SpecialPath) -> Answer {
    switch special {
    case .status(let code):
      return code == 204 || code == 304 ? .empty(code) : .text(code, "status \(code)\n")
    case .redirect(let location):
      return .text(302, "go to \(location)\n", fields: [Field("Location", location)])
    case .slow, .picture: return answer(to: head, portrait: .sample)
    case .fixed(let entity): return entity.answer(to: head, faults: faults)
    case .truncatedPicture:
      do {
        var entity = try portraits.entity(.sample)
        entity.count = entity.count * 6 / 10
        return entity.answer(to: head, faults: faults)
      } catch {
        return .text(500, "the portrait could not be drawn: \(error)\n")
      }
    case .stream(let answer): return answer
    }
  }
}
