import IkranServer
import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

/// What is kept, how old it is, what the origin says then, and what has to happen: each case against
/// a real origin, over a real connection, by a pipeline whose time is the test's.
@Suite(.timeLimit(.minutes(10)))
struct HTTPCaseTests {
  /// What the second request, if any, is answered.
  enum Second: Sendable {
    case notModified([String: String] = [:])
    case same([String: String] = [:])
    case changed([String: String] = [:])
    case status(Int)
    case page
    case reset
  }

  /// What the origin is asked the second time.
  enum Asked: String, Sendable { case nothing, plainly, tag, date, both }

  struct Case: Sendable, CustomTestStringConvertible {
    let number: Int
    let first: [String: String]
    let later: Int
    let second: Second
    let asked: Asked
    let shows: String
    var policy = CachePolicy.standard
    var expiry = ResponseOptions.Expiry.fromResponse

    var testDescription: String { "\(number): \(first) after \(later) s, \(second)" }
  }

  static let epoch = 1_800_000_000
  private static func date(_ later: Int) -> String { HTTPDate.text(epoch + later) }
  private static let tag = ["ETag": "\"1\""]
  private static let weak = ["ETag": "W/\"1\""]
  private static let changed = ["Last-Modified": date(-864_000)]

  private static func with(_ control: String, _ more: [String: String] = [:]) -> [String: String] {
    more.merging(["Cache-Control": control]) { one, _ in one }
  }

