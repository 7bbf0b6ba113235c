import Glibc
import IkranStores
import Support
import Testing

@testable import Ikran

@Suite(.timeLimit(.minutes(1)))
struct TransportTLSTests {
  private static let openssl = "/usr/bin/openssl"

  private static var hasOpenSSL: Bool {
    access(openssl, X_OK) == 0
  }

  @Test(.enabled(if: hasOpenSSL, "needs the openssl program"))
  func aCertificateOfNobodyIsRefusedUnlessItIsTrusted() async throws {
    let directory = try TemporaryDirectory()
    let (key, certificate) = (directory.path + "/key.pem", directory.path + "/certificate.pem")
    let make = try Program(
      Self.openssl,
      [
        "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
        "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate,
      ]
    )
    #expect(await make.exitStatus() == 0)
    let (socket, port) = try LoopbackServer.listen()
    LoopbackServer.release(socket)
    let server = try Program(
      Self.openssl,
      [
        "s_server", "-accept", "127.0.0.1:\(port)", "-key", key, "-cert", certificate, "-www",
        "-quiet",
      ]
    )
    defer { server.kill() }
    let request = TransportRequest(url: "https://127.0.0.1:\(port)/")
    let stranger = CurlTransport()
    let refusal = await Self.answer(stranger, request)
    guard case .failure(.tls) = refusal else {
      Issue.record("a self-signed certificate led to \(refusal)")
      return
    }
    let friend = CurlTransport(CurlOptions(tls: TLSOptions(additionalCAFile: certificate)))
    #expect(try await Self.answer(friend, request).get().status == 200)
  }

  /// Asks again while the server's program is still starting.
  private static func answer(
    _ transport: CurlTransport,
    _ request: TransportRequest
  ) async -> Result<TransportResponse, TransportError> {
    while true {
      do {
        return .success(try await transport.fetch(request))
      } catch TransportError.cannotConnect {
        await Task.yield()
      } catch {
        return .failure(error)
      }
    }
  }
}

/// Another program while it runs.
private struct Program {
  private let process: pid_t

  init(_ path: String, _ arguments: [String]) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in 0..<CInt(3) {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
    defer { words.forEach { free($0) } }
    var process = pid_t()
    let code = posix_spawn(&process, path, &actions, nil, &words, environ)
    guard code == 0 else { throw LoopbackServer.Failure(call: "posix_spawn", code: code) }
    self.process = process
  }

  /// Waits for its end.
  func exitStatus() async -> CInt {
    await withCheckedContinuation { continuation in
      BackgroundThread.start(name: "test-wait") { [process] in
        var status: CInt = 0
        waitpid(process, &status, 0)
        continuation.resume(returning: status)
      }
    }
  }

  func kill() {
    Glibc.kill(process, SIGKILL)
    waitpid(process, nil, 0)
  }
}
