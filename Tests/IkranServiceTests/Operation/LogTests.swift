import IkranServer
import IkranSystem
import TestBasics
import Testing

@testable import IkranService

/// The lines of a service's log.
@Suite("A log", .timeLimit(.minutes(5)))
struct LogTests {
  @Test func aLineHasTheClientsAddress() async throws {
    let test = try await TestService()
    _ = try await test.get(test.path("/red.png"), ["X-Forwarded-For": "192.0.2.1"])
    try await until { test.log.items.count == 1 }
    #expect(test.log.items[0].client == "127.0.0.1")
  }

  @Test func aClientOfAUnixSocketHasNoAddress() async throws {
    let folder = try TemporaryDirectory()
    let path = folder.path + "/socket"
    let test = try await TestService(["NETWORK": "unix", "BIND": path])
    _ = try await onThread { try RawClient(path: path).get("/health") }
    try await until { test.log.items.count == 1 }
    #expect(test.log.items[0].client == nil)
  }

  @Test func aLineHasTheTimeOfItsEnd() async throws {
    let lines = Recorder<LogLine>()
    let log = ServiceLog { lines.add($0) }
    let before = WallClock.microseconds()
    log.notice(.warn, "A sentence.")
    let line = try #require(lines.items.first)
    #expect((before...WallClock.microseconds()).contains(line.time) && line.level == .warn)
  }

  @Test(arguments: [
    ("error", [404]), ("warn", [404, 404]), ("info", [404, 404, 200]), ("DEBUG", [404, 404, 200]),
  ])
  func linesThatMatterLessAreLeftOut(level: String, statuses: [Int]) async throws {
    let test = try await TestService(["LOG_LEVEL": level])
    // One with an error, one without, a picture, and one whose line every level has.
    let paths = ["/_/w:x/plain/a", "/favicon.ico", test.path("/red.png"), "/_/w:y/plain/a"]
    for path in paths { _ = try await test.get(path) }
    try await until { test.log.items.count == statuses.count + 1 }
    #expect(test.log.items.map(\.status).sorted() == (statuses + [404]).sorted())
  }

  @Test(arguments: [
    (200, false, LogLevel.info), (304, false, .info), (404, false, .warn), (0, false, .warn),
    (500, false, .error), (200, true, .error), (404, true, .error), (0, true, .warn),
    (499, true, .warn),
  ])
  func aLineWithAnErrorMattersMost(status: Int, hasError: Bool, level: LogLevel) {
    #expect(RequestRecord.level(status: status, hasError: hasError) == level)
  }

  @Test func aLogWithoutRequestsHasNotices() {
    let lines = Recorder<LogLine>()
    let log = ServiceLog(hasRequests: false) { lines.add($0) }
    #expect(!log.hasRequests(.error))
    log.notice(.error, "A sentence.")
    log.from(.error).notice(.warn, "Another one.")
    #expect(lines.items.count == 1)
  }

  @Test(arguments: [
    ("LOG_LEVEL", "loud"), ("LOG_FORMAT", "pretty"), ("LOG_FORMAT", "gcp"),
  ])
  func anotherLevelOrFormIsRefused(name: String, value: String) throws {
    let error = try #require(throws: SettingsError.self) {
      try LogSettings(environment: ["IMGPROXY_" + name: value])
    }
    #expect(error.variable == "IMGPROXY_" + name && error.value == value)
  }

  @Test func theFormIsASetting() throws {
    let settings = try LogSettings(environment: [
      "IMGPROXY_LOG_FORMAT": "structured", "IMGPROXY_LOG_LEVEL": "warn",
    ])
    #expect(settings.form == .structured && settings.level == .warn)
  }

  @Test(arguments: [
    ("w:x/plain/http://a.test/b.png@webp", "/w:x/plain/http://a.test/b.png@webp"),
    ("w:8/nope:sekret/plain/http://a.test/b.png", "/w:8/nope:…/plain/http://a.test/b.png"),
    ("w:8/http://user:hunter2@a.test/b.png", "/w:8/…"), ("w:8/!!!", "/w:8/…"), ("w:8", "/w:8/…"),
    ("w:x/plain/secret-words", "/w:x/…"),
  ])
  func aRefusedPathHasItsOptionsAndItsSource(path: String, shown: String) async throws {
    let test = try await TestService()
    #expect(try await test.get("/_/" + path).status == 404)
    try await until { test.log.items.count == 1 }
    #expect(test.log.items[0].path == shown)
  }

  @Test func aWrongSignatureHidesNoPath() async throws {
    let test = try await TestService(["KEY": "0011", "SALT": "2233"])
    let (url, target) = ("http://u:p@a.test/b.png", "/info/ZHVtbXk/thumbhash:1/")
    let source = Base64.url.encoded(Array((url + "?token=sekret").utf8))
    #expect(try await test.get(target + source).status == 403)
    try await until { test.log.items.count == 1 }
    #expect(test.log.items[0].path == "/info/thumbhash:1/plain/http://a.test/b.png")
  }
}
