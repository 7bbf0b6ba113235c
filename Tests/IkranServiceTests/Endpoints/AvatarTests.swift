import IkranCodecs
import IkranPixels
import IkranServer
import IkranText
import TestBasics
import Testing

@testable import IkranService

/// Portraits in the library's styles, and what is drawn in their place.
@Suite("Avatars", .timeLimit(.minutes(5)))
struct AvatarTests {
  /// A ThumbHash of the origin's picture.
  private static func hash() throws -> String {
    let file = Sources.picture
    let picture = try CodecList.standard.decode(file.span).bitmap
    return Base64.url.encoded(try picture.thumbHash())
  }

  private func bitmap(_ reply: Reply) throws -> Bitmap {
    try CodecList.standard.decode(reply.body.span).bitmap
  }

  @Test func aPortraitIsADiscOfItsSize() async throws {
    let test = try await TestService()
    let reply = try await test.get("/avatar" + test.path("/red.png", "size:32/dpr:2/"))
    #expect(reply.status == 200 && reply.summary == "png 64x64")
    let file = Sources.picture
    let expected = try CodecList.standard.decode(file.span).bitmap
      .styled(.circle(32), scale: 2)
    let shown = try bitmap(reply)
    for (x, y) in [(0, 0), (63, 63), (32, 32), (10, 40)] {
      let (a, b) = (try #require(shown.color(x: x, y: y)), expected.color(x: x, y: y))
      #expect(a.alpha == b?.alpha, "\(x) \(y)")
    }
    #expect(shown.color(x: 0, y: 0)?.alpha == 0 && shown.color(x: 32, y: 32)?.alpha == 255)
    #expect(reply.headers["cache-control"] == "max-age=31536000, public")
    #expect(reply.headers["content-disposition"] == "inline; filename=\"red.png\"")
  }

  @Test(arguments: [
    ("style:square", "rect:128x128"), ("st:rounded", "rounded:128x128,r=21"),
    ("style:rounded:r=4:b=2:bc=000000", "rounded:128x128,r=4,b=2,bc=#000000"),
    ("style:circle:b=2:bc=ff8800", "circle:128,b=2,bc=#FF8800"),
    ("s:40/st:circle", "circle:40"), ("st:rounded/s:40", "rounded:40x40,r=6"),
  ])
  func stylesAreThoseOfTheLibrary(_ option: String, _ text: String) throws {
    let read = try request("/avatar/_/\(option)/plain/a")
    let style = try read.options.avatar.style()
    let expected = try Style(parsing: text)
    #expect(read.endpoint == .avatar && style == expected)
  }

  @Test func theFormatIsTheURLsOrTheClients() async throws {
    let test = try await TestService(["AUTO_WEBP": "1"])
    let path = "/avatar" + test.path("/red.png", "s:32/")
    let negotiated = try await test.get(path, ["Accept": "image/webp"])
    #expect(negotiated.summary == "webp 32x32" && negotiated.headers["vary"] == "Accept")
    #expect(try await test.get(path).summary == "png 32x32")
    let flat = try await test.get("/avatar" + test.path("/red.png", "s:32/q:90/", ending: "jpg"))
    #expect(flat.summary == "jpeg 32x32")
    let corner = try #require(try bitmap(flat).color(x: 0, y: 0))
    #expect(min(corner.red, corner.green, corner.blue) > 230)
  }

  @Test func initialsAreDrawnWithoutASource() async throws {
    let test = try await TestService(["PROMETHEUS_BIND": ":0"])
    let names = ["name:Ada%20Lovelace", "name:\(Base64.url.encoded("Ada Lovelace".utf8)):1"]
    let expected = try Bitmap.initials("Ada Lovelace", size: PixelSize(width: 96, height: 96))
    for name in names {
      for end in ["", "/"] {
        let reply = try await test.get("/avatar/_/s:96/style:square/\(name)\(end)")
        #expect(reply.summary == "png 96x96")
        let shown = try bitmap(reply)
        let differs = (0..<96).contains { y in
          (0..<96).contains { shown.color(x: $0, y: y) != expected.color(x: $0, y: y) }
        }
        #expect(!differs, "\(name)")
        // There is nothing that it stands for: it is kept as pictures are.
        #expect(reply.headers["cache-control"] == "max-age=31536000, public")
      }
    }
    #expect(try await test.get("/avatar/_/s:96/style:square/\(names[0])").status == 200)
    #expect(try await test.statistic("results_total{from=\"memory\"}") == 1)
    #expect(test.origin.statistics.requests == 0)
  }

  @Test func initialsStandForASourceThatCannotBeHad() async throws {
    let test = try await TestService(["DOWNLOAD_TIMEOUT": "1", "MAX_SRC_RESOLUTION": "1"])
    let alone = try await test.get("/avatar/_/name:Ada/")
    let sources = [
      "/status/404", "/status/500", "/page.png", "/empty.png", "/broken.png", "/cut.png",
      "/huge.png", "/never",
    ]
    for source in sources {
      let reply = try await test.get("/avatar" + test.path(source, "name:Ada/"))
      #expect(reply.status == 200 && reply.body == alone.body, "\(source)")
      #expect(reply.headers["cache-control"] == "max-age=60, public", "\(source)")
      #expect(try await test.get("/avatar" + test.path(source)).status >= 400, "\(source)")
    }
    try await until { test.log.items.count == 1 + 2 * sources.count }
    let drawn = test.log.items.filter { $0.status == 200 && $0.error != nil }
    #expect(drawn.count == sources.count)
  }

  @Test func whatIsDrawnIsNotKeptAsThePicture() async throws {
    let isThere = Recorder<Bool>()
    let origin = try Origin { _ in
      isThere.items.isEmpty ? Response(404) : Response(200, body: Sources.picture)
    }
    let folder = try TemporaryDirectory()
    let test = try await TestService(folder: folder.path, origin: origin)
    let path = "/avatar" + test.path("/face.png", "s:32/name:Ada/")
    let drawn = try await test.get(path)
    isThere.add(true)
    let shown = try await test.get(path)
    #expect(drawn.summary == "png 32x32" && shown.summary == "png 32x32")
    #expect(shown.body != drawn.body && shown.headers["etag"] != drawn.headers["etag"])
    #expect(shown.headers["cache-control"] == "max-age=31536000, public")
  }

  @Test func whatIsDrawnForRequestsAtOnceIsDrawnOnce() async throws {
    let gate = BodyGate(10)
    let origin = try Origin { _ in Response(404, body: Sources.picture, gate: gate) }
    let test = try await TestService(["PROMETHEUS_BIND": ":0"], origin: origin)
    let path = "/avatar" + test.path("/face.png", "s:32/name:Ada/")
    let clients = try (0..<8).map { _ in try RawClient(test.service.port) }
    for client in clients { client.send(path) }
    while try await test.statistic("requests_in_progress") != 8 {}
    try await until { origin.statistics.requests == 1 }
    gate.open(to: .max)
    for client in clients {
      #expect(try await onThread { try client.reply() }.summary == "png 32x32")
    }
    let count = "request_span_duration_seconds_count{span=\"processing_image\"}"
    #expect(try await test.statistic(count) == 1)
  }

  @Test func aForbiddenSourceIsNotAskedForItsAvatar() async throws {
    let test = try await TestService(["ALLOWED_SOURCES": "http://127.0.0.1:*/pics/"])
    let path = "/avatar" + test.path("/secret.png", "name:Ada/")
    #expect(try await test.get(path).headers["cache-control"] == "max-age=60, public")
    #expect(try await test.get("/avatar" + test.path("/secret.png")).status == 404)
    #expect(test.origin.statistics.requests == 0)
    let strict = try await TestService(["ALLOW_LOOPBACK_SOURCE_ADDRESSES": "0"])
    #expect(try await strict.get("/avatar" + strict.path("/a.png", "name:Ada/")).status == 200)
    #expect(strict.origin.statistics.requests == 0)
  }

  @Test func aHashIsDrawnWhereThereIsNoName() async throws {
    let test = try await TestService()
    let hash = try Self.hash()
    let path = "/avatar" + test.path("/status/404", "s:48/style:square/thumbhash:\(hash)/")
    let reply = try await test.get(path)
    #expect(reply.summary == "png 48x48")
    #expect(reply.headers["cache-control"] == "max-age=60, public")
    let named = try await test.get("/avatar/_/s:48/style:square/name:Ada/th:\(hash)")
    let alone = try await test.get("/avatar/_/s:48/style:square/name:Ada")
    #expect(named.body == alone.body && reply.body != alone.body)
  }

  @Test func theServicesOwnPictureIsTheLastThatIsShown() async throws {
    let data = Base64.standard.encoded(Sources.file(3))
    let test = try await TestService(["FALLBACK_IMAGE_DATA": data])
    let reply = try await test.get("/avatar" + test.path("/status/404", "s:20/"))
    #expect(reply.summary == "png 20x20")
    #expect(reply.headers["cache-control"] == "max-age=60, public")
  }

  @Test(arguments: [
    "s:0", "s:-1", "s:1000000000", "s:2049", "s:", "s:1:1", "style:", "style:hexagon",
    "style:circle:b=", "style:circle:b=-1", "style:circle:r=4", "style:square:b=2",
    "style:rounded:r=a", "style:rounded:b=2:r=4", "style:circle:b=2:bc=red", "style:circle:",
    "style:circle:b=2", "style:rounded:r=4:b=2", "style:rounded:r=4:b=64:bc=000000",
    "style:circle:b=2+blur,9", "style:circle:b=99999999999999999999", "style:circle:b=1e309",
    "name:%FF", "name:%zz", "name:a+b:1", "name:abcde:1", "th:", "th:a", "th:!!",
    "th:AAAA", "w:30", "raw:1", "rs:fit:1", "nothing:1", "dpr:0", "dpr:nan",
  ])
  func aBadOptionIsAnInvalidURL(_ option: String) async throws {
    let error = try fault("/avatar/_/name:Ada/\(option)/plain/a")
    #expect(error?.status == 404 && error?.message == "Invalid URL", "\(String(describing: error))")
  }

  @Test func hostileNamesAndSizesAreDrawnOrRefused() async throws {
    // With other tests at the same time, and a sanitizer, a large one takes long.
    let test = try await TestService(["TIMEOUT": "200"])
    let names = [
      String(repeating: "a", count: 10_000), String(repeating: "%F0%9F%98%80", count: 800),
      "%00%01%1B%5B31m", "%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7", "%E2%80%AE%E2%80%AE", "%20%20",
      "a" + String(repeating: "%CC%81", count: 2000), "%D8%B9%D9%84%D9%8A", "%25%2F%3C%26",
    ]
    for name in names {
      let reply = try await test.get("/avatar/_/s:40/name:\(name)/")
      #expect(reply.summary == "png 40x40", "\(name.prefix(40)) \(reply.status)")
    }
    let huge = try await test.get("/avatar/_/s:2000/dpr:1000000000/name:Ada/")
    #expect(huge.summary == "png 2048x2048")
    #expect(try await test.get("/avatar/_/dpr:0.000000001/name:Ada/").summary == "png 1x1")
    #expect(try await test.get("/avatar/_/style:circle:b=99999/name:Ada/").status != 500)
    let limited = try await TestService(["MAX_RESULT_DIMENSION": "50"])
    #expect(try await limited.get("/avatar/_/s:100/name:Ada/").summary == "png 50x50")
    // Of its length, but no hash.
    let noHash = String(repeating: "_", count: 8)
    #expect(try await test.get("/avatar/_/th:\(noHash)/").status == 404)
    #expect(try await test.get("/avatar/_/s:40/").status == 404)
    #expect(try await test.get("/avatar/_/name:/").status == 404)
  }

  @Test func onlySignedAvatarsAreDrawn() async throws {
    let keys = ["KEY": "00112233445566778899aabbccddeeff", "SALT": "0f1e2d3c4b5a6978"]
    let test = try await TestService(keys)
    let signer = try URLSigner(
      environment: Dictionary(uniqueKeysWithValues: keys.map { ("IKRAN_" + $0, $1) })
    )
    #expect(try await test.get(signer.signed("/avatar/name:Ada/")).status == 200)
    #expect(try await test.get(signer.signed("/avatar/name:Ada/") + "x").status == 403)
    #expect(try await test.get("/avatar/_/name:Ada/").status == 403)
  }
}
