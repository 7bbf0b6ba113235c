import IkranServer
import TestBasics
import Testing

@testable import IkranService

/// What clients get that ask for pictures, over real connections.
@Suite("Responses of a service", .timeLimit(.minutes(5)))
struct ResponseTests {
  @Test func aPictureHasItsSizeItsFormatAndItsFields() async throws {
    let test = try await TestService()
    let reply = try await test.get(test.path("/red.png", "rs:fill:30:20/"))
    #expect(reply.status == 200 && reply.summary == "png 30x20")
    let tag = try #require(reply.headers["etag"])
    #expect(tag.hasPrefix("\"") && tag.hasSuffix("\""))
    let expected = [
      "content-type": "image/png", "content-length": "\(reply.body.count)",
      "content-disposition": "inline; filename=\"red.png\"",
      "cache-control": "max-age=31536000, public", "x-content-type-options": "nosniff",
      "content-security-policy":
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
      "x-origin-width": "60", "x-origin-height": "40", "x-result-width": "30",
      "x-result-height": "20", "x-origin-content-length": "\(Sources.picture.count)",
    ]
    for (name, value) in expected { #expect(reply.headers[name] == value, "\(name)") }
    #expect(reply.headers["vary"] == nil && reply.headers["access-control-allow-origin"] == nil)
  }

  @Test func aHeadRequestGetsTheFieldsAlone() async throws {
    let test = try await TestService()
    let path = test.path("/red.png")
    let (head, whole) = (try await test.get(path, method: "HEAD"), try await test.get(path))
    #expect(head.status == 200 && head.body.isEmpty)
    for name in ["content-length", "content-type", "etag", "cache-control"] {
      #expect(head.headers[name] == whole.headers[name], "\(name)")
    }
  }

  @Test func aKnownTagGetsNoPicture() async throws {
    let test = try await TestService()
    let path = test.path("/red.png")
    let tag = try #require(try await test.get(path).headers["etag"])
    for known in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
      let reply = try await test.get(path, ["If-None-Match": known])
      #expect(reply.status == 304 && reply.headers["etag"] == tag, "\(known)")
    }
    #expect(try await test.get(path, ["If-None-Match": "\"x\""]).status == 200)
  }

  @Test(arguments: ["PUT", "POST", "DELETE", "PATCH", "TRACE", "CONNECT", "get", "BREW"])
  func otherMethodsAreNotFound(_ method: String) async throws {
    let test = try await TestService()
    let reply = try await test.get(test.path("/red.png"), method: method)
    #expect(reply.status == 404 && reply.text == "Invalid URL")
    #expect(test.origin.statistics.requests == 0)
  }

  @Test func optionsAreAllowedFromTheOriginOfASetting() async throws {
    let test = try await TestService(["ALLOW_ORIGIN": "https://site.test"])
    for method in ["OPTIONS", "GET"] {
      let reply = try await test.get(test.path("/red.png"), method: method)
      #expect(reply.status == 200)
      #expect(reply.headers["access-control-allow-origin"] == "https://site.test")
    }
  }

  @Test func requestsKeepTheirNamesOrGetNewOnes() async throws {
    let test = try await TestService()
    let named = try await test.get("/health", ["X-Request-ID": "a_B-9"])
    #expect(named.headers["x-request-id"] == "a_B-9")
    for wrong in ["a b", "a\"b", "", "ä", String(repeating: "a", count: 129)] {
      let name = try await test.get("/health", ["X-Request-ID": wrong]).headers["x-request-id"]
      #expect(name?.count == 21, "\(wrong)")
    }
    try await until { test.log.items.count == 6 }
    // A request may end after the next one's response.
    #expect(test.log.items.contains { $0.id == "a_B-9" })
    #expect(test.log.items.allSatisfy { $0.status == 200 })
  }

  @Test func clientsGetTheFormatsThatTheyAccept() async throws {
    let test = try await TestService(["AUTO_WEBP": "1", "ENFORCE_AVIF": "1"])
    let cases = [
      ("", "", "image/png"), ("image/webp,*/*", "", "image/webp"),
      ("image/webp", "jpg", "image/jpeg"), ("image/avif,image/webp", "jpg", "image/avif"),
    ]
    for (accepted, ending, type) in cases {
      let path = test.path("/red.png", ending: ending)
      let reply = try await test.get(path, ["Accept": accepted])
      #expect(reply.headers["content-type"] == type, "\(accepted)")
      #expect(reply.headers["vary"] == "Accept")
    }
  }

  @Test func clientsHintsChooseTheSize() async throws {
    let test = try await TestService(["ENABLE_CLIENT_HINTS": "1"])
    let cases = [
      (["Width": "30"], "png 30x20"), (["Width": "30", "DPR": "2"], "png 30x20"),
      (["Sec-CH-Width": "15", "Width": "50"], "png 15x10"), (["Width": "x"], "png 60x40"),
      (["DPR": "1e300", "Width": "-1"], "png 60x40"),
    ]
    for (fields, summary) in cases {
      let reply = try await test.get(test.path("/red.png"), fields)
      #expect(reply.summary == summary, "\(fields)")
      #expect(reply.headers["vary"] == "Sec-CH-DPR, DPR, Sec-CH-Width, Width")
    }
  }

  @Test func namesOfFilesAreSafeInTheirField() async throws {
    let test = try await TestService()
    let evil = "a\r\nSet-Cookie: b=c\u{0}\t\u{1B}\"d"
    let options = "fn:\(Base64.url.encoded(Array(evil.utf8))):1/att:1/"
    let reply = try await test.get(test.path("/red.png", options))
    #expect(reply.headers["set-cookie"] == nil)
    let expected = "attachment; filename=\"aSet-Cookie: b=c%22d.png\""
    #expect(reply.headers["content-disposition"] == expected)
    let names = [("fn:cat/", "cat.png"), ("fn:a.b/", "a.b.png")]
    for (options, name) in names {
      let reply = try await test.get(test.path("/red.png", options))
      #expect(reply.headers["content-disposition"] == "inline; filename=\"\(name)\"")
    }
  }

