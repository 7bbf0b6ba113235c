import IkranHTTP
import IkranServer
import TestBasics
import Testing

@testable import IkranService

/// Targets that are meant to be taken for another, and what logs have of them.
@Suite("Targets of an attacker", .timeLimit(.minutes(5)))
struct TargetAttackTests {
  private static let keys = ["KEY": "00112233445566778899aabbccddeeff", "SALT": "0f1e2d3c4b5a6978"]

  private static func signer() throws -> URLSigner {
    let pairs = keys.map { ("IKRAN_" + $0, $1) }
    return try URLSigner(environment: Dictionary(uniqueKeysWithValues: pairs))
  }

  /// All but the first are found in memory.
  @Test func aURLHasOneResultHoweverItsColonsAreWritten() async throws {
    let test = try await TestService(["PROMETHEUS_BIND": ":0"])
    let path = test.path("/red.png", "w:30/h:20/")
    let others = ["w%3A30/h:20/", "w:30/h%3A20/", "w%3A30/h%3A20/"].map {
      path.replacing("w:30/h:20/", with: $0)
    }
    for path in [path, path.replacing("/_/", with: "/_//")] + others {
      #expect(try await test.get(path).summary == "png 30x20", "\(path)")
    }
    #expect(try await test.statistic("results_total{from=\"made\"}") == 1)
  }

  @Test func aTargetWithoutASlashAtItsBeginningIsNone() async throws {
    let test = try await TestService()
    let path = test.path("/red.png").dropFirst()
    for target in [String(path), "info/" + path] {
      let reply = try await test.raw(
        "GET \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
      )
      #expect(reply?.contains("HTTP/1.1 200") == false, "\(target)")
    }
    #expect(test.origin.statistics.requests == 0)
  }

  /// A letter of two bytes, and its escapes.
  @Test func otherBytesAreOtherResults() throws {
    let name = { (text: String) throws in try ServicePath(Array(text.utf8), prefix: []).name }
    let names = try ["/_/fn:é/a", "/_/fn:%c3%a9/a", "/_/fn:e\u{301}/a", "/_/fn:%25c3%25a9/a"].map(
      name
    )
    #expect(Set(names).count == 4 && names.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } })
    #expect(try name("/info/_/a") != name("/_/info/a"))
  }

  @Test(arguments: [
    "/pics/../a.png", "/pics/x/./../../a.png", "/pics/%2e%2e/a.png", "/pics/.%2E/a.png", "/pics/..",
    "/pics/..?a", "/pics\\..\\a.png", "/pics/..#",
  ])
  func aSourceDoesNotClimbOutOfAnAllowedFolder(path: String) async throws {
    let test = try await TestService(["ALLOWED_SOURCES": "http://127.0.0.1:*/pics"])
    for endpoint in ["", "/info", "/avatar"] {
      #expect(try await test.get(endpoint + test.path(path)).status == 404)
    }
    #expect(try await test.get(test.path("/pics/..a.png?../..")).status == 200)
    #expect(test.origin.statistics.requests == 1)
  }

  @Test func aPicturesSignatureIsNoneOfAnAvatar() async throws {
    let test = try await TestService(Self.keys)
    let source = "/plain/" + test.origin.baseURL + "/red.png"
    let (picture, avatar) = (
      try Self.signer().signed(source), try Self.signer().signed("/avatar" + source)
    )
    #expect(try await test.get(picture).status == 200)
    #expect(try await test.get(avatar).status == 200)
    #expect(try await test.get("/avatar" + picture).status == 403)
    #expect(try await test.get(avatar.replacing("/avatar", with: "")).status == 403)
  }

  @Test(arguments: ["plain/", "base64", "fn:plain/plain/", "fn:plain/base64"])
  func noSecretOfASourceIsInTheLog(form: String) async throws {
    let test = try await TestService()
    let url = "http://user:hunter2@127.0.0.1:1/a.png?token=sekret"
    let source =
      form.hasSuffix("base64")
      ? form.dropLast(6) + Base64.url.encoded(Array(url.utf8))
      : form + url.replacing("?", with: "%3F").replacing("@", with: "%40")
    for path in [
      "/_/w:8/\(source)", "/info/_/\(source)", "/_/w:x/\(source)", "/_/nope:1/\(source)",
    ] {
      _ = try await test.get(path)
    }
    try await until { test.log.items.count == 4 }
    for record in test.log.items {
      let text = record.path + (record.error ?? "")
      for secret in ["hunter2", "sekret", Base64.url.encoded(Array(url.utf8))] {
        #expect(!text.contains(secret), "\(text)")
      }
    }
    let drawn = try #require(test.log.items.first { $0.path.contains("w:8/") })
    #expect(drawn.path.hasSuffix("plain/http://127.0.0.1:1/a.png"))
  }

  @Test func aLogHasTheEndpointTheOptionsAndTheEnding() async throws {
    let test = try await TestService()
    let url = test.origin.baseURL + "/red.png"
    for path in ["/_/w:8/plain/\(url)@webp", "/avatar/_/s:8/plain/\(url)", "/info/_/plain/\(url)"] {
      #expect(try await test.get(path).status == 200)
    }
    try await until { test.log.items.count == 3 }
    #expect(
      test.log.items.map(\.path) == [
        "/w:8/plain/\(url)@webp", "/avatar/s:8/plain/\(url)", "/info/plain/\(url)",
      ]
    )
  }
}
