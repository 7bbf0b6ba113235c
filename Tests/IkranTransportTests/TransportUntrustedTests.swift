import Foundation
import Ikran
import IkranStores
import Support
import Testing

@testable import IkranTransport

/// The one switch for URLs that strangers wrote.
@Suite(.timeLimit(.minutes(10)))
struct TransportUntrustedTests {
  private let transport: any Transport = .untrustedURLs()

  @Test(arguments: ["file://", "file://localhost", "FILE:", "file://127.0.0.1"])
  func noLocalFileIsRead(prefix: String) async throws {
    let directory = try TemporaryDirectory()
    try Files.writeAtomically([1], to: directory.path + "/a")
    let url = prefix + directory.path + "/a"
    let error = await #expect(throws: TransportError.self) {
      try await transport.fetch(TransportRequest(url: url))
    }
    guard case .invalidURL(let reason) = error else { return }
    #expect(reason.contains("“file”") && !reason.contains(directory.path))
  }

  @Test func noAddressOfTheLocalNetworkIsConnectedTo() async throws {
    let server = try LoopbackServer { $1.send(body: [1]) }
    await #expect(throws: TransportError.forbiddenAddress("127.0.0.1")) {
      try await transport.fetch(TransportRequest(url: server.url))
    }
    #expect(server.connections == 0)
  }

  @Test func optionsDoNotWidenTheAddresses() async throws {
    let server = try LoopbackServer { $1.send(body: [1]) }
    let options = CurlOptions(destinations: Destinations(addresses: .any))
    let transport: any Transport = .untrustedURLs(options)
    await #expect(throws: TransportError.forbiddenAddress("127.0.0.1")) {
      try await transport.fetch(TransportRequest(url: server.url))
    }
    #expect(server.connections == 0)
  }

  @Test func noRedirectLeadsToTheLocalNetworkOrToAFile() async throws {
    let server = try LoopbackServer { $1.send(body: [1]) }
    // The proxy stands for public servers, which a test cannot reach.
    let proxy = try LoopbackServer { request, connection in
      let target = request.path.hasSuffix("/file") ? "file:///etc/passwd" : server.url
      return connection.send(status: 302, ["Location: \(target)"])
    }
    let named = ProxyServer(url: proxy.url, bypassedHosts: ["127.0.0.1"])
    let transport: any Transport = .untrustedURLs(CurlOptions(proxy: .server(named)))
    await #expect(throws: TransportError.forbiddenAddress("127.0.0.1")) {
      try await transport.fetch(TransportRequest(url: "http://public.invalid/local"))
    }
    await #expect(throws: TransportError.forbiddenRedirect("file:///etc/passwd")) {
      try await transport.fetch(TransportRequest(url: "http://public.invalid/file"))
    }
    #expect(server.connections == 0 && proxy.requests.count == 2)
  }

  @Test func dataURLsAreStillDecoded() async throws {
    let response = try await transport.fetch(TransportRequest(url: "data:,abc"))
    #expect(response.body == Array("abc".utf8))
  }

  @Test func aPipelineForStrangersShowsNoLocalPicture() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/a.png"
    try Files.writeAtomically(try TestImages.png(width: 8, height: 8), to: path)
    let request = ImageRequest(location: "file://\(path)", style: .original)
    let open = ImagePipeline(options: PipelineOptions.steady)
    let guarded = ImagePipeline(options: PipelineOptions.steady, transport: .untrustedURLs())
    #expect(try await open.response(for: request).image.width == 8)
    let error = await #expect(throws: ImageError.self) { try await guarded.response(for: request) }
    guard case .transport(.invalidURL, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    let url = try #require(URL(string: "file://\(path)"))
    await #expect(throws: ImageError.self) { try await guarded.probe(url) }
  }
}
