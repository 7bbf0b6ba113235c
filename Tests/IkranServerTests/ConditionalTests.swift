import Ikran
import IkranTransport
import TestBasics
import Testing

@testable import IkranServer

@Suite(.timeLimit(.minutes(10))) struct ConditionalTests {
  private static let date = "Wed, 01 Jan 2025 00:00:00 GMT"

  private func origin(_ faults: Faults = Faults(sendsETag: true)) throws -> Origin {
    try Origin(.portraits(count: 0), faults: faults)
  }

  @Test(arguments: [
    ("\"bytes-10\"", 304), ("W/\"bytes-10\"", 304), ("\"x\", \"bytes-10\"", 304), ("*", 304),
    ("\"other\"", 200),
  ])
  func ifNoneMatchSelectsTheStatus(tags: String, status: Int) throws {
    let reply = try fetch(try origin(), "/bytes/10", headers: ["If-None-Match": tags])
    #expect(reply.status == status)
    #expect(reply.headers["etag"] == "\"bytes-10\"")
    #expect(reply.body.count == (status == 200 ? 10 : 0))
  }

  @Test(arguments: [
    ("Wed, 01 Jan 2025 00:00:00 GMT", 304), ("Thu, 02 Jan 2025 00:00:00 GMT", 304),
    ("Tue, 31 Dec 2024 23:59:59 GMT", 200), ("yesterday", 200),
  ])
  func ifModifiedSinceSelectsTheStatus(date: String, status: Int) throws {
    let reply = try fetch(try origin(), "/bytes/10", headers: ["If-Modified-Since": date])
    #expect(reply.status == status)
  }

  @Test func aDifferentTagOverridesAMatchingDate() throws {
    let headers = ["If-None-Match": "\"other\"", "If-Modified-Since": Self.date]
    #expect(try fetch(try origin(), "/bytes/10", headers: headers).status == 200)
  }

  @Test func aConnectionIsReusedAfter304() throws {
    let origin = try origin()
    let kept = try RawClient(origin.port)
    #expect(try kept.get("/bytes/10", headers: ["If-None-Match": "*"]).status == 304)
    #expect(try kept.get("/bytes/10").body.count == 10)
  }

  @Test(arguments: [
    ("bytes=0-3", 206, 0..<4), ("bytes=7-", 206, 7..<10), ("bytes=-3", 206, 7..<10),
    ("bytes=-30", 206, 0..<10), ("bytes=2-99999999999999999999", 206, 2..<10),
    ("bytes=3-2", 200, 0..<10), ("bytes=0-1,3-4", 200, 0..<10), ("bytes=x-", 200, 0..<10),
    ("lines=0-3", 200, 0..<10), ("bytes=+1-2", 200, 0..<10), ("bytes=--3", 200, 0..<10),
  ])
  func rangesAreServed(header: String, status: Int, bytes: Range<Int>) throws {
    let reply = try fetch(try origin(), "/bytes/10", headers: ["Range": header])
    #expect(reply.status == status)
    #expect(reply.body == bytes.map { UInt8($0) })
    let span = "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/10"
    #expect(reply.headers["content-range"] == (status == 206 ? span : nil))
  }

  @Test(arguments: ["bytes=10-", "bytes=-0", "bytes=99999999999999999999-"])
  func rangesAfterTheEndAre416(header: String) throws {
    let reply = try fetch(try origin(), "/bytes/10", headers: ["Range": header])
    #expect(reply.status == 416)
    #expect(reply.headers["content-range"] == "bytes */10")
  }

  @Test(arguments: [
    ("\"bytes-10\"", 206), (date, 206), ("\"other\"", 200), ("Tue, 31 Dec 2024 23:59:59 GMT", 200),
  ])
  func ifRangeSelectsThePartOrTheWhole(condition: String, status: Int) throws {
    let headers = ["Range": "bytes=0-3", "If-Range": condition]
    #expect(try fetch(try origin(), "/bytes/10", headers: headers).status == status)
  }

  @Test func anOriginWithoutRangesSendsTheWhole() throws {
    let origin = try origin(Faults(ignoresRanges: true))
    let reply = try fetch(origin, "/bytes/10", headers: ["Range": "bytes=0-3"])
    #expect(reply.status == 200)
    #expect(reply.headers["accept-ranges"] == nil)
  }

  @Test(arguments: [
    (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
    (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
    (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
    (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
  ])
  func datesAreWrittenAndRead(seconds: Int, text: String) {
    #expect(HTTPDate.text(seconds) == text)
    #expect(HTTPDate.seconds(text) == seconds)
  }
}
