import Foundation
import IkranURLSession
import Support
import Testing

@testable import IkranTransport

/// What URLSession's transport has of its own.
@Suite(.timeLimit(.minutes(10)))
struct URLSessionTransportTests {
  // MARK: - Options

  private static let refused: [(String, URLSessionOptions)] = [
    ("address", URLSessionOptions(destinations: Destinations(addresses: .publicOnly))),
    ("address", URLSessionOptions(destinations: Destinations(addresses: .publicAnd(.loopback)))),
    (
      "minimum speed",
      URLSessionOptions(
        limits: TransferLimits(minimumSpeed: MinimumSpeed(bytesPerSecond: 1, over: .seconds(1)))
      )
    ),
    ("cookies", URLSessionOptions(identity: ClientIdentity(keepsCookies: true))),
    ("TLSOptions", changed { $0.tls.additionalCAFile = "/a" }),
    ("TLSOptions", changed { $0.tls.clientCertificate = "/a" }),
    ("TLSOptions", changed { $0.tls.allowsInvalidCertificates = true }),
    ("proxy", changed { $0.proxy = .none }),
    ("proxy", changed { $0.proxy = .server(ProxyServer(url: "http://127.0.0.1:1")) }),
    ("HTTP", changed { $0.httpVersion = .http1 }),
    ("HTTP", changed { $0.httpVersion = .http3 }),
    ("networks", URLSessionOptions(networks: NetworkAccess(waitsForConnectivity: true))),
    ("networks", URLSessionOptions(networks: NetworkAccess(allowsExpensive: false))),
    ("networks", URLSessionOptions(networks: NetworkAccess(allowsConstrained: false))),
    (
      "waitsForConnectivity",
      URLSessionOptions(networks: NetworkAccess(waitsForConnectivity: true, allowsExpensive: false))
    ),
    (
      "waitsForConnectivity",
      URLSessionOptions(
        networks: NetworkAccess(waitsForConnectivity: true, allowsConstrained: false)
      )
    ),
  ]

  private static func changed(
    _ change: (inout URLSessionOptions) -> Void
  ) -> URLSessionOptions {
    var options = URLSessionOptions()
    change(&options)
    return options
  }

  @Test(arguments: refused)
  func anOptionThatCannotBeKeptIsRefused(word: String, options: URLSessionOptions) throws {
    let error = #expect(throws: TransportError.self) { try URLSessionTransport(options) }
    guard case .unsupported(let reason) = try #require(error) else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains(word) && !reason.hasSuffix("."))
  }

  @Test func whatIsMadeForLowDataMayUseEveryNetwork() {
    let networks = NetworkAccess(allowsExpensive: false, allowsConstrained: false)
    #expect(networks.forRequest(isForLowData: false) == networks)
    #expect(networks.forRequest(isForLowData: true) == NetworkAccess())
  }

  @Test func theDefaultsAreKept() {
    #expect(throws: Never.self) { try URLSessionTransport(URLSessionOptions()) }
  }

  @Test func aSignatureIsRefused() async {
    var request = TransportRequest(url: "http://127.0.0.1:1/")
    request.signature = AWSSignature(id: "a", secret: "b", region: "c")
    guard case .unsupported = await failure(request) else {
      Issue.record("it was sent")
      return
    }
  }

  private func failure(_ request: TransportRequest) async -> TransportError? {
    do {
      _ = try await URLSessionTransport().fetch(request)
      return nil
    } catch {
      return error
    }
  }

  // MARK: - Redirects

  @Test(arguments: ["/next", "/caf%C3%A9?a=%zz"])
  func aReportedRedirectIsNotFollowed(path: String) async throws {
    let server = try LoopbackServer { $1.send(status: 301, ["Location: \(path)"], body: [1]) }
    var request = TransportRequest(url: server.url)
    request.reportsRedirects = true
    let response = try await URLSessionTransport().fetch(request)
    #expect(response.status == 301 && response.body.isEmpty)
    #expect(response.redirectTarget == server.url + path)
    #expect(server.requests.count == 1)
  }

  @Test func aRedirectWithoutATargetIsTheResponse() async throws {
    let server = try LoopbackServer { $1.send(status: 302, ["X: 1"]) }
    let response = try await URLSessionTransport().fetch(TransportRequest(url: server.url))
    #expect(response.status == 302 && response.header("x") == "1" && response.isComplete)
  }

  // MARK: - Ends

  /// On Linux a task that waits for a word about a redirect must not get one once it is cancelled.
  @Test func redirectsMayBeCancelledAtAnyMoment() async throws {
    let server = try LoopbackServer { $1.send(status: 302, ["Location: /again"]) }
    let transport = URLSessionTransport()
    let url = server.url
    let tasks = (0..<100).map { number in
      Task { try await transport.fetch(TransportRequest(url: "\(url)/\(number)")) }
    }
    for (number, task) in tasks.enumerated() {
      if number.isMultiple(of: 2) { task.cancel() }
      await Task.yield()
    }
    for task in tasks {
      await #expect(throws: TransportError.self) { try await task.value }
    }
  }

  @Test(arguments: ["Basic realm=\"a\"", "Basic", "Bearer", "Digest realm=\"a\", nonce=\"b\"", ""])
  func aRefusedRequestIsAResponse(challenge: String) async throws {
    let server = try LoopbackServer {
      $1.send(status: 401, ["WWW-Authenticate: \(challenge)"], body: [1, 2])
    }
    let response = try await URLSessionTransport().fetch(TransportRequest(url: server.url))
    #expect(response.status == 401 && response.body == [1, 2] && server.requests.count == 1)
  }

  @Test func aTransportThatIsReleasedEndsItsTransfers() async throws {
    let server = try LoopbackServer { $1.send(body: pattern(1000)) }
    for _ in 0..<20 {
      let response = try await URLSessionTransport().fetch(TransportRequest(url: server.url))
      #expect(response.body == pattern(1000))
    }
  }

  @Test func codesOfURLSessionAreNotCalledLibcurls() {
    #expect("\(TransportError.failed(code: -1, reason: "a"))".contains("URLSession -1"))
    #expect("\(TransportError.failed(code: 1, reason: "a"))".contains("libcurl 1"))
  }
}
