import IkranServer
import TestBasics
import Testing

@testable import IkranService

/// What clients get that get no picture.
@Suite("Statuses of a service", .timeLimit(.minutes(5)))
struct StatusTests {
  @Test func sourcesThatAreNoPicturesHaveTheirStatuses() async throws {
    let test = try await TestService()
    let cases = [
      ("/status/404", 404, "Source is unreachable"), ("/status/410", 410, "Source is unreachable"),
      ("/status/500", 502, "Source is unreachable"), ("/status/503", 502, "Source is unreachable"),
      ("/status/204", 404, "Source is unreachable"), ("/loop", 404, "Source is unreachable"),
      ("/huge.png", 422, "Invalid source image"), ("/page.png", 422, "Invalid source image"),
      ("/empty.png", 422, "Invalid source image"),
      ("/broken.png", 422, "Broken or unsupported image"),
      ("/cut.png", 422, "Source response is incomplete"),
    ]
    for (source, status, text) in cases {
      let reply = try await test.get(test.path(source, "w:20/"))
      #expect(reply.status == status && reply.text == text, "\(source)")
      #expect(reply.headers["content-type"]?.hasPrefix("text/plain") == true)
      #expect(reply.headers["x-content-type-options"] == "nosniff")
      #expect(reply.headers["cache-control"] == "no-store")
    }
  }

  @Test func sourcesOverTheLimitsAreInvalid() async throws {
    let test = try await TestService(["MAX_SRC_RESOLUTION": "0.001", "MAX_SRC_FILE_SIZE": "9000"])
    for options in ["", "skp:png/", "w:1/"] {
      let reply = try await test.get(test.path("/red.png", options))
      #expect(reply.status == 422 && reply.text == "Invalid source image", "\(options)")
    }
    #expect(try await test.get(test.path("/red.png", "raw:1/")).status == 422)
  }

  @Test(arguments: [
    ("ALLOW_LOOPBACK_SOURCE_ADDRESSES", "0", "/red.png", "IKRAN_ALLOW_LOOPBACK_SOURCE_ADDRESSES"),
    ("ALLOWED_SOURCES", "http://a.test/", "/red.png", "IKRAN_ALLOWED_SOURCES"),
    ("MAX_SRC_RESOLUTION", "0.001", "/red.png", "0.001 megapixels (IKRAN_MAX_SRC_RESOLUTION)"),
    ("MAX_SRC_FILE_SIZE", "9000", "/red.png", "IKRAN_MAX_SRC_FILE_SIZE"),
    ("MAX_REDIRECTS", "2", "/loop", "IKRAN_MAX_REDIRECTS"),
    ("ALLOWED_PROCESSING_OPTIONS", "h", "/red.png", "IKRAN_ALLOWED_PROCESSING_OPTIONS"),
  ])
  func aRefusalNamesItsSetting(
    name: String,
    value: String,
    source: String,
    words: String
  ) async throws {
    let test = try await TestService([name: value, "DEVELOPMENT_ERRORS_MODE": "1"])
    let reply = try await test.get(test.path(source, "w:8/"))
    #expect(reply.text.contains(words), "\(reply.text)")
    try await until { test.log.items.count == 1 }
    #expect(test.log.items[0].error?.contains(words) == true)
  }

  @Test func resultsOverTheLimitsAreNotMade() async throws {
    let test = try await TestService()
    let options = [
      "rs:force:1000000:1000000:1/", "rs:fill:20000:20000:1/", "pd:100000000/", "el:1/z:1e30/",
      "dpr:1e30/", "ex:1/w:16384/h:16384/", "mw:2147483647/", "w:99999999999999999999/",
      "exar:1/w:1/h:100000000/", "pd:16000/", "blur:1e300/", "wm:1:re:0:0:1e300/",
    ]
    for options in options {
      let reply = try await test.get(test.path("/red.png", options))
      #expect(reply.status == 404 || reply.status == 422 || reply.picture != nil, "\(options)")
      #expect(reply.body.count < 1 << 20, "\(options)")
    }
  }

  @Test func aHugeDrawingIsDrawnSmall() async throws {
    let test = try await TestService()
    let reply = try await test.get(test.path("/huge.svg", "w:20/"))
    // 422 where the package is built without SVG.
    #expect(reply.status == 422 || reply.summary == "png 20x20")
  }