  private static var rows:
    [(
      [String: String], Int, Second, Asked, String, CachePolicy, ResponseOptions.Expiry
    )]
  {
    let both = tag.merging(changed) { one, _ in one }
    let standard: [([String: String], Int, Second, Asked, String)] = [
      // Fresh: nobody asks.
      (with("max-age=60"), 0, .status(500), .nothing, "old"),
      (with("max-age=60", tag), 59, .status(500), .nothing, "old"),
      (with("max-age=60, public"), 59, .status(500), .nothing, "old"),
      (with("private, max-age=60"), 59, .status(500), .nothing, "old"),
      (with("max-age=60, must-revalidate"), 59, .status(500), .nothing, "old"),
      (with("max-age=60, s-maxage=1"), 30, .status(500), .nothing, "old"),
      (with("max-age=60", ["Expires": date(-99)]), 30, .status(500), .nothing, "old"),
      (with("max-age=60", ["Pragma": "no-cache"]), 30, .status(500), .nothing, "old"),
      (["Expires": date(60)], 59, .status(500), .nothing, "old"),
      (changed, 86_399, .status(500), .nothing, "old"),
      (with("immutable, max-age=60"), 59, .status(500), .nothing, "old"),
      (with("unknown=1", changed), 3600, .status(500), .nothing, "old"),
      // Without a lifetime: shown at once, and the origin asked behind.
      (changed, 86_400, .notModified(), .date, "old"),
      (changed, 86_400, .changed(), .date, "old"),
      (tag, 0, .notModified(), .tag, "old"),
      (tag, 9_999_999, .changed(), .tag, "old"),
      ([:], 0, .same(), .plainly, "old"),
      ([:], 9_999_999, .changed(), .plainly, "old"),
      ([:], 60, .status(500), .plainly, "old"),
      (with("must-revalidate"), 0, .changed(), .plainly, "new"),
      (with("max-age=7260", ["Age": "7200, 0"]), 59, .status(500), .nothing, "old"),
      (with("max-age=7260", ["Age": "7200, 0"]), 60, .changed(), .plainly, "new"),
      (["Expires": "Thu, 18 Aug 2050 02:01:18 UTC"], 0, .changed(), .plainly, "new"),
      (["Expires": "thu, 18 aUG 2050 02:01:18 gmt"], 9_999, .changed(), .nothing, "old"),
      // Stale: the origin is asked with what identifies the copy.
      (with("max-age=60", tag), 60, .notModified(), .tag, "old"),
      (with("max-age=60", weak), 60, .notModified(), .tag, "old"),
      (with("max-age=60", changed), 60, .notModified(), .date, "old"),
      (with("max-age=60", both), 60, .notModified(), .both, "old"),
      (with("max-age=60"), 60, .same(), .plainly, "old"),
      (with("max-age=0", tag), 0, .notModified(), .tag, "old"),
      (
        with("max-age=60", tag.merging(["Age": "60"]) { a, _ in a }), 0, .notModified(), .tag, "old"
      ),
      (with("max-age=x", tag), 0, .notModified(), .tag, "old"),
      (with("max-age=-1", tag), 0, .notModified(), .tag, "old"),
      (["Expires": "0", "ETag": "\"1\""], 0, .notModified(), .tag, "old"),
      (["Expires": date(60), "ETag": "\"1\""], 60, .notModified(), .tag, "old"),
      (["Expires": date(60), "Date": date(60), "ETag": "\"1\""], 0, .notModified(), .tag, "old"),
      (with("no-cache", tag), 0, .notModified(), .tag, "old"),
      (with("no-cache=\"Set-Cookie\"", tag), 0, .notModified(), .tag, "old"),
      // What came in the meantime.
      (with("max-age=60", tag), 60, .changed(), .tag, "new"),
      (with("max-age=60", tag), 60, .changed(["ETag": "\"2\""]), .tag, "new"),
      (with("max-age=60", changed), 60, .changed(), .date, "new"),
      (with("max-age=60"), 60, .changed(), .plainly, "new"),
      (with("no-cache", tag), 0, .changed(), .tag, "new"),
      (with("max-age=60", tag), 60, .same(["ETag": "\"2\""]), .tag, "old"),
      (with("max-age=60", tag), 60, .changed(["Cache-Control": "no-store"]), .tag, "new"),
      // Trouble: the copy is better than none …
      (with("max-age=60", tag), 60, .status(500), .tag, "old"),
      (with("max-age=60", tag), 60, .status(502), .tag, "old"),
      (with("max-age=60", tag), 60, .status(503), .tag, "old"),
      (with("max-age=60", tag), 60, .status(429), .tag, "old"),
      (with("max-age=60", tag), 60, .reset, .tag, "old"),
      (with("max-age=60", tag), 60, .page, .tag, "old"),
      (with("max-age=60, stale-if-error=600", tag), 600, .status(503), .tag, "old"),
      // … unless its origin forbade that, or says that it is gone.
      (with("max-age=60, must-revalidate", tag), 60, .status(503), .tag, "error"),
      (with("max-age=60, must-revalidate", tag), 60, .reset, .tag, "error"),
      (with("no-cache", tag), 0, .status(503), .tag, "error"),
      (with("max-age=60, stale-if-error=60", tag), 120, .status(503), .tag, "error"),
      (with("max-age=60, stale-if-error=0", tag), 60, .reset, .tag, "error"),
      (with("max-age=60", tag), 60, .status(404), .tag, "error"),
      (with("max-age=60", tag), 60, .status(410), .tag, "error"),
      (with("max-age=60", tag), 60, .status(403), .tag, "error"),
      // Not kept at all.
      (with("no-store"), 0, .same(), .plainly, "old"),
      (with("no-store, max-age=60", tag), 0, .changed(), .plainly, "new"),
      (["Vary": "*", "Cache-Control": "max-age=60"], 0, .changed(), .plainly, "new"),
      (with("no-store"), 0, .status(503), .plainly, "error"),
      // Usable while somebody asks.
      (with("max-age=1, stale-while-revalidate=60", tag), 30, .notModified(), .tag, "old"),
      (with("max-age=1, stale-while-revalidate=60", tag), 30, .changed(), .tag, "old"),
      (with("max-age=1, stale-while-revalidate=60", tag), 30, .status(500), .tag, "old"),
      (with("max-age=1, stale-while-revalidate=60", tag), 61, .changed(), .tag, "new"),
    ]
    let others:
      [(
        [String: String], Int, Second, Asked, String, CachePolicy, ResponseOptions.Expiry
      )] = [
        (with("no-cache", tag), 999_999, .status(500), .nothing, "old", .onlyCached, .fromResponse),
        (with("max-age=1"), 999_999, .status(500), .nothing, "old", .onlyCached, .fromResponse),
        (with("no-store"), 0, .status(500), .nothing, "error", .onlyCached, .fromResponse),
        (with("max-age=60", tag), 0, .same(), .plainly, "old", .reload, .fromResponse),
        (with("max-age=60", tag), 0, .changed(), .plainly, "new", .reload, .fromResponse),
        (with("max-age=60", tag), 0, .status(500), .plainly, "error", .reload, .fromResponse),
        (with("max-age=60", tag), 0, .notModified(), .tag, "old", .refresh, .fromResponse),
        (with("max-age=60", tag), 0, .changed(), .tag, "new", .refresh, .fromResponse),
        (with("max-age=60"), 0, .same(), .plainly, "old", .refresh, .fromResponse),
        (with("max-age=60", tag), 0, .status(500), .tag, "error", .refresh, .fromResponse),
        (with("max-age=1", tag), 999_999, .changed(), .nothing, "old", .standard, .never),
        (with("no-store"), 999_999, .changed(), .nothing, "old", .standard, .never),
      ]
    return standard.map { ($0.0, $0.1, $0.2, $0.3, $0.4, .standard, .fromResponse) } + others
  }

