import Ikran
import IkranTransport
import TestBasics
import Testing

@testable import IkranServer

/// Paths under `/chaos`: faults on demand.
@Suite(.timeLimit(.minutes(10))) struct ChaosTests {
  private let origin: Origin

  init() throws { origin = try Origin(.portraits(count: 2)) }

  private func get(_ path: String, _ headers: [String: String] = [:]) throws -> Reply {
    try fetch(origin, "/chaos" + path, headers: headers)
  }

  private func pattern(_ range: Range<Int>, version: Int = 0) -> [UInt8] {
    range.map { UInt8(($0 + version) % 251) }
  }

  @Test func withoutParametersThereAreNoFaults() throws {
    let reply = try get("/bytes/1000")
    #expect(reply.status == 200 && reply.body == pattern(0..<1000))
    #expect(reply.headers["etag"] == "\"bytes-1000\"")
    #expect(reply.headers["x-body-fnv1a"] == Entity.tag(of: reply.body).filter { $0 != "\"" })
    let portrait = try get("/avatars/1.png")
    #expect(portrait.body == (try fetch(origin, "/avatars/1.png").body))
    #expect(portrait.headers["x-body-fnv1a"] == Entity.tag(of: portrait.body).filter { $0 != "\"" })
  }

  @Test(arguments: ["fault=700", "fail=-1", "drip=0", "etag=loud", "header=none", "chance=1"])
  func anUnknownParameterIsNamed(query: String) throws {
    let reply = try get("/bytes/1?" + query)
    #expect(reply.status == 400 && reply.text.contains(query))
  }

  @Test(arguments: ["/avatars/2.jpg", "/nothing", "/bytes/-1", "/chaos/bytes/1"])
  func aMissingEntityIs404(path: String) throws {
    #expect(try get(path).status == 404)
  }

  @Test(arguments: ["", "?ranges=wrong", "?length=more", "?change=1"])
  func aLengthThatWouldOverflowIs404(query: String) throws {
    for _ in 0..<2 {
      let path = "/bytes/9223372036854775807" + query
      #expect(try get(path, ["Range": "bytes=9223372036854775800-"]).status == 404)
      let largest = "/bytes/1152921504606846976" + query
      let reply = try get(largest, ["Range": "bytes=1152921504606846966-"])
      #expect(reply.status == 206 && reply.body.count == 10)
    }
    #expect(try fetch(origin, "/bytes/9223372036854775807").status == 404)
  }

  @Test func theFirstRequestsOfAPathFail() throws {
    #expect(try (0..<4).map { _ in try get("/bytes/5?fail=2").status } == [503, 503, 200, 200])
    #expect(try get("/bytes/6?fail=1&fault=429&retry-after=7").headers["retry-after"] == "7")
    #expect(try get("/bytes/6?fail=1&fault=429&retry-after=7").status == 200)
    origin.resetStats()
    #expect(try get("/bytes/5?fail=2").status == 503)
  }

  @Test func aRetryDateLiesInTheFuture() throws {
    let before = HTTPDate.now()
    let reply = try get("/bytes/5?fault=503&retry-after=date:100")
    let date = try #require(reply.headers["retry-after"].flatMap({ HTTPDate.seconds($0) }))
    #expect((before + 100...HTTPDate.now() + 100).contains(date))
  }

  @Test func aStatusMayBeChosen() throws {
    #expect(try get("/bytes/5?fault=304").status == 304)
    let moved = try get("/bytes/5?fault=302&header=Location:%20http://a.invalid/")
    #expect(moved.status == 302 && moved.headers["location"] == "http://a.invalid/")
  }

  @Test(arguments: ["drop", "reset"]) func aConnectionMayCloseWithoutAResponse(fault: String) throws
  {
    #expect(throws: ClientError.self) { try get("/bytes/5?fault=\(fault)") }
    #expect(origin.statistics.statuses[0] == 1)
    #expect(try get("/bytes/5").status == 200)
  }

  @Test func aTruncatedBodyIsHalfTheBody() throws {
    let reply = try get("/bytes/1000?fault=truncate")
    #expect(!reply.isComplete && reply.body == pattern(0..<500))
    #expect(reply.headers["content-length"] == "1000")
  }

  @Test func theBodyAndItsTagChangeAfterTheGivenRequests() throws {
    let replies = try (0..<5).map { _ in try get("/bytes/300?change=2") }
    let versions = [0, 0, 1, 1, 2]
    #expect(replies.map(\.body) == versions.map { pattern(0..<300, version: $0) })
    #expect(Set(replies.compactMap { $0.headers["etag"] }).count == 3)
    let portraits = try (0..<2).map { _ in try get("/avatars/0.jpg?change=1") }
    #expect(portraits[0].body != portraits[1].body)
    #expect(portraits[0].headers["etag"] != portraits[1].headers["etag"])
  }

  @Test func ifRangeProtectsFromAChangedBodyUnlessItIsStale() throws {
    let tag = try #require(try get("/bytes/300?change=1").headers["etag"])
    let headers = ["Range": "bytes=100-199", "If-Range": tag]
    #expect(try get("/bytes/300?change=1", headers).status == 200)
    let first = try #require(try get("/bytes/300?change=1&ranges=stale").headers["etag"])
    #expect(first == tag)
    let stale = try get("/bytes/300?change=1&ranges=stale", headers)
    #expect(stale.status == 206 && stale.body == pattern(100..<200, version: 1))
    #expect(stale.headers["etag"] != tag)
  }

  @Test func rangesAreFalsifiedAsSelected() throws {
    let headers = ["Range": "bytes=10-19"]
    let honest = try get("/bytes/100", headers)
    #expect(honest.status == 206 && honest.headers["content-range"] == "bytes 10-19/100")
    #expect(try get("/bytes/100?ranges=ignore", headers).body.count == 100)
    let wrong = try get("/bytes/100?ranges=wrong", headers)
    #expect(wrong.headers["content-range"] == "bytes 11-20/100")
    #expect(wrong.body == pattern(10..<20))
    let short = try get("/bytes/100?ranges=short", headers)
    #expect(short.headers["content-range"] == "bytes 10-18/100" && short.body.count == 9)
    #expect(try get("/bytes/100?ranges=refuse", headers).status == 416)
    #expect(try get("/bytes/100?ranges=refuse").status == 200)
    #expect(origin.statistics.ranges == 3)
  }

  @Test func validatorsAreOfTheSelectedKind() throws {
    let weak = try #require(try get("/bytes/9?etag=weak").headers["etag"])
    #expect(weak.hasPrefix("W/"))
    #expect(try get("/bytes/9?etag=weak", ["If-None-Match": weak]).status == 304)
    let range = ["Range": "bytes=0-1", "If-Range": weak]
    #expect(try get("/bytes/9?etag=weak", range).status == 200)
    let none = try get("/bytes/9?etag=none&modified=none")
    #expect(none.headers["etag"] == nil && none.headers["last-modified"] == nil)
    let dated = try get("/bytes/9?etag=none")
    let date = try #require(dated.headers["last-modified"])
    #expect(try get("/bytes/9?etag=none", ["If-Modified-Since": date]).status == 304)
  }

  @Test func lengthsAreFalsifiedAsSelected() throws {
    let more = try get("/bytes/100?length=more")
    #expect(more.headers["content-length"] == "110" && more.body.count == 100 && !more.isComplete)
    let less = try get("/bytes/100?length=less")
    #expect(less.headers["content-length"] == "90" && less.body == pattern(0..<90))
    let none = try get("/bytes/100?length=none")
    #expect(none.headers["content-length"] == nil && none.body == pattern(0..<100))
  }

  @Test func aDripTakesItsTime() throws {
    let start = ContinuousClock.now
    #expect(try get("/bytes/50?drip=500").body == pattern(0..<50))
    #expect(ContinuousClock.now - start >= .milliseconds(100))
  }

  @Test func aDelayPostponesTheResponse() throws {
    let start = ContinuousClock.now
    #expect(try get("/bytes/5?delay=60").body == pattern(0..<5))
    #expect(ContinuousClock.now - start >= .milliseconds(60))
  }

  @Test func selectedFieldsAreSent() throws {
    let query = "header=Cache-Control:%20max-age=5&header=Vary:Accept&header=Age:3"
    let reply = try get("/bytes/5?" + query)
    #expect(reply.headers["cache-control"] == "max-age=5")
    #expect(reply.headers["vary"] == "Accept" && reply.headers["age"] == "3")
  }
}