  @Test func aCompressedSourceIsNotInflatedOverTheLimit() async throws {
    #expect(Sources.bomb.count < 1_000_000)
    let test = try await TestService(["MAX_SRC_FILE_SIZE": "1000000"])
    for options in ["", "raw:1/"] {
      let reply = try await test.get(test.path("/bomb.png", options))
      #expect(reply.status == 422, "\(options) \(reply.text)")
      #expect(reply.text == "Invalid source image", "\(options)")
    }
  }

  @Test func wrongURLsAreNotFound() async throws {
    let test = try await TestService(["ALLOWED_SOURCES": "http://127.0.0.1:*/pics/"])
    let encoded = test.path("/pics/a.png").dropFirst(3)
    let cases = [
      ("/", 200), ("//", 404), ("/a", 404), ("/_/", 404), ("/_/w:x/\(encoded)", 404),
      ("/_/%FF%FE/plain/a", 404), ("/_/plain/%zz", 404), ("/_/plain/", 404), ("/_/*/a", 404),
      ("/_/nope:1/\(encoded)", 404), ("/_/msr:1/\(encoded)", 403), ("/_/\(encoded)", 200),
      ("/w:1/\(encoded)", 403), (test.path("/secret/a.png"), 404),
      ("/_/\(encoded)@exe", 404), ("/_/\(encoded).exe", 404),
    ]
    for (path, status) in cases {
      let reply = try await test.get(path)
      #expect(reply.status == status, "\(path)")
    }
    #expect(test.origin.statistics.paths.keys.sorted() == ["/pics/a.png"])
  }

  @Test func aSourceThatNeverRespondsIsLate() async throws {
    let test = try await TestService(["DOWNLOAD_TIMEOUT": "1"])
    #expect(try await test.get(test.path("/never")).status == 504)
    #expect(try await test.get(test.path("/never", "raw:1/")).status == 504)
  }

  @Test func aRequestEndsWithItsTime() async throws {
    let test = try await TestService(["TIMEOUT": "1", "DOWNLOAD_TIMEOUT": "1000"])
    let reply = try await test.get(test.path("/never"))
    #expect(reply.status == 503 && reply.text == "Timeout")
    try await until { test.origin.statistics.inFlight == 0 }
  }

  @Test func requestsBehindAFullQueueAreTooMany() async throws {
    let test = try await TestService(["REQUESTS_QUEUE_SIZE": "1", "WORKERS": "1"])
    let first = try RawClient(test.service.port)
    let second = try RawClient(test.service.port)
    first.send(test.path("/never"))
    second.send(test.path("/never/2"))
    try await until { test.origin.statistics.inFlight == 2 }
    let third = try await test.get(test.path("/red.png"))
    #expect(third.status == 429 && third.text == "Too many requests")
    first.leave()
    second.leave()
    while try await test.get(test.path("/red.png")).status == 429 {}
    #expect(test.origin.statistics.inFlight == 0)
  }

  @Test func developersSeeWhatIsWrong() async throws {
    let test = try await TestService(["DEVELOPMENT_ERRORS_MODE": "1"])
    let text = try await test.get("/_/w:x/plain/a").text
    #expect(text.hasPrefix("Invalid URL: ") && text.contains("“w”"))
  }

  @Test func onlySignedRequestsWithTheSecretAreServed() async throws {
    let keys = ["KEY": "00112233445566778899aabbccddeeff", "SALT": "0f1e2d3c4b5a6978"]
    let test = try await TestService(keys.merging(["SECRET": "hush"]) { $1 })
    let signer = try URLSigner(environment: [
      "IKRAN_KEY": keys["KEY"]!, "IKRAN_SALT": keys["SALT"]!,
    ])
    let path = signer.signed(String(test.path("/red.png").dropFirst(2)))
    let right = ["Authorization": "Bearer hush"]
    #expect(try await test.get(path, right).status == 200)
    let wrong = [
      (test.path("/red.png"), right), ("/" + path.dropFirst(2), right), (path + "A", right),
      (path, [:]), (path, ["Authorization": "Bearer hus"]), (path, ["Authorization": "hush"]),
      (path, ["Authorization": "Bearer hushh"]), (path, ["Authorization": ""]),
    ]
    for (path, fields) in wrong {
      let reply = try await test.get(path, fields)
      #expect(reply.status == 403 && reply.text == "Forbidden", "\(path)")
    }
    #expect(try await test.get("/health").status == 200)
  }
}
