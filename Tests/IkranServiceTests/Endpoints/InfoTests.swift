import IkranCodecs
import IkranHTTP
import IkranPixels
import IkranServer
import TestBasics
import Testing

@testable import IkranService

/// What a service tells of pictures.
@Suite("Descriptions of pictures", .timeLimit(.minutes(5)))
struct InfoTests {
  /// An origin of files by their names.
  private static func origin(_ files: [String: [UInt8]]) throws -> Origin {
    try Origin { head in
      let name = String(head.path.dropFirst())
      guard let file = files[name] ?? (try? Fixtures.bytes(name)) else { return Response(404) }
      return Response(200, headers: [Field("Cache-Control", "max-age=60")], body: file)
    }
  }

  @Test func aPictureIsDescribedByItsHeader() async throws {
    let test = try await TestService()
    let reply = try await test.get("/info" + test.path("/red.png"))
    #expect(reply.status == 200 && reply.headers["content-type"] == "application/json")
    #expect(
      reply.text == """
        {"animated":false,"bit_depth":16,"format":"png","frames":1,"has_alpha":false,"height":40,\
        "mime_type":"image/png","orientation":1,"size":\(Sources.picture.count),"width":60}
        """
    )
    #expect(reply.headers["content-disposition"] == "inline; filename=\"red.json\"")
    #expect(reply.headers["cache-control"] == "max-age=31536000, public")
    #expect(reply.headers["x-content-type-options"] == "nosniff")
  }

  @Test func theSidesAreThoseOfTheUprightPicture() async throws {
    let test = try await TestService(origin: try Self.origin([:]))
    let text = try await test.get("/info" + test.path("/areas-orientation-6.jpg")).text
    let file = try Fixtures.bytes("areas-orientation-6.jpg")
    let size = try CodecList.standard.probe(file.span).size
    #expect(size.width != size.height && text.contains("\"orientation\":6"))
    #expect(text.contains("\"width\":\(size.height)") && text.contains("\"height\":\(size.width),"))
  }

  @Test func aDescriptionHasNoSizeOfAResult() async throws {
    let test = try await TestService(origin: try Self.origin([:]))
    let reply = try await test.get("/info" + test.path("/areas-444.jpg"))
    #expect(reply.headers["x-origin-width"] != nil && reply.headers["x-result-width"] == nil)
  }

  @Test func anAnimationHasItsFramesAndItsTime() async throws {
    let test = try await TestService(origin: try Self.origin([:]))
    for name in ["animation-3-frames.gif", "animation-3-frames.webp"] {
      let text = try await test.get("/info" + test.path("/" + name)).text
      #expect(text.contains("\"animated\":true") && text.contains("\"frames\":3"), "\(text)")
      let file = try Fixtures.bytes(name)
      let times = try CodecList.standard.probe(file.span).durations
      #expect(text.contains("\"duration\":\(times.reduce(0, +)),"), "\(text)")
    }
  }

  @Test func theProfileAndWhatTheCameraSaysAreNamed() async throws {
    // One entry: the maker, in place.
    let exif: [UInt8] =
      [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x0F, 1, 2, 0, 4, 0, 0, 0]
      + Array("A\"b\0".utf8) + [0, 0, 0, 0]
    let picture = try Samples.quarters()
    let file = try picture.encoded(
      as: .jpeg(quality: 80),
      metadata: ImageMetadata(exif: exif),
      retaining: .keep
    )
    let test = try await TestService(origin: try Self.origin(["camera.jpg": file]))
    let text = try await test.get("/info" + test.path("/camera.jpg")).text
    #expect(text.contains(#""exif":{"make":"A\"b"}"#), "\(text)")
    let profiled = try await test.get("/info" + test.path("/areas-wide.jpg")).text
    let facts = try #require(ImageMetadata(of: Fixtures.bytes("areas-wide.jpg")).profileFacts)
    #expect(profiled.contains("\"icc_profile\":\"\(facts.description ?? facts.colorSpace)\""))
  }

  @Test func aThumbHashIsThatOfThePicture() async throws {
    let test = try await TestService()
    let text = try await test.get("/info" + test.path("/red.png", "thumbhash:1/")).text
    let file = Sources.picture
    let picture = try CodecList.standard.decode(file.span).bitmap
    let hash = Base64.url.encoded(try picture.thumbHash())
    #expect(text.contains("\"thumbhash\":\"\(hash)\""), "\(text)")
    let without = try await test.get("/info" + test.path("/red.png", "th:0/"))
    #expect(!without.text.contains("hash"))
  }

  @Test(arguments: ["w:30", "q:80", "f:png", "raw:1", "style:circle", "adjust:1", "nothing:1"])
  func anOptionWithoutMeaningIsNamed(_ option: String) async throws {
    let test = try await TestService(["DEVELOPMENT_ERRORS_MODE": "1"])
    let reply = try await test.get("/info" + test.path("/red.png", option + "/"))
    let name = option.prefix { $0 != ":" }
    #expect(reply.status == 404 && reply.text.contains("the option “\(name)” "), "\(reply.text)")
    #expect(test.origin.statistics.requests == 0)
  }

  @Test func sourcesHaveTheStatusesThatTheyHaveForPictures() async throws {
    let data = Base64.standard.encoded(Sources.file(3))
    let settings = ["FALLBACK_IMAGE_DATA": data, "MAX_SRC_RESOLUTION": "1"]
    let test = try await TestService(settings)
    let cases = [
      "/status/404": 404, "/status/500": 502, "/huge.png": 422, "/page.png": 422,
      "/empty.png": 422, "/cut.png": 422, "/broken.png": 200,
    ]
    for (source, status) in cases {
      #expect(try await test.get("/info" + test.path(source)).status == status, "\(source)")
    }
    // A hash needs pixels.
    #expect(try await test.get("/info" + test.path("/broken.png", "thumbhash:1/")).status == 422)
    #expect(try await test.get("/info" + test.path("/red.png", ending: "png")).status == 404)
    let strict = try await TestService(["ALLOW_LOOPBACK_SOURCE_ADDRESSES": "0"])
    #expect(try await strict.get("/info" + strict.path("/red.png")).text == "Invalid source URL")
  }

  @Test func aSecondRequestCostsNothing() async throws {
    let test = try await TestService(["PROMETHEUS_BIND": ":0", "AUTO_WEBP": "1"])
    let path = "/info" + test.path("/red.png")
    let first = try await test.get(path)
    let tag = try #require(first.headers["etag"])
    #expect(try await test.get(path, ["If-None-Match": tag]).status == 304)
    let head = try await test.get(path, ["Accept": "image/webp"], method: "HEAD")
    #expect(head.headers["content-length"] == "\(first.body.count)" && head.body.isEmpty)
    #expect(first.headers["vary"] == nil)
    #expect(try await test.statistic("results_total{from=\"made\"}") == 1)
    #expect(try await test.statistic("results_total{from=\"memory\"}") == 2)
    // The picture of the same path is another result.
    #expect(try await test.get(test.path("/red.png")).summary == "png 60x40")
  }

  @Test func theSignatureIsOfThePathBehindIt() async throws {
    let keys = [
      "KEY": "00112233445566778899aabbccddeeff", "SALT": "0f1e2d3c4b5a6978",
      "PATH_PREFIX": "/img",
    ]
    let test = try await TestService(keys)
    let signer = try URLSigner(
      environment: Dictionary(uniqueKeysWithValues: keys.map { ("IKRAN_" + $0, $1) })
    )
    let path = String(test.path("/red.png").dropFirst(2))
    let signed = signer.signed("/info" + path)
    #expect(signed.hasPrefix("/img/info/") && signed.hasSuffix(path))
    #expect(try await test.get(signed).status == 200)
    #expect(signer.signed(path) == signed.replacing("/info", with: ""))
    #expect(try await test.get("/img/info/AAAA" + path).status == 403)
    #expect(try await test.get(String(signed.dropFirst(4))).status == 404)
    #expect(try await test.get("/img/info/").status == 404)
    try await until { test.log.items.count == 4 }
    #expect(test.log.items.contains { $0.path == "/info/plain/\(test.origin.baseURL)/red.png" })
  }

  @Test func presetsMayHaveTheOptionsOfDescriptions() async throws {
    let test = try await TestService(["PRESETS": "hashed=thumbhash:1,default=w:10"])
    let reply = try await test.get("/info" + test.path("/red.png", "pr:hashed/"))
    #expect(reply.text.contains("thumbhash"))
    #expect(try await test.get(test.path("/red.png", "pr:hashed/")).status == 404)
    #expect(try await test.get("/info" + test.path("/red.png", "pr:default/")).status == 404)
  }

  @Test func equalRequestsAreMadeOnce() async throws {
    let gate = BodyGate(10)
    let origin = try Origin { _ in
      let fields = [Field("Cache-Control", "max-age=60")]
      return Response(200, headers: fields, body: Sources.picture, gate: gate)
    }
    let test = try await TestService(["PROMETHEUS_BIND": ":0"], origin: origin)
    let clients = try (0..<4).map { _ in try RawClient(test.service.port) }
    for client in clients { client.send("/info" + test.path("/red.png")) }
    while try await test.statistic("requests_in_progress") != 4 {}
    clients[0].leave()
    gate.open(to: .max)
    for client in clients.dropFirst() {
      #expect(try await onThread { try client.reply() }.text.contains("\"width\":60"))
    }
    #expect(origin.statistics.requests == 1)
  }
}
