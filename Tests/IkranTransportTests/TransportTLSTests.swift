import Glibc
import IkranStores
import Support
import Testing

@testable import IkranTransport

@Suite(.timeLimit(.minutes(10)))
struct TransportTLSTests {
  private static let openssl = "/usr/bin/openssl"

  private static var hasOpenSSL: Bool {
    access(openssl, X_OK) == 0
  }

  @Test(.enabled(if: hasOpenSSL, "needs the openssl program"))
  func aSelfSignedCertificateIsRefused() async throws {
    let files = try await Files()
    let (server, url) = try await serve(files)
    defer { server.kill() }
    let refusal = await answer(TransportUnderTest(), TransportRequest(url: url))
    guard case .failure(.tls) = refusal else {
      Issue.record("a self-signed certificate led to \(refusal)")
      return
    }
  }

  @Test(
    .enabled(if: hasOpenSSL, "needs the openssl program"),
    .needsCurl("URLSession trusts what the system trusts")
  )
  func aSelfSignedCertificateIsTakenWhenItIsTrustedOrAnythingIs() async throws {
    let files = try await Files()
    let (server, url) = try await serve(files)
    defer { server.kill() }
    let request = TransportRequest(url: url)
    let trusting = TLSOptions(additionalCAFile: files.certificate)
    let careless = TLSOptions(allowsInvalidCertificates: true)
    for options in [trusting, careless] {
      let transport = TransportUnderTest(CurlOptions(tls: options))
      let response = try await answer(transport, request).get()
      #expect(response.status == 200)
      #expect(response.metrics?.tls ?? .zero > .zero)
    }
    let lost = TLSOptions(additionalCAFile: files.certificate + ".lost")
    let failure = await answer(TransportUnderTest(CurlOptions(tls: lost)), request)
    guard case .failure(.tls) = failure else {
      Issue.record("a missing file led to \(failure)")
      return
    }
  }

  @Test(
    .enabled(if: hasOpenSSL, "needs the openssl program"),
    .needsCurl("URLSession has no client certificates in files")
  )
  func aServerThatAsksForACertificateGetsIt() async throws {
    let files = try await Files(keyPassword: "secret")
    let (server, url) = try await serve(files, ["-Verify", "1", "-verify_return_error"])
    defer { server.kill() }
    var options = TLSOptions(additionalCAFile: files.certificate)
    #expect(await isServed(options, url) == false)
    options.clientCertificate = files.certificate
    options.clientKey = files.key
    options.clientKeyPassword = "wrong"
    #expect(await isServed(options, url) == false)
    options.clientKeyPassword = "secret"
    #expect(await isServed(options, url))
  }

  private func isServed(_ options: TLSOptions, _ url: String) async -> Bool {
    let transport = TransportUnderTest(CurlOptions(tls: options))
    guard case .success(let response) = await answer(transport, TransportRequest(url: url))
    else { return false }
    return response.status == 200
  }

  /// A key and a certificate that it signed itself.
  private struct Files {
    let directory: TemporaryDirectory
    let password: String?

    var key: String { directory.path + "/key.pem" }
    var certificate: String { directory.path + "/certificate.pem" }

    init(keyPassword: String? = nil) async throws {
      directory = try TemporaryDirectory()
      password = keyPassword
      let make = try Program(
        TransportTLSTests.openssl,
        [
          "req", "-x509", "-newkey", "rsa:2048", "-days", "2", "-subj", "/CN=localhost",
          "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate,
        ] + (keyPassword.map { ["-passout", "pass:\($0)"] } ?? ["-nodes"])
      )
      #expect(await make.exitStatus() == 0)
    }
  }

  /// Starts openssl's server, which answers every request with a page; returns when it listens.
  private func serve(
    _ files: Files,
    _ arguments: [String] = []
  ) async throws -> (server: Program, url: String) {
    for _ in 0..<10 {
      let port = try LoopbackServer.deadPort()
      let server = try Program(
        Self.openssl,
        [
          "s_server", "-accept", "127.0.0.1:\(port)", "-key", files.key, "-cert",
          files.certificate, "-www", "-quiet", "-CAfile", files.certificate,
        ] + (files.password.map { ["-pass", "pass:\($0)"] } ?? []) + arguments
      )
      // It ends when another took the port first.
      while !server.hasEnded() {
        if LoopbackServer.isListening(at: port) { return (server, "https://127.0.0.1:\(port)/") }
        if Task.isCancelled {
          server.kill()
          throw CancellationError()
        }
        try? await poll(20)
      }
    }
    throw LoopbackServer.Failure(call: "openssl s_server", code: EADDRINUSE)
  }

  private func answer(
    _ transport: TransportUnderTest,
    _ request: TransportRequest
  ) async -> Result<TransportResponse, TransportError> {
    do {
      return .success(try await transport.fetch(request))
    } catch {
      return .failure(error)
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

  /// Whether it has ended; do not ask again, nor kill it, once it has.
  func hasEnded() -> Bool { waitpid(process, nil, WNOHANG) != 0 }

  func kill() {
    Glibc.kill(process, SIGKILL)
    waitpid(process, nil, 0)
  }
}
