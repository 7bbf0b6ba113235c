import Ikran
import IkranSystem
import IkranTrace

// Recording and replaying the look-ups of the memory cache.

extension CacheCommand {
  /// Replaces this process by the command, which appends to the trace.
  func record(_ trace: String) throws -> Never {
    // The command may change its working directory. A file that is not a trace is not changed.
    let path = try Files.absolute(trace)
    _ = try CacheTrace(path)
    try OtherProgram.become(command, variable: CacheTrace.variable, value: path)
  }

  /// Prints a row for each policy and size.
  func simulate(_ trace: String, _ output: Output) throws -> Int32 {
    let requests = try CacheTrace.requests(at: trace)
    guard !requests.isEmpty else { throw Failure("\(trace) has no look-up in it") }
    let simulator = PolicySimulator(requests)
    let sizes = sizes.isEmpty ? [32 << 20, 128 << 20, 512 << 20] : sizes
    let policies = policies.isEmpty ? EvictionPolicy.allCases : policies
    let results = sizes.flatMap { size in
      policies.map { simulator.run($0, byteLimit: size) }
    }
    if isJSON {
      let rows = results.map { result -> JSON in
        [
          "policy": .string(result.policy.rawValue),
          "size": .integer(result.byteLimit),
          "hits": .integer(result.hits),
          "hitRatio": .number(result.hitRatio),
          "hitBytes": .integer(result.hitBytes),
          "byteHitRatio": .number(result.byteHitRatio),
        ]
      }
      let report: JSON = [
        "requests": .integer(requests.count),
        "keys": .integer(simulator.keyCount),
        "bytes": .integer(results.first?.bytes ?? 0),
        "results": .array(rows),
      ]
      try output.line(report.text)
      return 0
    }
    try output.line("\(requests.count) look-ups of \(simulator.keyCount) values")
    try output.line("size          policy    found   bytes")
    for result in results { try output.line(Self.row(result)) }
    return 0
  }

  private static func row(_ result: SimulationResult) -> String {
    func padded(_ text: String, _ width: Int) -> String {
      text + String(repeating: " ", count: max(1, width - text.count))
    }
    func percent(_ share: Double) -> String {
      let tenths = Int((share * 1000).rounded())
      let text = "\(tenths / 10).\(tenths % 10) %"
      return String(repeating: " ", count: max(0, 7 - text.count)) + text
    }
    return padded("\(result.byteLimit)", 14) + padded(result.policy.rawValue, 9)
      + percent(result.hitRatio) + " " + percent(result.byteHitRatio)
  }
}
