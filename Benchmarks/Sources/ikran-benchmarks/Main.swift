import Ikran

/// Runs the benchmarks whose names begin with the first argument, or all of them.
@main
enum Main {
  static func main() async throws {
    let prefix = CommandLine.arguments.dropFirst().first ?? ""
    var report = Report()
    report.begin()
    try JPEGBenchmarks.run(prefix: prefix, into: &report)
    try await MemoryBenchmarks.run(prefix: prefix, into: &report)
    if DownloadBenchmarks.name.hasPrefix(prefix) || prefix.hasPrefix(DownloadBenchmarks.name) {
      try await DownloadBenchmarks.run(into: &report)
    }
    guard report.write(to: "results.json") else { throw ResultsNotWritten() }
  }
}

/// `results.json` cannot be written.
struct ResultsNotWritten: Error {}
