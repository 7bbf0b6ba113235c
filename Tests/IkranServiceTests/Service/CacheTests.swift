import IkranHTTP
import IkranServer
import IkranSystem
import TestBasics
import Testing

@testable import IkranService

/// What is made once, and what is made again.
@Suite("Results that a service keeps", .timeLimit(.minutes(5)))
struct CacheTests {
  /// An origin of one picture that changes.
  private final class Changing: Sendable {
    let number = Guarded(0)

    func origin(_ cacheControl: String? = "no-cache") throws -> Origin {
      try Origin { [number] head in
        let number = number.withLock { $0 }
        let lifetime = cacheControl.map { [Field("Cache-Control", $0)] } ?? []
        let fields = [Field("ETag", "\"\(number)\"")] + lifetime
        if head.header("If-None-Match") == "\"\(number)\"" {
          return Response(304, headers: fields)
        }
        return Response(200, headers: fields, body: Sources.file(number))
      }
    }
  }

  @Test func equalRequestsAreMadeOnce() async throws {
    let gate = BodyGate(10)
    let origin = try Origin { _ in
      let fields = [Field("Cache-Control", "max-age=60")]
      return Response(200, headers: fields, body: Sources.picture, gate: gate)
    }
    let test = try await TestService(["PROMETHEUS_BIND": ":0"], origin: origin)
    let path = test.path("/red.png", "w:30/")
    let clients = try (0..<8).map { _ in try RawClient(test.service.port) }
    for client in clients { client.send(path) }
    while try await test.statistic("requests_in_progress") != 8 {}
    try await until { origin.statistics.requests == 1 }
    gate.open(to: .max)
    for client in clients {
      let reply = try await onThread { try client.reply() }
      #expect(reply.summary == "png 30x20")
    }
    #expect(origin.statistics.requests == 1)
    #expect(try await test.statistic("results_total{from=\"made\"}") == 1)
    #expect(try await test.get(path).summary == "png 30x20")
    #expect(try await test.statistic("results_total{from=\"memory\"}") == 1)
    #expect(try await test.statistic("status_codes_total{status=\"200\"}") == 9)
  }

  @Test func aCacheBusterAsksTheOriginOfAFreshSource() async throws {
    let source = Changing()
    let test = try await TestService(origin: try source.origin("max-age=3600"))
    let first = try await test.get(test.path("/a.png", "w:30/cb:1/"))
    source.number.withLock { $0 = 1 }
    let old = try await test.get(test.path("/a.png", "w:30/cb:1/"))
    #expect(old.body == first.body)
    let new = try await test.get(test.path("/a.png", "w:30/cb:2/"))
    #expect(new.status == 200 && new.body != first.body)
    #expect(test.origin.statistics.requests == 2)
  }

  @Test func variablesThatChangeNoPictureChangeNoResult() async throws {
    let folder = try TemporaryDirectory()
    let (origin, settings) = (try Sources.origin(), ["PROMETHEUS_BIND": ":0"])
    let first = try await TestService(
      settings,
      folder: folder.path,
      origin: origin,
      variables: ["IMGPROXY_QUALITY": "70", "IMGPROXY_SYSLOG_LEVEL": "warn"]
    )
    let path = first.path("/red.png", "w:30/")
    #expect(first.service.unknownVariables == ["IMGPROXY_SYSLOG_LEVEL"])
    _ = try await first.get(path)
    await first.service.drain()
    let second = try await TestService(
      settings.merging(["QUALITY": "70", "LOG_LEVEL": "warn", "CACHE_SIZE": "20000000"]) { $1 },
      folder: folder.path,
      origin: origin
    )
    #expect(try await second.get(path).status == 200)
    #expect(try await second.statistic("results_total{from=\"disk\"}") == 1)
  }

