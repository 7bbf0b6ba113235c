import IkranCodecs
import IkranHTTP
import IkranPixels
import IkranServer
import IkranSystem
import TestBasics
import Testing

@testable import IkranService

/// Downloads of progressive JPEG that end once there is enough for the result.
@Suite("Downloads that end early", .timeLimit(.minutes(5)))
struct EarlyEndTests {
  /// An instrumented build needs more than a request's ten seconds.
  private static let patient = ["TIMEOUT": "300", "DOWNLOAD_TIMEOUT": "300"]
  private static let on = ["EARLY_END": "1", "PROMETHEUS_BIND": ":0"].merging(patient) { $1 }

  private static let photo: [UInt8] = {
    var sample = JPEGSample(width: 800, height: 600, sampling: .quarter, quality: 92)
    sample.isProgressive = true
    return sample.bytes()
  }()

  /// An origin of one photo, over real sockets, which counts what it lets out.
  private final class Site: Sendable {
    /// Lets so many bytes of each whole response out.
    let gate: BodyGate
    let ranges = Recorder<String>()
    let origin: Origin

    init(
      _ photo: [UInt8] = EarlyEndTests.photo,
      letsOut count: Int = .max,
      tag: String? = "\"1\""
    ) throws {
      let (gate, ranges) = (BodyGate(count), ranges)
      self.gate = gate
      origin = try Origin { head in
        ranges.add(head.header("Range") ?? "")
        var fields = [Field("Accept-Ranges", "bytes"), Field("Cache-Control", "max-age=3600")]
        fields += tag.map { [Field("ETag", $0)] } ?? []
        guard let range = head.header("Range"),
          let start = Int(range.dropFirst("bytes=".count).dropLast())
        else { return Response(200, headers: fields, body: photo, gate: gate) }
        let part = "bytes \(start)-\(photo.count - 1)/\(photo.count)"
        fields.append(Field("Content-Range", part))
        return Response(206, headers: fields, body: Array(photo[start...]))
      }
    }
  }

  /// A bound on the bytes that a result of 48 pixels needs: those of its scans, and a piece of what
  /// follows.
  private static func enough() throws -> Int {
    let fitting = Fitting.inside(PixelSize(width: 48, height: 48), enlarges: false)
    let prefix = JPEGPrefix(photo.span)
    return try #require(prefix?.sufficientByteCount(for: fitting)) + 1024
  }

  private func whole(_ options: String, of photo: [UInt8] = photo) async throws -> Reply {
    let test = try await TestService(Self.patient, origin: try Site(photo).origin)
    return try await test.get(test.path("/a.jpg", options))
  }

  @Test(arguments: ["w:48/", "w:48/sm:0/", "w:48/kcr:0/scp:0/", "rs:fill:36:36/g:noea/"])
  func aSmallResultNeedsTheFirstScansOnlyAndIsTheSame(_ options: String) async throws {
    let count = try Self.enough()
    #expect(count < Self.photo.count * 4 / 5)
    // The rest never goes out.
    let site = try Site(letsOut: count)
    let test = try await TestService(Self.on, origin: site.origin)
    let reply = try await test.get(test.path("/a.jpg", options))
    let same = try await whole(options)
    #expect(reply.status == 200 && reply.body == same.body)
    #expect(reply.headers["etag"] == same.headers["etag"])
    #expect(reply.headers["x-origin-content-length"] == "\(Self.photo.count)")
    #expect(site.ranges.items == [""] && site.gate.count == count)
  }

  @Test func anAvatarDoesToo() async throws {
    let site = try Site(letsOut: try Self.enough())
    let test = try await TestService(Self.on, origin: site.origin)
    let path = "/avatar" + test.path("/a.jpg", "s:36/")
    let other = try await TestService(origin: try Site().origin)
    let same = try await other.get("/avatar" + other.path("/a.jpg", "s:36/"))
    let reply = try await test.get(path)
    #expect(reply.status == 200 && reply.body == same.body)
  }

