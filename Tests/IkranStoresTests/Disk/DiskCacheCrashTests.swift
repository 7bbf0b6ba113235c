import Glibc
import IkranStores
import StoreTorture
import Support
import Testing

@Suite(.timeLimit(.minutes(10))) struct DiskCacheCrashTests {
  private let directory: TemporaryDirectory
  private let keys = (0..<64).map { "key-\($0)" }

  init() throws { directory = try TemporaryDirectory() }

  @Test(arguments: TortureForm.allCases)
  func aKilledWriterNeverLeavesAWrongBody(form: TortureForm) throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    let path = "\(directory.path)/cache"
    var bodies = 0
    let rounds = Rounds.fewer(100, concurrent: true)
    for _ in 0..<rounds {
      let torture = ["write", path, "\(generator.next() >> 1)", "1000000", form.rawValue]
      let child = try ChildProcess(torture)
      #expect(child.waitForOutput(Int.random(in: 1...40, using: &generator)))
      // The byte is written between two operations: wait until the next one has started.
      usleep(UInt32.random(in: 0...2000, using: &generator))
      #expect(child.kill())

      let cache = try DiskCache(directory: path, options: form.options)
      for key in keys {
        guard let entry = try cache.entry(for: key) else { continue }
        bodies += 1
        #expect(TortureBody.isRight(entry, for: key))
      }
      let statistics = try cache.statistics
      #expect(statistics.dropped == 0)
      #expect(statistics.rebuilds == 0)
      #expect(statistics.byteCount <= 1 << 20)
      let report = try cache.verify()
      #expect(report.dropped == 0)
      #expect(report.checked == statistics.count)
      #expect(try cache.verify().orphansRemoved == 0)
      #expect(try Files.list("\(path)/incoming") == [])
    }
    #expect(bodies > rounds)
  }

  @Test func twoProcessesShareOneCache() throws {
    let path = "\(directory.path)/cache"
    let children = try (0..<2).map {
      try ChildProcess(["write", path, "\($0 + 7)", "600", "plain"])
    }
    for child in children { #expect(child.waitForOutput(1)) }
    let cache = try DiskCache(directory: path, options: TortureForm.plain.options)
    for _ in 0..<5 {
      for key in keys {
        guard let entry = try cache.entry(for: key) else { continue }
        #expect(TortureBody.isRight(entry, for: key))
      }
    }
    for child in children {
      let end = child.finish()
      #expect(end.code == 0, "\(end.output.suffix(200))")
    }
    let held = try cache.statistics
    #expect(held.byteCount <= 1 << 20)
    #expect(held.dropped == 0)
    let report = try cache.verify()
    #expect(report.checked == held.count)
    #expect(report.dropped == 0)
    #expect(report.orphansRemoved == 0)
    #expect(try cache.statistics.byteCount == held.byteCount)
  }

  @Test func aFullDiskIsReportedAndLosesNothing() throws {
    let child = try ChildProcess(["full", "\(directory.path)/cache"])
    let end = child.finish()
    #expect(end.code == 0, "\(end.output)")
  }
}
