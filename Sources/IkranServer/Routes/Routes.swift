/// What the origin means to do with one request, decided when its head arrives.
struct Course: Sendable {
  var delay: Duration = .zero
  var fate: Faults.Fate = .served
}

/// Which answer belongs to which request: no connection, no clock, no lock.
struct Routes: Sendable {
  static let statsPath = "/stats"
  private static let listPaths: Set<String> = ["/", "/list.txt"]

  let paths: [String]
  private let faults: Faults
  private let portraits: Portraits
  private let folder: Folder?

  init(_ content: OriginContent, faults: Faults) throws(ServerError) {
    self.faults = faults
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

  /// Decides about request `number`.
  func course(of head: RequestHead, number: Int) -> Course {
    if head.path == Self.statsPath || Self.listPaths.contains(head.path) { return Course() }
    var course = Course(delay: faults.delay, fate: faults.fate(of: number))
    if case .slow(let pause) = SpecialPath(head.path) { course.delay += pause }
    return course
  }

  /// The answer to a request, or nil to close its connection without one.
  func answer(to head: RequestHead, fate: Faults.Fate) -> Answer? {
    guard head.method == "GET" || head.method == "HEAD" else {
      return .text(405, "only GET and HEAD work here\n", fields: [Field("Allow", "GET, HEAD")])
    }
    switch fate {
    case .dropped: return nil
    case .refused: return .text(503, "this request was chosen to fail\n")
    case .served: return answer(to: head)
    case .cut(let share):
      let whole = answer(to: head)
      return whole.part.isEmpty || head.method == "HEAD" ? whole : whole.cut(after: share)
    }
  }

  private func answer(to head: RequestHead) -> Answer {
    if Self.listPaths.contains(head.path) { return list(for: head) }
    if let entity = folder?.entity(at: head.path) { return entity.answer(to: head, faults: faults) }
    if let special = SpecialPath(head.path) { return answer(to: head, special: special) }
    guard let portrait = Portraits.Name(path: head.path), portrait.number < portraits.count else {
      return .text(404, "nothing is at this path; /list.txt names what is here\n")
    }
    return answer(to: head, portrait: portrait)
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