  static let cases = rows.enumerated().map { number, row in
    Case(
      number: number,
      first: row.0,
      later: row.1,
      second: row.2,
      asked: row.3,
      shows: row.4,
      policy: row.5,
      expiry: row.6
    )
  }

  @Test func thereAreEnough() { #expect(Self.cases.count >= 60) }

  @Test(arguments: cases)
  func theCacheDoesWhatTheRFCsSay(_ one: Case) async throws {
    let older = try TestImages.png(width: 8, height: 8)
    let newer = try TestImages.png(width: 9, height: 9)
    let asked = Guarded([RequestHead]())
    let origin = try Origin(threads: 1) { head in
      asked.withLock { $0.append(head) }
      if head.earlier == 0 { return Self.answer(200, one.first, older) }
      switch one.second {
      case .notModified(let fields): return Self.answer(304, fields, [])
      case .same(let fields): return Self.answer(200, fields, older)
      case .changed(let fields): return Self.answer(200, fields, newer)
      case .status(let status): return Self.answer(status, [:], Array("no".utf8))
      case .page: return Self.answer(200, [:], Array("<html>log in</html>".utf8))
      case .reset: return Response.reset
      }
    }
    defer { origin.stop() }
    let clock = ManualClock(seconds: Int64(Self.epoch))
    var options = PipelineOptions.steady
    options.network.retry = .none
    options.network.responses.expiry = one.expiry
    let transport = SchemeTransport()
    let pipeline = ImagePipeline(
      options: options,
      transport: transport,
      diskCache: FakeDisk(),
      clock: clock.pipelineClock
    )
    var request = ImageRequest(location: "\(origin.baseURL)/a.png", style: .original)
    _ = try await pipeline.response(for: request)
    clock.advance(by: .seconds(one.later))
    request.caching.policy = one.policy
    var shown = "error"
    do throws(ImageError) {
      shown = try await pipeline.response(for: request).image.width == 8 ? "old" : "new"
    } catch {}
    // What is asked behind the caller's back comes a moment later.
    if one.asked != .nothing { try await until { asked.withLock { $0.count } > 1 } }
    try await until { pipeline.activity.sources == 0 && pipeline.downloads.running == 0 }
    #expect(shown == one.shows)
    // libcurl repeats a request by itself when a connection that was kept alive is reset.
    #expect(Set(Self.asked(Array(asked.withLock { $0 }.dropFirst()))) == [one.asked])
  }

  /// The answer with its `Date`, which the server would take from the machine's clock.
  private static func answer(_ status: Int, _ fields: [String: String], _ body: [UInt8]) -> Response
  {
    let fields = fields.merging(["Date": date(0)]) { given, _ in given }
    return Response(status, headers: fields.map { Field($0.key, $0.value) }, body: body)
  }

  private static func asked(_ heads: [RequestHead]) -> [Asked] {
    guard !heads.isEmpty else { return [.nothing] }
    return heads.map { head in
      switch (head.header("if-none-match"), head.header("if-modified-since")) {
      case (nil, nil): .plainly
      case (_?, nil): .tag
      case (nil, _?): .date
      case (_?, _?): .both
      }
    }
  }
}
