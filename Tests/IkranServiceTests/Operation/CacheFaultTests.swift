import IkranHTTP
import IkranPixels
import IkranServer
import IkranSystem
import TestBasics
import Testing

@testable import IkranService

/// A cache on the disk that fails, and its size.
@Suite("A cache's folder", .timeLimit(.minutes(5)))
struct CacheFaultTests {
  /// 80 KB: not kept in the index, but in a file.
  private static let options = "el:1/w:200/f:bmp/"

  /// Puts a file where a cache writes its own.
  private func block(_ cache: String, in folder: TemporaryDirectory) throws {
    let path = "\(folder.path)/\(cache)/incoming"
    try Files.createDirectories(path)
    try Files.removeTree(path)
    try Files.create(path, [1])
  }

  @Test func aResultThatCannotBeWrittenIsSentCountedAndSaid() async throws {
    let folder = try TemporaryDirectory()
    let test = try await TestService(["PROMETHEUS_BIND": ":0"], folder: folder.path)
    let counter = "cache_failures_total{cache=\"results\"}"
    #expect(try await test.statistic(counter) == 0)
    try block("results", in: folder)
    #expect(try await test.get(test.path("/red.png", Self.options)).summary == "bmp 200x133")
    try await until { test.notices.items.count == 1 }
    #expect(test.notices.items[0].hasPrefix("The cache of results on the disk failed once. "))
    #expect(try await test.statistic(counter) == 1)
    #expect(try await test.statistic("cache_failures_total{cache=\"sources\"}") == 0)
  }

  @Test func aSourceThatCannotBeWrittenIsSaid() async throws {
    let folder = try TemporaryDirectory()
    let size = PixelSize(width: 120, height: 80)
    let source = PNGSample(size: size) { x, y in [UInt16(x), UInt16(y), 0] }.bytes
    let fields = [Field("Content-Type", "image/png"), Field("Cache-Control", "max-age=60")]
    let origin = try Origin { _ in Response(200, headers: fields, body: source) }
    let test = try await TestService(folder: folder.path, origin: origin)
    try block("sources", in: folder)
    #expect(try await test.get(test.path("/a.png", "w:8/")).status == 200)
    try await until { test.notices.items.count == 1 }
    #expect(test.notices.items[0].contains("The cache of sources"))
  }

  @Test func oneThatFailsForLongIsSaidOnceAMinute() {
    let (lines, time) = (Recorder<String>(), Guarded(ContinuousClock.now))
    let faults = CacheFaults {
      time.withLock { $0 }
    } say: {
      lines.add($0)
    }
    for _ in 0..<5 { faults.count(.results, "It is full.") }
    faults.count(.sources, "It is full.")
    #expect(lines.items.count == 2)
    time.withLock { $0 += CacheFaults.pause }
    faults.count(.results, "It is full.")
    #expect(faults.count(of: .results) == 6)
    #expect(lines.items.last == "The cache of results on the disk failed 5 times. It is full.")
  }

  @Test func itsSizeIsASetting() throws {
    let folder = CacheSettings(folder: "/cache")
    let settings = try ServiceSettings(environment: ["IKRAN_CACHE_SIZE": "20000000000"])
    #expect(try settings.caching.folder.sized(folder).diskBytes == 20_000_000_000)
    #expect(throws: SettingsError.self) { try settings.caching.folder.sized(CacheSettings()) }
    let standard = try ServiceSettings(environment: [:]).caching.folder
    #expect(try standard.sized(CacheSettings()) == CacheSettings())
  }

  @Test(arguments: ["0", "-1", "20G", "16777215", "9999999999999999"])
  func anotherSizeIsRefused(value: String) {
    #expect(settingsFault(["IKRAN_CACHE_SIZE": value])?.variable == "IKRAN_CACHE_SIZE")
  }
}
