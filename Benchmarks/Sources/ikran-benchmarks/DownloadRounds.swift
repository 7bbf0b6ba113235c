import CPeers
import Glibc

/// Downloads some bodies and returns nanoseconds of wall clock and of processor time.
struct DownloadRound {
  /// Ikran, or the peer's name.
  let name: String
  /// Downloads all bodies once.
  let run: () async throws -> (wall: Double, processor: Double)

  /// A round that is timed around `body`, which downloads in this process; `after` is not timed.
  init(
    _ name: String,
    body: @escaping () async throws -> Void,
    after: @escaping () async throws -> Void = {}
  ) {
    self.name = name
    run = {
      let began = peers_nanoseconds()
      let beganProcessor = peers_cpu_nanoseconds()
      try await body()
      let processor = peers_cpu_nanoseconds() - beganProcessor
      let wall = Double(peers_nanoseconds() - began)
      try await after()
      return (wall, Double(processor))
    }
  }

  /// A program that gets a number of bodies and of connections, and times itself; nil when it does
  /// not start.
  init?(_ name: String, program: String, url: String, count: Int, atOnce: Int) {
    guard let child = Child([Self.folder + program]) else { return nil }
    self.name = name
    run = {
      let times = try child.numbers("\(url) \(count) \(atOnce)")
      guard times.count == 2 else { throw PeerEnded() }
      return (times[0], times[1])
    }
  }

  /// One round of each in turn, so that a busy moment of the machine affects all of them; times are
  /// per body, of `count`.
  static func measure(
    _ rounds: [DownloadRound],
    count: Int,
    samples: Int
  ) async throws -> (walls: [Measurement], processors: [Measurement]) {
    var walls = [[Double]](repeating: [], count: rounds.count)
    var processors = walls
    for round in rounds { _ = try await round.run() }
    for _ in 0..<samples {
      for (index, round) in rounds.enumerated() {
        let times = try await round.run()
        walls[index].append(times.wall / Double(count))
        processors[index].append(times.processor / Double(count))
      }
    }
    let names = rounds.map(\.name)
    return (
      zip(names, walls).map { Measurement(name: $0, samples: $1) },
      zip(names, processors).map { Measurement(name: $0, samples: $1) }
    )
  }

  /// The folder of this program and its peers, with a slash at the end.
  private static var folder: String {
    let program = CommandLine.arguments.first ?? ""
    guard let slash = program.lastIndex(of: "/") else { return "" }
    return String(program[...slash])
  }
}

/// A variable that `Scripts/bench` sets when the server it names was started.
func serverVariable(_ name: String) -> String? {
  getenv("IKRAN_BENCH_" + name).map { String(cString: $0) }
}