  @Test func theSourceIsNamedAsAURLThatCannotBreakItsField() async throws {
    let test = try await TestService(["SET_CANONICAL_HEADER": "1"])
    let source = test.origin.baseURL + "/a>; rel=\"stylesheet\", <b c.png"
    let reply = try await test.get(TestService.path(to: source))
    let link = try #require(reply.headers["link"])
    #expect(
      link == "<\(test.origin.baseURL)/a%3E;%20rel=%22stylesheet%22,%20%3Cb%20c.png>"
        + "; rel=\"canonical\""
    )
  }

  @Test func thePasswordOfASourceIsInNoResponse() async throws {
    let origin = try Sources.origin()
    let base = "http://user:secret@127.0.0.1:\(origin.port)"
    let test = try await TestService(
      ["SET_CANONICAL_HEADER": "1", "BASE_URL": base, "DEVELOPMENT_ERRORS_MODE": "1"],
      origin: origin
    )
    for (path, status) in ["/a.png": 200, "/page.png": 422, "/status/404": 404, "/loop": 404] {
      for options in ["", "raw:1/"] {
        let reply = try await test.get(TestService.path(to: path, options))
        #expect(reply.status == status || !options.isEmpty, "\(path)")
        #expect(!reply.lines.contains { $0.contains("secret") }, "\(path)")
        #expect(!reply.text.contains("secret"), "\(path) \(reply.text.prefix(200))")
      }
    }
  }

  @Test func aRawSourceIsSentAsItIs() async throws {
    let test = try await TestService()
    let reply = try await test.get(test.path("/page.html", "raw:1/"))
    #expect(reply.status == 200 && reply.text == "<script></script>")
    #expect(reply.headers["content-type"] == "text/html" && reply.headers["etag"] == "\"h\"")
    #expect(reply.headers["content-security-policy"]?.contains("sandbox") == true)
    #expect(reply.headers["x-content-type-options"] == "nosniff")
    let missing = try await test.get(test.path("/status/404", "raw:1/"))
    #expect(missing.status == 404)
    #expect(missing.headers["cache-control"]?.contains("max-age") != true)
  }

  @Test func aPictureExpiresWithItsURL() async throws {
    let test = try await TestService()
    let reply = try await test.get(test.path("/red.png", "exp:99999999999/"))
    #expect(reply.headers["cache-control"] == "max-age=31536000, public")
    #expect(try await test.get(test.path("/red.png", "exp:1/")).status == 404)
    let passing = try await TestService(["CACHE_CONTROL_PASSTHROUGH": "1"])
    let field = try await passing.get(passing.path("/red.png")).headers["cache-control"]
    #expect(field == "max-age=3600")
  }

  @Test func theFallbackImageIsSentInPlaceOfSourcesThatCannotBeHad() async throws {
    let data = Base64.standard.encoded(Sources.file(3))
    let test = try await TestService([
      "FALLBACK_IMAGE_DATA": data, "FALLBACK_IMAGE_TTL": "7", "FALLBACK_IMAGE_HTTP_CODE": "203",
    ])
    for source in ["/status/404", "/page.png"] {
      let reply = try await test.get(test.path(source, "w:30/"))
      #expect(reply.status == 203 && reply.summary == "png 30x20", "\(source)")
      #expect(reply.headers["cache-control"] == "max-age=7, public")
    }
    #expect(try await test.get("/_/nonsense:1/plain/a").status == 404)
  }

  @Test func aWatermarkAndPresetsAreDrawnFromTheSettings() async throws {
    let plain = try await TestService()
    let test = try await TestService(
      [
        "WATERMARK_PATH": "mark.png", "PRESETS": "small=rs:fill:30:20,marked=wm:1",
        "ONLY_PRESETS": "1",
      ],
      origin: plain.origin,
      files: ["mark.png": Sources.file(3)]
    )
    let unmarked = try await plain.get(plain.path("/red.png", "rs:fill:30:20/")).body
    let small = try await test.get(test.path("/red.png", "small/"))
    #expect(small.summary == "png 30x20" && small.body == unmarked)
    let both = try await test.get(test.path("/red.png", "small:marked/"))
    #expect(both.summary == "png 30x20" && both.body != unmarked)
    #expect(try await test.get(test.path("/red.png", "rs:fill:30:20/")).status == 404)
  }

  @Test func pathsOfTheServiceItselfAreServed() async throws {
    let test = try await TestService([
      "PATH_PREFIX": "/img", "HEALTH_CHECK_PATH": "/up", "PROMETHEUS_BIND": ":0",
      "PROMETHEUS_NAMESPACE": "pics",
    ])
    let statuses = [
      "/health": 200, "/img/health": 200, "/up": 200, "/": 200, "/img/": 200, "/favicon.ico": 404,
      "/.well-known/x": 404, "/health/": 404, "/img" + test.path("/a.png"): 200,
      test.path("/a.png"): 404, "/imgs" + test.path("/a.png"): 404,
    ]
    for (path, status) in statuses {
      #expect(try await test.get(path).status == status, "\(path)")
    }
    try await until { test.log.items.count == statuses.count }
    #expect(try await test.statistic("pics_requests_total") == statuses.count)
    #expect(try await test.statistic("pics_status_codes_total{status=\"404\"}") == 5)
    #expect(try await test.statistic("pics_requests_in_progress") == 0)
  }
}
