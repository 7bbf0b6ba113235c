import IkranStores
import IkranTransport
import Testing

@testable import Ikran

/// RFC 9111, section 4.2, case by case: an answer that came at 1,000,000 s, judged later.
struct FreshnessTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let fields: [String: String]
    /// Seconds since the answer came.
    let later: Int64
    let expected: String

    init(_ fields: [String: String], after later: Int64, _ expected: String) {
      self.fields = fields
      self.later = later
      self.expected = expected
    }

    var testDescription: String { "\(fields) after \(later) s" }
  }

  private static func date(_ later: Int) -> String { HTTPDate.text(1_000_000 + later) }
  private static let week: Int64 = 604_800

  private static let cases: [Case] = [
    Case(["Cache-Control": "max-age=60"], after: 59, "fresh"),
    Case(["Cache-Control": "max-age=60"], after: 60, "stale, usable on error"),
    Case(["Cache-Control": "max-age=60", "Age": "30"], after: 29, "fresh"),
    Case(["Cache-Control": "max-age=60", "Age": "30"], after: 30, "stale, usable on error"),
    Case(["Cache-Control": "max-age=60", "Age": "x"], after: 59, "fresh"),
    Case(["Cache-Control": "max-age=60", "Date": date(-50)], after: 9, "fresh"),
    Case(["Cache-Control": "max-age=60", "Date": date(-50)], after: 10, "stale, usable on error"),
    Case(["Cache-Control": "max-age=60", "Date": date(500)], after: 59, "fresh"),
    Case(["Cache-Control": "max-age=60", "Expires": date(-9)], after: 59, "fresh"),
    Case(["Cache-Control": "max-age=0", "Expires": date(99)], after: 0, "stale, usable on error"),
    Case(["Expires": date(60)], after: 59, "fresh"),
    Case(["Expires": date(60)], after: 60, "stale, usable on error"),
    Case(["Expires": date(60), "Date": date(30)], after: 29, "fresh"),
    Case(["Expires": date(60), "Date": date(30)], after: 30, "stale, usable on error"),
    Case(["Expires": "0"], after: 0, "stale, usable on error"),
    Case(["Expires": "never"], after: 0, "stale, usable on error"),
    Case(["Last-Modified": date(-360_000), "Date": date(0)], after: 35_999, "fresh"),
    Case(["Last-Modified": date(-360_000)], after: 36_000, "usable while checked"),
    Case(["Last-Modified": date(-10)], after: 0, "fresh"),
    Case(["Last-Modified": date(-10)], after: 1, "usable while checked"),
    Case(["Last-Modified": date(99)], after: 0, "usable while checked"),
    Case(["Last-Modified": "Thu, 01 Jan 1900 00:00:00 GMT"], after: week - 1, "fresh"),
    Case(["Last-Modified": "Thu, 01 Jan 1900 00:00:00 GMT"], after: week, "usable while checked"),
    Case([:], after: 0, "usable while checked"),
    Case([:], after: 99 * week, "usable while checked"),
    Case(["ETag": "\"a\""], after: 0, "usable while checked"),
    Case(["Cache-Control": "must-revalidate"], after: 0, "stale"),
    Case(["Cache-Control": "stale-while-revalidate=5"], after: 4, "usable while checked"),
    Case(["Cache-Control": "stale-while-revalidate=5"], after: 5, "stale, usable on error"),
    Case(["Cache-Control": "max-age=7201", "Age": "7200, 0"], after: 0, "fresh"),
    Case(["Cache-Control": "max-age=7201", "Age": "7200, 0"], after: 1, "stale, usable on error"),
    Case(["Cache-Control": "max-age=60", "Age": "-1"], after: 59, "fresh"),
    Case(["Expires": "Thu, 18 Aug 2050 02:01:18 UTC"], after: 0, "stale, usable on error"),
    Case(["Cache-Control": "no-cache"], after: 0, "stale"),
    Case(["Cache-Control": "no-cache, max-age=60"], after: 0, "stale"),
    Case(["Cache-Control": "max-age=1, must-revalidate"], after: 0, "fresh"),
    Case(["Cache-Control": "max-age=1, must-revalidate"], after: 1, "stale"),
    Case(
      ["Cache-Control": "max-age=1, stale-while-revalidate=5"],
      after: 5,
      "usable while checked"
    ),
    Case(
      ["Cache-Control": "max-age=1, stale-while-revalidate=5"],
      after: 6,
      "stale, usable on error"
    ),
    Case(
      ["Cache-Control": "max-age=1, stale-while-revalidate=5, must-revalidate"],
      after: 2,
      "stale"
    ),
    Case(["Cache-Control": "max-age=1, stale-if-error=5"], after: 5, "stale, usable on error"),
    Case(["Cache-Control": "max-age=1, stale-if-error=5"], after: 6, "stale"),
    Case(["Cache-Control": "max-age=1, stale-if-error=0"], after: 1, "stale"),
    Case(["Cache-Control": "max-age=60"], after: -59, "fresh"),
    Case(["Cache-Control": "max-age=60"], after: -61, "stale, usable on error"),
    Case(["Cache-Control": "max-age=999999999999"], after: 999_999_999, "fresh"),
  ]

  /// RFC 9110, section 15.1: of other statuses only a lifetime of their own allows reuse.
  @Test(arguments: [201, 202, 302, 303, 307])
  func aStatusThatAllowsNoHeuristicsIsNeverFreshByThem(status: Int) {
    let headers = [HeaderField("Last-Modified", Self.date(-360_000))]
    let response = TransportResponse(status: status, headers: headers, body: [], url: "")
    let received: Int64 = 1_000_000 * 1_000_000
    let stored = StoredResponse(
      response,
      to: [],
      secret: FolderSecret(folder: nil),
      requested: received,
      received: received
    )
    #expect(Freshness(of: stored, at: received) == .stale(usableOnError: true))
    #expect(!stored.mayStore(method: "GET"))
  }

  @Test(arguments: cases)
  func anAnswerIsJudgedByItsAge(_ one: Case) {
    let headers = one.fields.map { HeaderField($0.key, $0.value) }
    let response = TransportResponse(status: 200, headers: headers, body: [], url: "")
    let received: Int64 = 1_000_000 * 1_000_000
    let answer = StoredResponse(
      response,
      to: [],
      secret: FolderSecret(folder: nil),
      requested: received,
      received: received
    )
    let found =
      switch Freshness(of: answer, at: received + one.later * 1_000_000) {
      case .fresh: "fresh"
      case .staleWhileRevalidate: "usable while checked"
      case .stale(usableOnError: true): "stale, usable on error"
      case .stale(usableOnError: false): "stale"
      }
    #expect(found == one.expected)
  }

  @Test func theTimeTheAnswerTookCountsAsAge() {
    let headers = [HeaderField("Age", "10"), HeaderField("Cache-Control", "max-age=60")]
    let response = TransportResponse(status: 200, headers: headers, body: [], url: "")
    let received: Int64 = 1_000_000_000_000
    let answer = StoredResponse(
      response,
      to: [],
      secret: FolderSecret(folder: nil),
      requested: received - 20_000_000,
      received: received
    )
    #expect(Freshness.age(of: answer, at: received + 5_000_000) == 35_000_000)
  }
}
