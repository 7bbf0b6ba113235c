import Glibc
import IkranHTTP
import IkranServer
import IkranSystem
import TestBasics
import Testing

@testable import IkranService

/// Sources that a service must not fetch.
@Suite("Sources that are refused", .timeLimit(.minutes(5)))
struct SourceAttackTests {
  @Test func thisMachineIsNoSourceUnlessASettingSaysSo() async throws {
    let test = try await TestService(["ALLOW_LOOPBACK_SOURCE_ADDRESSES": "0"])
    let port = test.origin.port
    let hosts = [
      "127.0.0.1", "localhost", "127.1", "0.0.0.0", "2130706433", "0x7f.0.0.1", "0177.0.0.1",
      "[::1]", "[::ffff:127.0.0.1]", "[::]", "127.0.0.1.", "user@127.0.0.1",
    ]
    for host in hosts {
      for options in ["", "raw:1/"] {
        let reply = try await test.get(TestService.path(to: "http://\(host):\(port)/a", options))
        #expect(reply.status == 404, "\(host)")
        #expect(["Invalid source URL", "Source is unreachable"].contains(reply.text))
      }
    }
    #expect(test.origin.statistics.requests == 0)
  }

  @Test func redirectsLeadToNoForbiddenPlace() async throws {
    let test = try await TestService([
      "ALLOW_PRIVATE_SOURCE_ADDRESSES": "0", "MAX_REDIRECTS": "3",
    ])
    let targets = [
      "http://169.254.169.254/latest/meta-data", "http://10.0.0.1/", "file:///etc/passwd",
      "local:///etc/passwd", "data:image/png;base64,AAAA", "gopher://127.0.0.1:1/",
      "http://[fe80::1]/", "//192.168.0.1/",
    ]
    for target in targets {
      let place = "/to?url=" + target.replacing("&", with: "%26")
      for options in ["", "raw:1/"] {
        let reply = try await test.get(test.path(place, options))
        #expect(reply.status == 404, "\(target) \(options)")
        #expect(!reply.text.contains("root:"))
      }
    }
    #expect(try await test.get(test.path("/loop")).status == 404)
    #expect(test.origin.statistics.paths["/loop"] == 4)
  }

  @Test func otherSchemesAreNoSources() async throws {
    let folder = try TemporaryDirectory()
    try Files.create(folder.path + "/a.png", Sources.picture)
    let test = try await TestService()
    let data = "data:image/png;base64," + Base64.standard.encoded(Sources.picture)
    let sources = [
      "file://\(folder.path)/a.png", "FILE://\(folder.path)/a.png", "\(folder.path)/a.png",
      "file:\(folder.path)/a.png", "local://\(folder.path)/a.png", data, "DATA" + data.dropFirst(4),
      "ftp://127.0.0.1/a.png", "s3://bucket/a.png", "bytes:a", "http:", "http://", "http:///a.png",
      "//127.0.0.1:\(test.origin.port)/a.png", " " + data, "javascript:alert(1)",
    ]
    for source in sources {
      for options in ["", "raw:1/", "skp:png/"] {
        let reply = try await test.get(TestService.path(to: source, options))
        #expect(reply.status == 404, "\(source.prefix(40)) \(options)")
      }
    }
    #expect(test.origin.statistics.requests == 0)
  }

  @Test func localSourcesStayInTheirFolder() async throws {
    let folder = try TemporaryDirectory()
    let root = folder.path + "/root"
    try Files.createDirectories(root + "/deep")
    for name in ["root/a.png", "outside.png", "root-2.png"] {
      try Files.create(folder.path + "/" + name, Sources.picture)
    }
    for (name, target) in ["link.png": "../outside.png", "up": "..", "inner.png": "a.png"] {
      #expect(symlink(target, root + "/" + name) == 0)
    }
    let test = try await TestService(["LOCAL_FILESYSTEM_ROOT": root])
    for path in ["a.png", "deep/../a.png", "inner.png", "./a.png", "a.png?x"] {
      #expect(try await test.get(TestService.local(path)).status == 200, "\(path)")
    }
    let wrong = [
      "../outside.png", "%2e%2e/outside.png", "..%2foutside.png", "deep/../../outside.png",
      "link.png", "up/outside.png", "../root-2.png", "/\(folder.path)/outside.png", "deep", "",
      "..", "a.png/", "%61.png", "a.png%00.jpg", "%", "%c0%ae%c0%ae/outside.png",
      "../../../../../../../../etc/passwd", "/etc/passwd", "/proc/self/environ", "/dev/zero",
    ]
    for path in wrong {
      for options in ["", "raw:1/"] {
        let url = "local:///" + path
        let reply = try await test.get(TestService.path(to: url, options))
        #expect(reply.status == 404, "\(path)")
      }
    }
    for target in ["/../../etc/passwd", "/_/plain/local:///../../etc/passwd", "/_/../../etc/x"] {
      #expect(try await test.get(target).status == 404, "\(target)")
    }
  }

  @Test func secretsAreInNoLogAndNoResponse() async throws {
    let secrets = ["KEY": "00112233445566778899aabbccddeeff", "SALT": "0f1e2d3c4b5a6978"]
    let settings = [
      "SECRET": "hush-hush", "TRUSTED_SIGNATURES": "trusted-one", "PATH_PREFIX": "/img",
      "PROMETHEUS_BIND": ":0", "DEVELOPMENT_ERRORS_MODE": "1",
    ]
    let test = try await TestService(secrets.merging(settings) { $1 })
    let signature = "ZHVtbXktc2lnbmF0dXJl"
    let source = test.path("/red.png").dropFirst(2)
    let paths = [
      "/img/trusted-one\(source)", "/img/\(signature)\(source)", "/img/\(signature)",
      "/\(signature)", "/\(signature)\(source)", "/img/\(signature)/", "/img//\(signature)",
      "/img/trusted-one/w:x\(source)", "/img/\(signature)?x=/y", "/imgs/\(signature)/",
    ]
    var texts: [String] = []
    for path in paths {
      for fields in [[:], ["Authorization": "Bearer hush-hush"]] {
        let reply = try await test.get(path, fields)
        texts += reply.lines + (reply.status == 200 ? [] : [reply.text])
      }
    }
    try await until { test.log.items.count == 2 * paths.count }
    texts += test.log.items.map { "\($0)" }
    let port = try #require(test.service.statisticsPort)
    texts.append(try await onThread { try RawClient(port).get("/").text })
    texts.append(try await test.get("/img/").text)
    let hidden = Array(secrets.values) + ["hush", "trusted-one", signature]
    for text in texts {
      for secret in hidden { #expect(!text.contains(secret), "\(text)") }
    }
    #expect(test.log.items.contains { $0.path == "/plain/\(test.origin.baseURL)/red.png" })
  }
}
