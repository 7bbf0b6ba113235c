import Glibc
import IkranServer
import IkranSystem
import Support
import TestBasics
import Testing

@testable import IkranService

/// Keys in files, and files that are read again while requests are open.
@Suite("Keys in files", .timeLimit(.minutes(5)))
struct KeyReloadTests {
  private static let first = ["keys": "00112233445566778899aabbccddeeff", "salts": "0f1e2d3c"]
  private static let second = ["keys": "a1b2c3d4", "salts": "55aa55aa"]
  private static let paths = ["KEYPATH": "keys", "SALTPATH": "salts"]

  /// A service with the first keys.
  private func service(origin: Origin? = nil) async throws -> TestService {
    try await TestService(
      Self.paths,
      origin: origin,
      files: Self.first.mapValues { Array($0.utf8) }
    )
  }

  /// The path of a picture of a number, signed with one of the keys.
  private func path(_ test: TestService, _ keys: [String: String], _ width: Int) throws -> String {
    let variables = ["IKRAN_KEY": keys["keys"] ?? "", "IKRAN_SALT": keys["salts"] ?? ""]
    let unsigned = test.path("/red.png", "w:\(width)/").dropFirst(2)
    return try URLSigner(environment: variables).signed(String(unsigned))
  }

  private func write(_ texts: [String: String], of test: TestService) {
    test.files.withLock { $0 = texts.mapValues { Array($0.utf8) } }
  }

  private func keys(_ files: [String: String], _ more: [String: String] = [:]) throws -> KeySettings
  {
    let variables = ["IMGPROXY_KEYPATH": "keys", "IMGPROXY_SALTPATH": "salts"]
    let environment = variables.merging(more) { $1 }
    return try ServiceSettings(environment: environment) { files[$0].map { Array($0.utf8) } }.keys
  }

  @Test func eachLineIsAKeyAndHasASaltInTheSameLine() throws {
    let files = ["keys": "# old\r\n00FF\r\n\n  a1b2  \n", "salts": "01\n02"]
    let pairs = try keys(files).pairs
    #expect(pairs.map(\.key) == [[0, 255], [0xA1, 0xB2]] && pairs.map(\.salt) == [[1], [2]])
  }

  @Test(arguments: [["IKRAN_KEY": "0011"], ["IMGPROXY_SALT": "0011"]])
  func keysInAFileAndInAVariableAreNotWantedTogether(_ more: [String: String]) throws {
    let error = try #require(throws: SettingsError.self) { try keys(Self.second, more) }
    #expect(error.variable.contains("PATH") && !"\(error)".contains("0011"))
    for name in more.keys { #expect(error.variable.contains(name)) }
  }

  @Test(arguments: [
    ["salts": "00"], ["keys": "", "salts": ""], ["keys": "# none", "salts": "00"],
    ["keys": "0g", "salts": "00"], ["keys": "000", "salts": "00"],
    ["keys": "00\n11", "salts": "00"],
  ])
  func filesWithMistakesAreRefused(files: [String: String]) throws {
    let error = try #require(throws: SettingsError.self) { try keys(files) }
    #expect(error.variable.contains("KEY") && !"\(error)".contains("0g"))
  }

  @Test func newKeysCountFromTheNextRequestOnAndConnectionsStay() async throws {
    let test = try await service()
    let client = try RawClient(test.service.port)
    let old = try path(test, Self.first, 8)
    let new = try path(test, Self.second, 9)
    func status(of path: String) async throws -> Int {
      try await onThread { try client.get(path).status }
    }
    #expect(try await status(of: old) == 200)
    #expect(try await status(of: new) == 403)
    write(Self.second, of: test)
    #expect(try await status(of: new) == 403)
    #expect(try test.service.reloadKeys() == 1)
    #expect(try await status(of: new) == 200)
    #expect(try await status(of: old) == 403)
    let both = Self.first.merging(Self.second) { $0 + "\n" + $1 }
    write(both, of: test)
    #expect(try test.service.reloadKeys() == 2)
    #expect(try await status(of: new) == 200)
    #expect(try await status(of: old) == 200)
  }

  @Test func aRequestThatIsOpenEndsAsItBegan() async throws {
    let gate = BodyGate(10)
    let origin = try Origin { _ in Response(200, body: Sources.picture, gate: gate) }
    let test = try await service(origin: origin)
    let client = try RawClient(test.service.port)
    client.send(try path(test, Self.first, 8))
    try await until { origin.statistics.inFlight == 1 }
    write(Self.second, of: test)
    #expect(try test.service.reloadKeys() == 1)
    gate.open(to: .max)
    #expect(try await onThread { try client.reply() }.status == 200)
  }

  @Test func filesWithMistakesKeepTheOldKeys() async throws {
    let test = try await service()
    for (width, text) in [(8, "nonsense"), (9, ""), (10, "00\n11")] {
      write(["keys": text, "salts": "0f1e2d3c"], of: test)
      #expect(throws: SettingsError.self) { try test.service.reloadKeys() }
      #expect(try await test.get(path(test, Self.first, width)).status == 200)
      #expect(try await test.get(test.path("/red.png")).status == 403)
    }
    test.files.withLock { $0 = [:] }
    #expect(throws: SettingsError.self) { try test.service.reloadKeys() }
    #expect(try await test.get(path(test, Self.first, 11)).status == 200)
  }

  @Test func withoutFilesNothingIsRead() async throws {
    let test = try await TestService(["KEY": "0011", "SALT": "2233"])
    #expect(try test.service.reloadKeys() == nil)
    #expect(try await test.get(test.path("/red.png")).status == 403)
  }

  @Test func systemdHearsWhenAReloadBeginsAndEnds() async throws {
    let manager = try ManagerSocket()
    let test = try await TestService(
      Self.paths,
      files: Self.first.mapValues { Array($0.utf8) },
      variables: ["NOTIFY_SOCKET": manager.path]
    )
    #expect(manager.next() == "READY=1")
    _ = try test.service.reloadKeys()
    let lines = manager.next().split(separator: "\n")
    #expect(lines.first == "RELOADING=1" && lines.count == 2)
    let time = lines.last?.split(separator: "=").last.flatMap { UInt64($0) } ?? 0
    #expect(lines.last?.hasPrefix("MONOTONIC_USEC=") == true && time > 0)
    #expect(manager.next() == "READY=1")
    write(["keys": "nonsense"], of: test)
    #expect(throws: SettingsError.self) { try test.service.reloadKeys() }
    #expect(manager.next().hasPrefix("RELOADING=1"))
    #expect(manager.next() == "READY=1")
  }
}

/// The socket to which a service tells how things stand (sd_notify(3)).
private final class ManagerSocket {
  let path: String
  private let folder: TemporaryDirectory
  private let socket: CInt

  init() throws {
    folder = try TemporaryDirectory()
    path = folder.path + "/notify"
    socket = Glibc.socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(code == 0)
  }

  deinit { close(socket) }

  /// The next message; empty where none has come.
  func next() -> String {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = recv(socket, &bytes, bytes.count, CInt(MSG_DONTWAIT))
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}
