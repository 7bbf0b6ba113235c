import Ikran

/// Runs the benchmarks whose names begin with the first argument, or all of them.
@main
enum Main {
  static func main() async throws {
    Isolation.startDecodersFromThisProgram()
    let arguments = CommandLine.arguments
    if arguments.count == 4, arguments[1] == TableProcessBenchmarks.argument {
      let seed = UInt64(arguments[3]) ?? 0
      return try TableProcessBenchmarks.respond(folder: arguments[2], seed: seed)
    }
    if arguments.count == 3, arguments[1] == "--chart" {
      return try Chart(results: "results.json").write(to: arguments[2])
    }
    if arguments.count == 3, arguments[1] == ResidentBenchmarks.argument {
      return try await ResidentBenchmarks.respond(kind: arguments[2])
    }
    if arguments.count == 2, arguments[1] == IsolationBenchmarks.argument {
      return try IsolationBenchmarks.respond()
    }
    let prefix = arguments.dropFirst().first ?? ""
    var report = Report()
    report.begin()
    try JPEGBenchmarks.run(prefix: prefix, into: &report)
    try await EarlyStopBenchmarks.run(prefix: prefix, into: &report)
    try ThumbnailBenchmarks.run(prefix: prefix, into: &report)
    try CoreBenchmarks.run(prefix: prefix, into: &report)
    try IsolationBenchmarks.run(prefix: prefix, into: &report)
    try ColorBenchmarks.run(prefix: prefix, into: &report)
    try RegionBenchmarks.run(prefix: prefix, into: &report)
    try FilterBenchmarks.run(prefix: prefix, into: &report)
    try FilterCatalogueBenchmarks.run(prefix: prefix, into: &report)
    try AnimationBenchmarks.run(prefix: prefix, into: &report)
    try await TransitionBenchmarks.run(prefix: prefix, into: &report)
    try await MemoryBenchmarks.run(prefix: prefix, into: &report)
    try ResidentBenchmarks.run(prefix: prefix, into: &report)
    try await PipelineBenchmarks.run(prefix: prefix, into: &report)
    try await CostBenchmarks.run(prefix: prefix, into: &report)
    try TableBenchmarks.run(prefix: prefix, into: &report)
    try DiskBenchmarks.run(prefix: prefix, into: &report)
    try await DownloadBenchmarks.run(prefix: prefix, into: &report)
    guard report.write(to: "results.json") else { throw ResultsNotWritten() }
  }
}

/// `results.json` cannot be written.
struct ResultsNotWritten: Error {}