  @Test(arguments: [false, true])
  func aLargerResultTransfersTheRestAlone(isLater: Bool) async throws {
    let folder = try TemporaryDirectory()
    let site = try Site()
    let first = try await TestService(Self.on, folder: folder.path, origin: site.origin)
    #expect(try await first.get(first.path("/a.jpg", "w:48/")).status == 200)
    if isLater { await first.service.drain() }
    let second =
      isLater ? try await TestService(Self.on, folder: folder.path, origin: site.origin) : first
    let reply = try await second.get(second.path("/a.jpg", "w:700/"))
    #expect(reply.body == (try await whole("w:700/")).body)
    #expect(site.ranges.items.count == 2 && site.ranges.items.last?.hasPrefix("bytes=") == true)
    // All of it is there now.
    #expect(try await second.get(second.path("/a.jpg", "w:600/")).status == 200)
    #expect(site.ranges.items.count == 2)
  }

  @Test func aSmallerResultNeedsNoDownload() async throws {
    let site = try Site(letsOut: try Self.enough())
    let test = try await TestService(Self.on, origin: site.origin)
    for options in ["w:48/", "w:40/", "w:30/bl:1/"] {
      let reply = try await test.get(test.path("/a.jpg", options))
      #expect(reply.body == (try await whole(options)).body)
    }
    #expect(site.ranges.items == [""])
  }

  /// What wants the file itself gets all of it, also after a beginning was kept.
  @Test(arguments: ["skp:jpg/", "raw:1/"])
  func aBeginningIsNeverSentAsTheFile(_ options: String) async throws {
    let folder = try TemporaryDirectory()
    let test = try await TestService(Self.on, folder: folder.path, origin: try Site().origin)
    #expect(try await test.get(test.path("/a.jpg", "w:48/")).status == 200)
    #expect(try await test.get(test.path("/a.jpg", options)).body == Self.photo)
    let info = try await test.get("/info" + test.path("/a.jpg"))
    #expect(info.text.contains("\"size\":\(Self.photo.count)"))
  }

  @Test func withoutTheSettingAllIsDownloaded() async throws {
    let site = try Site()
    let test = try await TestService(origin: site.origin)
    #expect(try await test.get(test.path("/a.jpg", "w:48/")).status == 200)
    #expect(try await test.get(test.path("/a.jpg", "w:700/")).status == 200)
    #expect(site.ranges.items == [""])
  }

  @Test func withoutATagAllIsDownloaded() async throws {
    let site = try Site(tag: nil)
    let test = try await TestService(Self.on, origin: site.origin)
    #expect(try await test.get(test.path("/a.jpg", "w:48/")).status == 200)
    #expect(try await test.get(test.path("/a.jpg", "w:700/")).status == 200)
    #expect(site.ranges.items == [""])
  }

  @Test func whereABeginningIsDamagedTheWholeDecides() async throws {
    // Bytes within the first scan that no code has.
    var photo = Self.photo
    let scan = try #require(photo.indices.first { photo[$0] == 0xFF && photo[$0 + 1] == 0xDA })
    for offset in scan + 40..<scan + 400 where photo[offset] != 0xFF { photo[offset] = 0xAA }
    let site = try Site(photo)
    let test = try await TestService(Self.on, origin: site.origin)
    let reply = try await test.get(test.path("/a.jpg", "w:48/"))
    let same = try await whole("w:48/", of: photo)
    #expect(reply.status == same.status)
    #expect(reply.status != 200 || reply.body == same.body)
  }

  @Test func theLimitOfBytesIsThatOfTheWholeFile() async throws {
    var settings = Self.on
    settings["ALLOW_SECURITY_OPTIONS"] = "1"
    let test = try await TestService(settings, origin: try Site().origin)
    let options = "w:48/msfs:\(Self.photo.count - 1)/"
    #expect(try await test.get(test.path("/a.jpg", options)).status == 422)
    #expect(try await test.get(test.path("/a.jpg", "w:48/msfs:\(Self.photo.count)/")).status == 200)
  }
}
