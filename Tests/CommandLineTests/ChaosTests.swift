import IkranServer
import Support
import Testing

/// Runs the built program against an origin with faults.
@Suite("ikran get and an origin that misbehaves", .serialized, .timeLimit(.minutes(10)))
struct ChaosTests {
  private let program: Program

  init() throws { program = try Program() }

  @Test(
    arguments: [
      "fail=2&retry-after=0", "fail=1&fault=429&retry-after=0", "fail=1&fault=drop",
      "fail=1&fault=reset", "fail=1&fault=truncate", "delay=300", "drip=8000", "ranges=ignore",
      "ranges=wrong", "ranges=stale", "ranges=short", "ranges=refuse", "etag=weak", "etag=none",
      "modified=none", "length=none", "header=Content-Type:text/html",
    ]
  )
  func recoverableFaultsAreOvercome(query: String) async throws {
    let origin = try Origin(.portraits(count: 1))
    defer { origin.stop() }
    let url = "\(origin.baseURL)/chaos/avatars/0.jpg?\(query)"
    for name in ["cold", "warm"] {
      let run = try await program.run("get", url, "--style", "circle:32", "-o", "\(name).png")
      #expect(run.code == 0, "\(run.errors)")
      #expect(run.errors.isEmpty)
    }
    let plain = "\(origin.baseURL)/avatars/0.jpg"
    _ = try await program.run("get", plain, "--style", "circle:32", "-o", "plain.png")
    #expect(try program.read("cold.png") == program.read("plain.png"))
    #expect(try program.read("warm.png") == program.read("plain.png"))
  }

  @Test(
    arguments: [
      ("fault=500", "500"), ("fault=503&retry-after=0", "503"), ("fault=404", "404"),
      ("fault=drop", "before"), ("fault=reset", "before"), ("fault=truncate", "before"),
      ("length=more", "before"), ("delay=600000", "time-out"),
      ("header=Content-Length:99999999999", "larger"),
      ("header=Content-Length:10&header=Content-Length:20", "contradict"),
    ]
  )
  func permanentFaultsAreOneSentence(query: String, says: String) async throws {
    let origin = try Origin(.portraits(count: 1))
    defer { origin.stop() }
    let url = "\(origin.baseURL)/chaos/avatars/0.jpg?\(query)"
    // A busy machine may take longer than a second for any other response.
    let timeout = query.hasPrefix("delay") ? "1" : "60"
    let ending = try await program.run("get", url, "-o", "none.png", "--timeout", timeout)
    expectRefusal(ending, code: 1, says: says)
    #expect(!program.exists("none.png"))
  }

  @Test func aListIsLoadedFromAnOriginThatFailsOften() async throws {
    let rates = FaultRates(fail: 0.1, drop: 0.1, reset: 0.1, truncate: 0.1)
    let origin = try Origin(.portraits(count: 40), faults: Faults(rates: rates, seed: 3))
    defer { origin.stop() }
    try program.write(Array(origin.urls.joined(separator: "\n").utf8), to: "list.txt")
    // Each run begins with the images that earlier runs loaded.
    var left = 40
    for _ in 0..<8 where left > 0 {
      let ending = try await program.run("warm", "list.txt", "--style", "circle:16", "--json")
      left = try #require(try ending.json()["failed"] as? Int)
      #expect(ending.code == (left > 0 ? 1 : 0))
    }
    #expect(left == 0)
    let again = try await program.run("warm", "list.txt", "--style", "circle:16", "--json").json()
    #expect(again["downloaded"] as? Int == 0)
    #expect(again["cached"] as? Int == 40)
  }
}
