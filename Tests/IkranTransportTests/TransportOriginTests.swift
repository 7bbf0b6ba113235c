import IkranServer
import Support
import Testing

@testable import IkranTransport

@Suite(.timeLimit(.minutes(10)))
struct TransportOriginTests {
  /// A machine that does other things may leave an origin without a turn for long.
  private let transport = TransportUnderTest(CurlOptions(limits: TransferLimits(minimumSpeed: nil)))

  private func failure(_ request: TransportRequest) async -> TransportError? {
    do {
      _ = try await transport.fetch(request)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: ["/bytes/100000", "/chunked/100000"])
  func everyByteArrivesInItsPlace(path: String) async throws {
    let origin = try Origin(.portraits(count: 1))
    defer { withExtendedLifetime(origin) {} }
    let response = try await transport.fetch(TransportRequest(url: origin.baseURL + path))
    #expect(response.body == (0..<100_000).map { UInt8($0 % 251) })
  }

  @Test func whatIsOddAboutTheOriginIsNamed() async throws {
    let origin = try Origin(.portraits(count: 1))
    defer { withExtendedLifetime(origin) {} }
    let url = origin.baseURL
    #expect(
      await failure(TransportRequest(url: url + "/loop")) == .tooManyRedirects(limit: 20)
    )
    #expect(
      await failure(TransportRequest(url: url + "/redirect-to-file"))
        == .forbiddenRedirect("file:///etc/passwd")
    )
    #expect(
      await failure(TransportRequest(url: url + "/endless", maximumBodyBytes: 50_000))
        == .bodyTooLarge(limit: 50_000)
    )
    #expect(
      await failure(TransportRequest(url: url + "/slow/60000", timeout: .milliseconds(50)))
        == .timedOut(after: .milliseconds(50))
    )
  }

  @Test func aTruncatedAnswerIsALostConnection() async throws {
    let origin = try Origin(.portraits(count: 1), faults: Faults(rates: FaultRates(truncate: 1)))
    defer { withExtendedLifetime(origin) {} }
    guard
      case .connectionLost = await failure(
        TransportRequest(url: origin.baseURL + origin.paths[0])
      )
    else {
      Issue.record("the loss was not noticed")
      return
    }
  }

  @Test func theOriginIsReachedOverSixConnections() async throws {
    let origin = try Origin(.portraits(count: 1))
    defer { withExtendedLifetime(origin) {} }
    let url = origin.baseURL + "/bytes/1000"
    try await withThrowingTaskGroup { group in
      for _ in 0..<300 {
        group.addTask { [transport] in
          let response = try await transport.fetch(TransportRequest(url: url))
          #expect(response.body.count == 1000)
        }
      }
      try await group.waitForAll()
    }
    #expect(transport.openedConnections <= 6)
    #expect(origin.stats["/bytes/1000"] == 300)
  }
}
