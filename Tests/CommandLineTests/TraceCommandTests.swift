import IkranStores
import IkranTrace
import Support
import Testing

@testable import ikran_cli

@Suite("ikran cache record and simulate", .timeLimit(.minutes(10)))
struct TraceCommandTests {
  private let program: Program

  init() throws { program = try Program() }

  @Test(arguments: [["--"], []])
  func theCommandGetsTheTracePathAndDecidesTheExitCode(dashes: [String]) async throws {
    let script = "printf '%s' \"$IKRAN_CACHE_TRACE\"; exit 7"
    let words = ["cache", "record", "a.trace"] + dashes + ["/bin/sh", "-c", script]
    let ending = try await program.run(words)
    #expect(ending.code == 7, "\(ending.errors)")
    #expect(ending.text == program.path("a.trace"))
    #expect(try CacheTrace.requests(at: program.path("a.trace")).isEmpty)
  }

  @Test func optionsAfterTheCommandBelongToIt() async throws {
    let ending = try await program.run(
      "cache",
      "record",
      "a.trace",
      "printf",
      "%s.",
      "--json",
      "-h"
    )
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(ending.text == "--json.-h.")
  }

  @Test func theCommandReceivesItsSignals() async throws {
    let ending = try await program.run([
      "cache", "record", "a.trace", "/bin/sh", "-c", "kill -INT $$",
    ])
    #expect(ending.code != 0)
    #expect(ending.errors.isEmpty)
  }

  @Test func aMissingCommandIsOneSentence() async throws {
    expectRefusal(
      try await program.run("cache", "record", "a.trace", "/no/such/program"),
      code: 1,
      says: "/no/such/program cannot be run"
    )
  }

  @Test(
    arguments: [
      ["record"], ["record", "a.trace"], ["record", "a.trace", "--"], ["simulate"],
      ["simulate", "a.trace", "more"], ["stat", "a.trace"], ["clear", "--", "a.trace"],
      ["simulate", "a.trace", "--policy", "best"], ["simulate", "a.trace", "--size", "-1"],
    ]
  )
  func wrongUsageIsRefused(words: [String]) async throws {
    expectRefusal(try await program.run(["cache"] + words), code: 2)
    #expect(!program.exists("a.trace"))
  }

  @Test func aFileThatIsNoTraceIsNotChanged() async throws {
    try program.write(Array("a letter\n".utf8), to: "letter.txt")
    let words = ["cache", "record", "letter.txt", "true"]
    expectRefusal(try await program.run(words), code: 1, says: "no cache trace")
    expectRefusal(try await program.run("cache", "simulate", "letter.txt"), code: 1, says: "line 1")
    expectRefusal(try await program.run("cache", "simulate", "none"), code: 1, says: "none")
    #expect(try program.read("letter.txt") == Array("a letter\n".utf8))
  }

  @Test func aTraceIsSimulated() async throws {
    do {
      let trace = try CacheTrace(program.path("a.trace"))
      for key in "abcabcdabc" { trace.record(key: "\(key)", bytes: 100) }
    }
    let words = ["cache", "simulate", "a.trace", "--policy", "fifo", "--size", "300"]
    let shown = try await program.run(words)
    #expect(shown.code == 0, "\(shown.errors)")
    #expect(
      shown.text == """
        10 look-ups of 4 values
        size          policy    found   bytes
        300           fifo      30.0 %  30.0 %

        """
    )
    let report = try await program.run(words + ["--policy=lru", "--json"]).json()
    #expect(report["requests"] as? Int == 10)
    #expect(report["keys"] as? Int == 4)
    #expect(report["bytes"] as? Int == 1000)
    let rows = try #require(report["results"] as? [[String: Any]])
    #expect(rows.map { $0["policy"] as? String } == ["fifo", "lru"])
    #expect(rows[0]["hits"] as? Int == 3)
    #expect(rows[0]["hitRatio"] as? Double == 0.3)
    #expect(rows[0]["hitBytes"] as? Int == 300)
  }

  @Test func ikransLookUpsAreRecorded() async throws {
    try program.write(try TestImages.png(width: 8, height: 8), to: "picture.png")
    let get = [try Program.executable(), "get", "picture.png", "-o", "out.png", "--no-cache"]
    // What is written as its file has it is not looked up in memory.
    let styled = get + ["--style", "circle:8"]
    let ending = try await program.run(["cache", "record", "a.trace"] + styled)
    #expect(ending.code == 0, "\(ending.errors)")
    let requests = try CacheTrace.requests(at: program.path("a.trace"))
    #expect(requests.map(\.bytes).allSatisfy { $0 >= 8 * 8 })
    #expect(requests.count == 1)
  }

  @Test func allPoliciesAndSizesAreTheDefault() async throws {
    do { try CacheTrace(program.path("a.trace")).record(key: "a", bytes: 1) }
    let ending = try await program.run("cache", "simulate", "a.trace")
    #expect(ending.text.split(separator: "\n").count == 2 + 3 * EvictionPolicy.allCases.count)
  }

  @Test func anEmptyTraceIsRefused() async throws {
    _ = try CacheTrace(program.path("a.trace"))
    expectRefusal(
      try await program.run("cache", "simulate", "a.trace"),
      code: 1,
      says: "has no look-up"
    )
  }
}
