import Support
import Testing

@testable import IkranTransport

/// Which addresses count as public, and that nothing else is connected to.
@Suite(.timeLimit(.minutes(10)))
struct TransportAddressTests {
  private let guarded = CurlTransport(
    CurlOptions(destinations: Destinations(addresses: .publicOnly), proxy: .none)
  )

  /// `1.2.3.4`, or eight groups of hexadecimal digits with colons, all written out.
  private func address(_ text: String) throws -> NetworkAddress {
    let parts = text.split(separator: ":")
    let bytes: [UInt8] =
      parts.count == 8
      ? parts.compactMap { UInt16($0, radix: 16) }
        .flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
      : text.split(separator: ".").compactMap { UInt8($0) }
    return try #require(NetworkAddress(bytes))
  }

  private func isPublic(_ text: String) throws -> Bool { try address(text).isPublic }

  @Test(arguments: [
    ("127.0.0.1", LocalNetworks.loopback), ("0:0:0:0:0:0:0:1", .loopback),
    ("0:0:0:0:0:ffff:7f00:1", .loopback), ("169.254.169.254", .linkLocal),
    ("fe80:0:0:0:0:0:0:1", .linkLocal), ("fd00:ec2:0:0:0:0:0:254", .linkLocal),
    ("febf:0:0:0:0:0:0:1", .linkLocal),
    ("10.1.2.3", .privateUse), ("172.31.255.255", .privateUse), ("192.168.0.1", .privateUse),
    ("fdff:0:0:0:0:0:0:1", .privateUse), ("0:0:0:0:0:ffff:a00:1", .privateUse),
  ])
  func aLocalAddressIsAllowedWithItsNetworkAlone(text: String, network: LocalNetworks) throws {
    let address = try address(text)
    #expect(AddressPolicy.publicAnd(network).allows(address))
    #expect(
      !AddressPolicy.publicAnd(LocalNetworks(rawValue: 7).subtracting(network)).allows(address)
    )
    #expect(!AddressPolicy.publicOnly.allows(address))
    #expect(AddressPolicy.any.allows(address))
  }

  @Test(arguments: ["0.0.0.0", "100.64.0.0", "224.0.0.1", "fec0:0:0:0:0:0:0:1", "172.32.0.0"])
  func whatIsInNoLocalNetworkIsAllowedWhereItIsPublic(text: String) throws {
    let address = try address(text)
    #expect(AddressPolicy.publicAnd(LocalNetworks(rawValue: 7)).allows(address) == address.isPublic)
  }

  @Test(arguments: [
    "8.8.8.8", "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
    "126.255.255.255", "128.0.0.0", "169.253.255.255", "172.15.255.255", "172.32.0.0",
    "192.0.1.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0",
    "223.255.255.255",
  ])
  func theseAreOfThePublicInternet(address: String) throws {
    #expect(try isPublic(address))
  }

  @Test(arguments: [
    "0.0.0.0", "0.255.255.255", "10.0.0.1", "100.64.0.0", "100.127.255.255", "127.0.0.1",
    "127.255.255.255", "169.254.169.254", "172.16.0.0", "172.31.255.255", "192.0.0.8",
    "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.1",
    "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
  ])
  func theseAreNot(address: String) throws {
    #expect(try !isPublic(address))
  }

  @Test(arguments: [
    "2606:4700:0:0:0:0:0:1", "2a00:1450:4001:800:0:0:0:200e", "2001:4860:4860:0:0:0:0:8888",
    "0:0:0:0:0:ffff:808:808", "64:ff9b:0:0:0:0:808:808", "2002:808:808:0:0:0:0:1",
    "2606:4700:0:0:0:5efe:808:808", "2001:200:0:0:0:0:0:1",
  ])
  func theseOfVersionSixAreOfThePublicInternet(address: String) throws {
    #expect(try isPublic(address))
  }

  @Test(arguments: [
    "0:0:0:0:0:0:0:0", "0:0:0:0:0:0:0:1", "fc00:0:0:0:0:0:0:1", "fdff:0:0:0:0:0:0:1",
    "fe80:0:0:0:0:0:0:1", "fec0:0:0:0:0:0:0:1", "ff02:0:0:0:0:0:0:1", "100:0:0:0:0:0:0:1",
    "2001:db8:0:0:0:0:0:1", "3fff:fff:0:0:0:0:0:1", "2001:2:0:0:0:0:0:1",
    "5f00:0:0:0:0:0:0:1",
    // Mapped, compatible, translated.
    "0:0:0:0:0:ffff:7f00:1", "0:0:0:0:0:ffff:a00:1", "0:0:0:0:0:0:7f00:1",
    "0:0:0:0:ffff:0:7f00:1",
    // NAT64, both prefixes; 6to4; Teredo; ISATAP.
    "64:ff9b:0:0:0:0:7f00:1", "64:ff9b:0:0:0:0:a9fe:a9fe", "64:ff9b:1:0:0:0:808:808",
    "2002:7f00:1:0:0:0:0:1", "2002:a00:1:0:0:0:0:1", "2001:0:808:808:0:0:f7f7:f7f7",
    "2606:4700:0:0:0:5efe:a00:1", "2606:4700:0:0:200:5efe:7f00:1",
  ])
  func theseOfVersionSixAreNot(address: String) throws {
    #expect(try !isPublic(address))
  }

  @Test(arguments: [
    "127.0.0.1", "localhost", "127.1", "2130706433", "0x7f.1", "0177.0.0.1", "0", "127.0.0.1.",
    "[::ffff:127.0.0.1]", "[::1]", "%31%32%37.0.0.1", "１２７.0.0.1",
    "ｌｏｃａｌｈｏｓｔ", "127。0。0。1", "①27.0.0.1", "%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1",
  ])
  func noSpellingOfThisMachineIsConnectedTo(host: String) async throws {
    let server = try LoopbackServer { $1.send(body: [1]) }
    let url = "http://\(host):\(server.port)/"
    await #expect(throws: TransportError.self) {
      try await guarded.fetch(TransportRequest(url: url))
    }
    #expect(server.connections == 0)
  }

  @Test func aForbiddenHostIsNamed() async throws {
    let server = try LoopbackServer { $1.send(body: [1]) }
    await #expect(throws: TransportError.forbiddenAddress("127.0.0.1")) {
      try await guarded.fetch(TransportRequest(url: server.url))
    }
    #expect(server.connections == 0)
    #expect(try await CurlTransport().fetch(TransportRequest(url: server.url)).body == [1])
  }

  @Test func aProxyThatWasNamedDecidesWhereToGo() async throws {
    let proxy = try LoopbackServer { $1.send(body: Array($0.path.utf8)) }
    var options = CurlOptions(destinations: Destinations(addresses: .publicOnly))
    options.proxy = .server(ProxyServer(url: proxy.url, bypassedHosts: ["127.0.0.1"]))
    let transport = CurlTransport(options)
    let response = try await transport.fetch(TransportRequest(url: "http://example.invalid/a"))
    #expect(response.body == Array("http://example.invalid/a".utf8))
    // Bypassed hosts are connected to, and judged.
    await #expect(throws: TransportError.forbiddenAddress("127.0.0.1")) {
      try await transport.fetch(TransportRequest(url: proxy.url))
    }
    #expect(proxy.requests.count == 1)
  }
}
