import IkranCodecs
import IkranPixels
import IkranTransport
import TestBasics
import Testing

@testable import IkranServer

@Suite(.timeLimit(.minutes(10))) struct FaultTests {
  @Test func everyRequestFailsAtRateOne() throws {
    let origin = try Origin(.portraits(count: 1), faults: Faults(rates: FaultRates(fail: 1)))
    let client = try RawClient(origin.port)
    #expect(try client.get("/avatars/0.jpg").status == 503)
    #expect(try client.get("/bytes/3").status == 503)
    #expect(try client.get("/list.txt").status == 200)
    #expect(try client.get("/stats").status == 200)
  }

  @Test func droppedConnectionsCloseBeforeOrInsideTheResponse() throws {
    let origin = try Origin(.portraits(count: 0), faults: Faults(rates: FaultRates(drop: 1)))
    var silent = 0
    for _ in 0..<20 {
      do {
        let reply = try fetch(origin, "/bytes/100000")
        #expect(reply.headers["content-length"] == "100000")
        #expect(!reply.isComplete && reply.body.count <= 50_000)
      } catch ClientError.closedBeforeAResponse {
        silent += 1
      }
    }
    #expect((1...19).contains(silent))
    #expect(origin.statistics.statuses[0] == silent)
  }

  @Test func truncatedBodiesAnnounceTheirFullLength() throws {
    let origin = try Origin(.portraits(count: 1), faults: Faults(rates: FaultRates(truncate: 1)))
    let reply = try fetch(origin, "/avatars/0.jpg")
    #expect(reply.status == 200)
    let length = try #require(reply.headers["content-length"].flatMap { Int($0) })
    #expect(!reply.isComplete && reply.body.count < length)
  }

  @Test func throttledResponsesHaveARetryAfter() throws {
    let origin = try Origin(.portraits(count: 0), faults: Faults(rates: FaultRates(throttle: 1)))
    let reply = try fetch(origin, "/bytes/3")
    #expect(reply.status == 429 && reply.headers["retry-after"] == "1")
  }

  @Test func connectionsAreResetBeforeOrInsideTheResponse() throws {
    let origin = try Origin(.portraits(count: 0), faults: Faults(rates: FaultRates(reset: 1)))
    for _ in 0..<20 {
      // What had arrived before the reset may be lost, the header included.
      guard let reply = try? fetch(origin, "/bytes/100000") else { continue }
      #expect(!reply.isComplete && reply.body.count <= 50_000)
    }
    let silent = origin.statistics.statuses[0] ?? 0
    #expect((1...19).contains(silent))
  }

  @Test func aConnectionKeepsToItsBandwidth() throws {
    let origin = try Origin(.portraits(count: 0), faults: Faults(bandwidth: 1_000_000))
    let start = ContinuousClock.now
    #expect(try fetch(origin, "/bytes/150000").body == (0..<150_000).map { UInt8($0 % 251) })
    #expect(ContinuousClock.now - start >= .milliseconds(150))
  }

  @Test func ratesAreSharesAndTheSeedDecides() {
    let faults = Faults(rates: FaultRates(fail: 0.2, drop: 0.1, truncate: 0.3), seed: 7)
    let outcomes = (0..<10_000).map { faults.outcome(of: $0) }
    #expect(outcomes == (0..<10_000).map { faults.outcome(of: $0) })
    #expect((1900...2100).contains(outcomes.count { $0 == .refused }))
    #expect((3800...4200).contains(outcomes.count { $0 == .served }))
    var other = faults
    other.seed = 8
    #expect(outcomes != (0..<10_000).map { other.outcome(of: $0) })
  }

  @Test func aDelayPostponesEveryResponseAndBlocksNoThread() async throws {
    let origin = try Origin(
      .portraits(count: 0),
      faults: Faults(delay: .seconds(3)),
      threads: 1
    )
    let clients = try (0..<20).map { _ in try RawClient(origin.port) }
    let start = ContinuousClock.now
    for client in clients { client.send("/bytes/1") }
    for client in clients { #expect(try client.reply().body == [0]) }
    #expect(ContinuousClock.now - start >= .seconds(3))
    // All waited at once, and only one thread serves them.
    #expect(origin.statistics.maximumInFlight == 20)
  }

  @Test(arguments: [200, 204, 304, 400, 403, 404, 410, 429, 500, 503, 599])
  func everyStatusIsServed(code: Int) throws {
    let origin = try Origin(.portraits(count: 0))
    let client = try RawClient(origin.port)
    #expect(try client.get("/status/\(code)").status == code)
    #expect(try client.get("/bytes/1").body == [0])
  }

  @Test func redirectsCountDownToAPicture() throws {
    let origin = try Origin(.portraits(count: 0))
    var path = "/redirect/3"
    var hops = 0
    while true {
      let reply = try fetch(origin, path)
      guard reply.status == 302 else {
        #expect(reply.headers["content-type"] == "image/jpeg")
        break
      }
      path = try #require(reply.headers["location"])
      hops += 1
    }
    #expect(hops == 3)
  }

  @Test func theUnusualRedirectsPointToTheirTargets() throws {
    let origin = try Origin(.portraits(count: 0))
    #expect(try fetch(origin, "/loop").headers["location"] == "/loop")
    let file = try fetch(origin, "/redirect-to-file")
    #expect(file.headers["location"] == "file:///etc/passwd")
  }

  @Test func pathsOfInvalidPicturesServeTheDescribedBodies() throws {
    let origin = try Origin(.portraits(count: 0))
    let page = try fetch(origin, "/html.jpg")
    #expect(page.headers["content-type"] == "text/html; charset=utf-8")
    #expect(page.text.hasPrefix("<!DOCTYPE html>"))
    let empty = try fetch(origin, "/empty.jpg")
    #expect(empty.headers["content-length"] == "0" && empty.body.isEmpty)
  }

  @Test func theTruncatedPictureIsACompleteBodyThatNoDecoderAccepts() throws {
    let origin = try Origin(.portraits(count: 0))
    let reply = try fetch(origin, "/truncated.jpg")
    #expect(reply.isComplete)
    let body = reply.body
    #expect(throws: DecodeError.self) { try CodecList.standard.decode(body.span) }
  }

  @Test func theHugePictureClaimsItsSize() throws {
    let origin = try Origin(.portraits(count: 0))
    let reply = try fetch(origin, "/huge.png")
    let info = try CodecList.standard.probe(reply.body.span)
    #expect(info.size.width == 100_000 && info.size.height == 100_000)
    let body = reply.body
    #expect(throws: DecodeError.self) { try CodecList.standard.decode(body.span) }
  }

  @Test func chunkedBodiesHaveNoLength() throws {
    let origin = try Origin(.portraits(count: 0))
    let client = try RawClient(origin.port)
    for count in [0, 1, 100_000] {
      let reply = try client.get("/chunked/\(count)")
      #expect(reply.headers["content-length"] == nil)
      #expect(reply.body == (0..<count).map { UInt8($0 % 251) } && reply.isComplete)
    }
  }

  @Test func aDripSendsEveryByte() throws {
    let origin = try Origin(.portraits(count: 0))
    let start = ContinuousClock.now
    let reply = try fetch(origin, "/drip/10/5")
    #expect(reply.body == Array(0..<10) && reply.isComplete)
    #expect(ContinuousClock.now - start >= .milliseconds(50))
  }

  @Test func aSlowPictureComesAfterItsPause() throws {
    let origin = try Origin(.portraits(count: 0))
    let start = ContinuousClock.now
    #expect(try fetch(origin, "/slow/80").headers["content-type"] == "image/jpeg")
    #expect(ContinuousClock.now - start >= .milliseconds(80))
  }
}
