import CPeers
import Glibc
import Ikran

/// 1,000 bodies of 40 KB from a server on the loopback, six connections at a time.
struct DownloadBenchmarks {
  private static let count = 1_000
  private static let connections = 6
  /// Callers at once that wait for one image before they ask for the next, as in a list that scrolls.
  private static let callers = 12
  private static let samples = 31

  /// The name this suite reports, without suffixes.
  static let name = "download.http1"

  /// Downloads from the server that `Scripts/bench` started, with Ikran and with the peers.
  static func run(into report: inout Report) async throws {
    guard let url = environment("IKRAN_BENCH_URL") else {
      report.note("no server was started: downloads are not measured; use Scripts/bench")
      return
    }
    report.note("\(name): \(count) × 40 KB from \(environment("IKRAN_BENCH_SERVER") ?? url)")
    // The peer in C knows all its URLs beforehand, so Ikran is asked for all at once, too.
    var contenders = [
      Round(name: "Ikran", run: ikran(url, callers: count)),
      Round(name: "Ikran, \(callers) callers", run: ikran(url, callers: callers)),
    ]
    for (name, program) in [
      ("C libcurl multi", "curl-multi-peer"), ("URLSession", "urlsession-peer"),
    ] {
      guard let child = Child([folder() + program]) else {
        report.note("\(program) does not start: not compared")
        continue
      }
      contenders.append(Round(name: name, run: peer(child, url)))
    }
    let (walls, processors) = try await measure(contenders)
    report.add(name, walls, unit: "µs", scale: 1e-3)
    report.add("\(name).cpu", processors, unit: "µs", scale: 1e-3)
  }

  /// What downloads `count` bodies and returns nanoseconds of wall clock and of processor.
  private struct Round {
    let name: String
    let run: () async throws -> (wall: Double, processor: Double)
  }

  /// One round of each contender in turn; times are a body, not a round.
  private static func measure(
    _ contenders: [Round]
  ) async throws -> (walls: [Measurement], processors: [Measurement]) {
    var walls = [[Double]](repeating: [], count: contenders.count)
    var processors = walls
    for contender in contenders { _ = try await contender.run() }
    for _ in 0..<samples {
      for (index, contender) in contenders.enumerated() {
        let times = try await contender.run()
        walls[index].append(times.wall / Double(count))
        processors[index].append(times.processor / Double(count))
      }
    }
    let names = contenders.map(\.name)
    return (
      zip(names, walls).map { Measurement(name: $0, samples: $1) },
      zip(names, processors).map { Measurement(name: $0, samples: $1) }
    )
  }

  private static func ikran(
    _ url: String,
    callers: Int
  ) -> () async throws -> (Double, Double) {
    let transport = CurlTransport()
    return {
      let began = peers_nanoseconds()
      let beganProcessor = peers_cpu_nanoseconds()
      try await downloadAll(transport, url, callers)
      let processor = peers_cpu_nanoseconds() - beganProcessor
      return (Double(peers_nanoseconds() - began), Double(processor))
    }
  }

  private static func downloadAll(
    _ transport: CurlTransport,
    _ url: String,
    _ callers: Int
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<callers {
        group.addTask {
          for index in stride(from: worker, to: count, by: callers) {
            let request = TransportRequest(url: "\(url)/\(index).bin")
            let response = try await transport.fetch(request) { _ in }
            guard response.status == 200, !response.body.isEmpty else { throw PeerEnded() }
          }
        }
      }
      try await group.waitForAll()
    }
  }

  private static func peer(_ child: Child, _ url: String) -> () async throws -> (Double, Double) {
    {
      let times = try child.numbers("\(url) \(count) \(connections)")
      guard times.count == 2 else { throw PeerEnded() }
      return (times[0], times[1])
    }
  }

  private static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// Where this program and its peers lie, with a slash at the end.
  private static func folder() -> String {
    let program = CommandLine.arguments.first ?? ""
    guard let slash = program.lastIndex(of: "/") else { return "" }
    return String(program[...slash])
  }
}