  @Test func theDiskHasResultsForTheNextService() async throws {
    let folder = try TemporaryDirectory()
    let (origin, settings) = (try Sources.origin(), ["PROMETHEUS_BIND": ":0"])
    let first = try await TestService(settings, folder: folder.path, origin: origin)
    let path = first.path("/red.png", "w:30/fn:a%0Ab/")
    let reply = try await first.get(path)
    await first.service.drain()
    let second = try await TestService(settings, folder: folder.path, origin: origin)
    let again = try await second.get(path)
    #expect(again.body == reply.body && again.headers["etag"] == reply.headers["etag"])
    #expect(again.headers["content-disposition"] == reply.headers["content-disposition"])
    #expect(origin.statistics.requests == 1)
    #expect(try await second.statistic("results_total{from=\"disk\"}") == 1)
  }

  @Test func anotherSettingMakesAnotherResult() async throws {
    let folder = try TemporaryDirectory()
    let origin = try Sources.origin()
    var bodies: Set<[UInt8]> = []
    let settings: [[String: String]] = [
      [:], ["QUALITY": "20"], ["WATERMARK_PATH": "a"], ["WATERMARK_PATH": "b"],
      ["PRESETS_PATH": "c"], ["PRESETS_PATH": "d"],
    ]
    let files = [
      "a": Sources.file(2), "b": Sources.file(3), "c": Array("default=w:10".utf8),
      "d": Array("default=w:20".utf8),
    ]
    for (index, settings) in settings.enumerated() {
      // The same name for another file, as after an edit.
      var named = settings
      for name in settings.keys where name.hasSuffix("_PATH") { named[name] = name }
      let contents = Dictionary(
        uniqueKeysWithValues: settings.compactMap { name, file in files[file].map { (name, $0) } }
      )
      let test = try await TestService(named, folder: folder.path, origin: origin, files: contents)
      bodies.insert(try await test.get(test.path("/red.png", "wm:1/", ending: "jpg")).body)
      await test.service.drain()
      #expect(bodies.count == index + 1, "\(settings)")
    }
  }

  @Test func aChangedSourceIsANewPicture() async throws {
    let changing = Changing()
    let settings = ["PROMETHEUS_BIND": ":0"]
    let test = try await TestService(settings, origin: try changing.origin())
    let path = test.path("/red.png")
    let first = try await test.get(path)
    #expect(try await test.get(path).headers["etag"] == first.headers["etag"])
    #expect(try await test.statistic("results_total{from=\"revalidated\"}") == 1)
    #expect(test.origin.statistics.statuses == [200: 1, 304: 1])
    changing.number.withLock { $0 += 1 }
    let second = try await test.get(path)
    #expect(second.status == 200 && second.body != first.body)
    #expect(second.headers["etag"] != first.headers["etag"])
  }

  /// RFC 5861, section 3.
  @Test(arguments: [false, true])
  func aStalePictureIsSentWhileItsSourceIsAskedIfThatAllowsIt(hasDisk: Bool) async throws {
    let folder = hasDisk ? try TemporaryDirectory() : nil
    let changing = Changing()
    let origin = try changing.origin("max-age=0, stale-while-revalidate=600")
    let test = try await TestService(folder: folder?.path, origin: origin)
    let path = test.path("/red.png")
    let first = try await test.get(path)
    changing.number.withLock { $0 += 1 }
    #expect(try await test.get(path).body == first.body)
    try await until { origin.statistics.requests >= 2 }
    var (later, round) = (first, 0)
    while later.body == first.body {
      try await poll(round)
      round += 1
      later = try await test.get(path)
    }
    #expect(later.summary == first.summary)
  }

  @Test func sourcesThatMustNotBeStoredAreNotKept() async throws {
    let folder = try TemporaryDirectory()
    let test = try await TestService(folder: folder.path)
    for count in 1...3 {
      #expect(try await test.get(test.path("/no-store.png", "w:30/")).summary == "png 30x20")
      #expect(test.origin.statistics.requests == count)
    }
  }

  @Test func localFilesAreReadAgainWhenTheyChange() async throws {
    let root = try TemporaryDirectory()
    try Files.create(root.path + "/a.png", Sources.file(1))
    let test = try await TestService(["LOCAL_FILESYSTEM_ROOT": root.path])
    let first = try await test.get(TestService.local("a.png"))
    #expect(first.summary == "png 60x40")
    try Files.overwrite(root.path + "/a.png", Sources.file(2) + [0])
    #expect(try await test.get(TestService.local("a.png")).body != first.body)
  }
}
