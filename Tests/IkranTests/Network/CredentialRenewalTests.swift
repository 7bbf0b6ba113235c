import FoundationEssentials
import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

/// New credentials after a response of status 401.
@Suite(.timeLimit(.minutes(10)))
struct CredentialRenewalTests {
  private let png: [UInt8]
  private let renewals = Counter()

  init() throws { png = try TestImages.png(width: 8, height: 8) }

  private func request(_ path: String = "a") -> ImageRequest {
    ImageRequest(location: "http://a.test/\(path).png", style: .circle(4))
  }

  /// An origin that wants the token "new", and tells `door` of each refusal.
  private func transport(_ door: Latch? = nil) -> FakeTransport {
    FakeTransport { [png] (request, _) throws(TransportError) in
      let isAllowed = request.headers.contains(HeaderField("Authorization", "new"))
      if !isAllowed, let door { guard await door.wait() else { throw .cancelled } }
      return TransportResponse(
        status: isAllowed ? 200 : 401,
        headers: .fresh,
        body: isAllowed ? png : [],
        url: request.url
      )
    }
  }

  private func pipeline(
    _ transport: FakeTransport,
    token: String? = "new",
    gate: Latch? = nil
  ) -> ImagePipeline {
    let renewals = renewals
    return .deterministic(transport: transport) {
      $0.network.queue.maximumConcurrent = 8
      $0.network.queue.maximumPerHost = 8
      $0.hooks.willSend = { request in
        var request = request
        request.headers.append(HeaderField("Authorization", "old"))
        return request
      }
      $0.hooks.unauthorized = { request, response in
        renewals.add()
        if let gate { guard await gate.wait() else { return nil } }
        guard response.status == 401, let token else { return nil }
        var request = request
        request.headers.removeAll { $0.name == "Authorization" }
        request.headers.append(HeaderField("Authorization", token))
        return request
      }
    }
  }

  @Test func aRefusedRequestIsSentAgainWithNewCredentials() async throws {
    let transport = transport()
    let pipeline = pipeline(transport)
    #expect(try await pipeline.image(for: request()).width == 4)
    #expect(transport.requests.map { $0.headers.map(\.value) } == [["old"], ["new"]])
    #expect(try await pipeline.probe(request("b")).size.width == 8)
    #expect(renewals.count == 2)
  }

  @Test(arguments: [nil, "wrong"])
  func aSecondRefusalIsTheEnd(token: String?) async throws {
    let transport = transport()
    let pipeline = pipeline(transport, token: token)
    await #expect(throws: ImageError.status(401, url: "http://a.test/a.png")) {
      try await pipeline.image(for: request())
    }
    #expect(transport.urls.count == (token == nil ? 1 : 2))
    #expect(renewals.count == 1)
  }

  @Test func requestsRefusedAtTheSameTimeAreRenewedByOneCall() async throws {
    let (door, gate) = (Latch(), Latch())
    let transport = transport(door)
    let pipeline = pipeline(transport, gate: gate)
    let callers = (0..<6).map { number in
      Task { try await pipeline.image(for: request("\(number)")) }
    }
    await door.arrivals(6)
    door.open()
    await gate.arrivals(1)
    try await until { pipeline.activity.renewals == 6 }
    gate.open()
    for caller in callers { #expect(try await caller.value.width == 4) }
    #expect(renewals.count == 1)
    #expect(transport.urls.count == 12)
  }

  @Test func newCredentialsDoNotFollowARedirectToAnotherOrigin() async throws {
    let transport = FakeTransport { (request, _) throws(TransportError) in
      guard request.url.hasPrefix("http://a.test") else {
        return TransportResponse(status: 401, body: [], url: request.url)
      }
      let location = HeaderField("Location", "http://b.test/a.png")
      return TransportResponse(status: 302, headers: [location], body: [], url: request.url)
    }
    let pipeline = pipeline(transport)
    await #expect(throws: ImageError.status(401, url: "http://a.test/a.png")) {
      try await pipeline.image(for: request())
    }
    let sent = transport.requests.filter { $0.url.hasPrefix("http://b.test") }
    #expect(sent.count == 2)
    #expect(sent.allSatisfy { $0.headers.isEmpty })
  }
}
