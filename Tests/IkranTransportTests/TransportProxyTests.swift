import Glibc
import Support
import Testing

@testable import IkranTransport

/// What fails at the proxy is not the server's fault.
@Suite("Proxies that fail", .timeLimit(.minutes(10)))
struct TransportProxyTests {
  private func failure(
    _ url: String,
    through proxy: String,
    connectTimeout: Duration = .seconds(30)
  ) async -> TransportError? {
    let server = ProxyServer(url: proxy, user: "me", password: "secret")
    let transport = CurlTransport(CurlOptions(proxy: .server(server)))
    do {
      _ = try await transport.fetch(TransportRequest(url: url, connectTimeout: connectTimeout))
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: ["http", "socks5h"], ["http", "https"])
  func aDeadProxyIsNamed(proxy: String, scheme: String) async throws {
    let port = try LoopbackServer.deadPort()
    let url = "\(proxy)://127.0.0.1:\(port)"
    let error = await failure("\(scheme)://images.example.invalid/a", through: url)
    #expect(error == .proxyFailed(host: "127.0.0.1:\(port)", reason: "the connection was refused"))
  }

  @Test func aProxyWhoseNameIsNotFoundIsNamed() async {
    let error = await failure(
      "http://images.example.test/a",
      through: "http://user:secret@noproxy.invalid:3128",
      connectTimeout: .seconds(60)
    )
    let text = error?.description ?? ""
    #expect(text.contains("the proxy") && text.contains("noproxy.invalid:3128"))
    #expect(!text.contains("secret"))
  }

  @Test func aProxyThatRefusesATunnelIsNamed() async throws {
    let proxy = try LoopbackServer { $1.send(status: 407) }
    defer { withExtendedLifetime(proxy) {} }
    let text = await failure("https://images.example.test/a", through: proxy.url)?.description ?? ""
    #expect(text.contains("the proxy") && text.contains("127.0.0.1:\(proxy.port)"))
    #expect(text.contains("407"))
  }

  @Test func aProxyThatNeverAnswersAHandshakeIsNotTheServersTimeOut() async throws {
    let (socket, port) = try LoopbackServer.listen()
    defer { close(socket) }
    let error = await failure(
      "http://images.example.invalid/a",
      through: "socks5h://127.0.0.1:\(port)",
      connectTimeout: .milliseconds(80)
    )
    let text = error?.description ?? ""
    #expect(text.contains("the proxy") && text.contains("127.0.0.1:\(port)"))
  }
}
