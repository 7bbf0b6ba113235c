import IkranStores
import IkranTransport
import Testing

@testable import Ikran

struct CacheControlTests {
  private func control(_ values: String...) -> CacheControl {
    CacheControl(values.map { HeaderField("cache-Control", $0) })
  }

  @Test func directivesAreReadWhateverTheirCaseAndSpaces() {
    let control = control("Max-Age=60 ,  NO-CACHE", "must-revalidate,stale-if-error=\"5\"")
    #expect(control.maxAge == 60)
    #expect(control.noCache)
    #expect(control.mustRevalidate)
    #expect(control.staleIfError == 5)
    #expect(!control.noStore)
  }

  @Test func ofTwoAgesTheShorterHolds() {
    #expect(control("max-age=60, max-age=5").maxAge == 5)
    #expect(control("max-age=5", "max-age=60").maxAge == 5)
  }

  @Test(arguments: [
    "max-age=", "max-age", "max-age=-1", "max-age=1.5", "max-age=a", "max-age=\"\"",
  ])
  func anAgeThatIsNoNumberMeansStale(text: String) { #expect(control(text).maxAge == 0) }

  @Test func anAgeThatOverflowsIsVeryLong() {
    #expect(control("max-age=99999999999999999999999").maxAge == 1 << 31)
  }

  @Test func aCommaInQuotesSeparatesNothing() {
    let control = control("no-cache=\"a, no-store\", max-age=1")
    #expect(control.noCache && !control.noStore && control.maxAge == 1)
  }

  @Test func whatIsUnknownIsPassedOver() {
    #expect(control("immutable, proxy-revalidate, x-maxage=9, =, ,\"") == control())
  }
}

struct ContentRangeTests {
  @Test func theThreeFormsAreRead() throws {
    let part = try #require(ContentRange("bytes 2-4/10"))
    #expect(part.range == 2..<5 && part.total == 10)
    let open = try #require(ContentRange("Bytes 0-0/*"))
    #expect(open.range == 0..<1 && open.total == nil)
    let none = try #require(ContentRange("bytes */10"))
    #expect(none.range == nil && none.total == 10)
  }

  @Test(
    arguments: [
      "", "bytes", "bytes 1-2", "bytes 2-1/3", "bytes 0-3/3", "bytes */*", "bytes -1-2/3",
      "items 0-1/2", "bytes 0-1/2/3", "bytes 0-99999999999999999999/*", "bytes 1/2", "bytes 0-/2",
    ]
  )
  func anythingElseIsNone(text: String) { #expect(ContentRange(text) == nil) }
}

struct HTTPDateFormTests {
  @Test(
    arguments: [
      "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ]
  )
  func theThreeFormsMeanTheSame(text: String) { #expect(HTTPDate.seconds(text) == 784_111_777) }

  @Test(
    arguments: [
      "sUN, 06 nOV 1994 08:49:37 gmt", "SUNDAY, 06-NOV-94 08:49:37 Gmt", "sun nov  6 08:49:37 1994",
    ]
  )
  func namesMayBeInAnyCase(text: String) { #expect(HTTPDate.seconds(text) == 784_111_777) }

  /// RFC 9110, section 5.6.7.
  @Test func twoDigitsOfAYearAreAtMostFiftyYearsAhead() throws {
    let now = try #require(HTTPDate.seconds("Sun, 22 Nov 2026 00:00:00 GMT"))
    func year(_ digits: String) -> Int? {
      HTTPDate.seconds("Sunday, 06-Nov-\(digits) 08:49:37 GMT", now: now)
    }
    #expect(year("76") == HTTPDate.seconds("Sun, 06 Nov 2076 08:49:37 GMT"))
    #expect(year("77") == HTTPDate.seconds("Sun, 06 Nov 1977 08:49:37 GMT"))
  }

  @Test(
    arguments: [
      "", "0", "-1", "yesterday", "Sun, 06 Nov 1994 08:49:37 PST", "Sun, 32 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nov 99999 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
      "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06-Nov-1994 08:49:37 GMT", "Sun 06 Nov 1994 08:49:37 GMT",
      "Sun,  06 Nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
      "Sun, 06 Nov 1994 08.49.37 GMT", "Sun, 06 Nov 1994 08:49:37 UTC",
      "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 1994 08:49:37 GMT ",
      " Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 30 Feb 1994 08:49:37 GMT",
      "Xxx, 06 Nov 1994 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT", "Sun Nov 6 08:49:37 1994",
      "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
    ]
  )
  func anythingElseIsNoDate(text: String) { #expect(HTTPDate.seconds(text) == nil) }
}

struct StoredResponseTests {
  private let secret = FolderSecret(folder: nil)

  private func answer(_ fields: [HeaderField], sent: [HeaderField] = []) -> StoredResponse {
    let response = TransportResponse(status: 200, headers: fields, body: [], url: "http://a.test")
    return StoredResponse(response, to: sent, secret: secret, requested: 1, received: 2)
  }

  @Test func itComesBackFromItsBytes() {
    let stored = answer(
      [
        HeaderField("ETag", "\"a:b\""), HeaderField("Vary", "Accept, X-Ä"),
        HeaderField("Cache-Control", ""),
      ],
      sent: [HeaderField("accept", "a,b"), HeaderField("Accept", "c")]
    )
    #expect(StoredResponse(stored.bytes) == stored)
    // The values may be secrets.
    let digest = secret.digest(of: "vary\u{0}accept\u{0}a,b,c")
    #expect(stored.varying.map(\.value) == ["keyed \(digest)", ""])
  }

  @Test func damagedBytesAreNoAnswer() {
    let bytes = answer([HeaderField("ETag", "\"a\"")]).bytes
    for count in 0..<bytes.count - 9 {
      #expect(StoredResponse(Array(bytes[..<count])) == nil || count > 18)
    }
    #expect(StoredResponse([]) == nil)
    #expect(StoredResponse(Array("ikran-http 2 200 1 2\nx".utf8)) == nil)
    #expect(StoredResponse(Array("ikran-http 2 200 1 99999999999999999999".utf8)) == nil)
    #expect(StoredResponse([0xFF, 0xFE]) == nil)
  }

  @Test(arguments: [":", ":a", "<", "a:b", "", "\u{301}:", "<\u{301}"])
  func aLineThatIsNoFieldIsNoAnswer(line: String) {
    #expect(StoredResponse(Array("ikran-http 2 200 1 2 -\n\(line)".utf8)) == nil)
  }

  @Test(arguments: ["a:b", ":", "a:", ":b", "::"])
  func aVaryNameWithAColonComesBack(name: String) throws {
    let sent = [HeaderField(name, "en")]
    let stored = answer([HeaderField("ETag", "\"x:y\""), HeaderField("Vary", name)], sent: sent)
    let read = try #require(StoredResponse(stored.bytes))
    #expect(read == stored)
    #expect(read.matches(sent, secret))
    #expect(!read.matches([HeaderField(name, "de")], secret))
  }

  /// A mark that combines with what stands before it makes one character of both.
  @Test(arguments: ["\u{301}", "\u{301}\r", "\u{1F3FD}\u{200D}"])
  func fieldsAreTakenApartByTheirBytes(text: String) {
    let stored = answer([HeaderField("ETag", text), HeaderField("Vary", text + "x")])
    #expect(StoredResponse(stored.bytes) == stored)
  }

  /// A checksum finds accidents only: whoever writes the file may write any number.
  @Test(arguments: [Int64.min, .max, -1 << 62, 1 << 62])
  func timesThatNoClockTellsAreNoAnswer(time: Int64) {
    #expect(StoredResponse(Array("ikran-http 2 200 1 \(time) -\n<age:1".utf8)) == nil)
    #expect(StoredResponse(Array("ikran-http 2 200 \(time) 1 -\n<age:1".utf8)) == nil)
  }

  @Test(arguments: [-1 << 58, 0, 1 << 58] as [Int64], [-1 << 58, 0, 1 << 58] as [Int64])
  func everyTimeThatIsReadCanBeJudged(requested: Int64, received: Int64) throws {
    for field in ["max-age=9999999999", "max-age=0, stale-while-revalidate=9999999999", ""] {
      let text = "ikran-http 2 200 \(requested) \(received) -\n<cache-control:\(field)\n"
      let fields = "<age:9999999999\n<date:Fri, 31 Dec 9999 23:59:59 GMT"
      let stored = try #require(StoredResponse(Array((text + fields).utf8)))
      let now: Int64 = 1_800_000_000_000_000
      #expect(Freshness(of: stored, at: now) != .fresh(until: now))
    }
  }

  @Test(arguments: ["\"a\u{1}\"", "\"a\rX-Other: 1\"", "\"\u{7F}\""])
  func aValidatorThatNoRequestMayCarryIsNotSent(tag: String) {
    #expect(answer([HeaderField("ETag", tag)]).conditions.isEmpty)
    #expect(answer([HeaderField("Last-Modified", tag)]).conditions.isEmpty)
    let fields = [HeaderField("ETag", tag)]
    let response = TransportResponse(status: 200, headers: fields, body: [1], url: "")
    #expect(response.strongValidator == nil)
    #expect(PartialBody(response, after: nil) == nil)
  }

  @Test func whatVariesWithAFieldMatchesOnlyItsValue() {
    let stored = answer([HeaderField("Vary", "Cookie")], sent: [HeaderField("Cookie", "1")])
    #expect(stored.matches([HeaderField("cookie", "1")], secret))
    #expect(!stored.matches([HeaderField("cookie", "2")], secret))
    #expect(!stored.matches([], secret))
    #expect(!answer([HeaderField("Vary", "*")]).matches([], secret))
  }

  @Test func aConfirmationReplacesFieldsOfItsNamesAlone() {
    let stored = answer([
      HeaderField("ETag", "\"a\""), HeaderField("Age", "9"),
      HeaderField("Cache-Control", "max-age=1"),
    ])
    let fields = [HeaderField("cache-control", "max-age=7"), HeaderField("Content-Type", "x")]
    let response = TransportResponse(status: 304, headers: fields, body: [], url: "")
    let refreshed = stored.refreshed(by: response, requested: 5, received: 6)
    #expect(refreshed.cacheControl.maxAge == 7)
    #expect(refreshed.header("etag") == "\"a\"")
    #expect(refreshed.header("age") == nil)
    #expect(refreshed.header("content-type") == nil)
    #expect(refreshed.received == 6)
  }
}
