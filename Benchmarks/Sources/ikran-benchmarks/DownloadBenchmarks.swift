import Ikran
import IkranTransport

/// 1,000 bodies of 40 KB from a server on the loopback, through the transport alone.
struct DownloadBenchmarks {
  private static let count = 1_000
  private static let connections = 6
  private static let streams = 64
  /// Callers at once that wait for one image before they ask for the next, as in a list that scrolls.
  private static let callers = 12

  /// Runs the rows whose names begin with `prefix`, against the servers that `Scripts/bench` started.
  static func run(prefix: String, into report: inout Report) async throws {
    for (name, row) in [
      ("download.http1", http1), ("download.http2", http2),
      ("download.pipeline", DownloadPipelineBenchmarks.pipeline),
      ("download.shared", DownloadPipelineBenchmarks.shared),
      ("download.segmented", DownloadPipelineBenchmarks.segmented),
    ] where name.hasPrefix(prefix) || prefix.hasPrefix(name) {
      try await row(name, &report)
    }
  }

  /// Six connections of HTTP/1.1.
  private static func http1(_ name: String, _ report: inout Report) async throws {
    guard let url = serverVariable("URL") else {
      return report.note("\(name): no server was started; use Scripts/bench")
    }
    report.note("\(name): \(count) × 40 KB from \(serverVariable("SERVER") ?? url)")
    let (eager, steady) = (CurlTransport(), CurlTransport())
    // The peer in C knows all its URLs beforehand, so Ikran is asked for all at once, too.
    var rounds = [
      DownloadRound("Ikran") { try await downloadAll(eager, url, callers: count) },
      DownloadRound("Ikran, \(callers) callers") {
        try await downloadAll(steady, url, callers: callers)
      },
    ]
    if let floor = TaskFloor(connections: connections) {
      rounds.append(
        DownloadRound("C libcurl, a task each") { try await floor.downloadAll(url, count: count) }
      )
    }
    for (peer, program) in [
      ("C libcurl multi", "curl-multi-peer"), ("URLSession", "urlsession-peer"),
    ] {
      let round = DownloadRound(
        peer,
        program: program,
        url: url,
        count: count,
        atOnce: connections
      )
      if let round { rounds.append(round) } else { report.note("\(program) does not start") }
    }
    let (walls, processors) = try await DownloadRound.measure(rounds, count: count, samples: 31)
    report.add(name, walls, unit: "µs", scale: 1e-3)
    report.add("\(name).cpu", processors, unit: "µs", scale: 1e-3)
  }

  /// 64 streams of HTTP/2 over one connection with TLS: bodies of 40 KB, and of a thumbnail's 9 KB.
  private static func http2(_ name: String, _ report: inout Report) async throws {
    guard let url = serverVariable("TLS_URL") else {
      return report.note("\(name): no server with HTTP/2 was started; needs nginx and openssl")
    }
    report.note("\(name): \(count) × 40 and 9 KB from nginx, \(streams) streams, one connection")
    try await http2(name, url, &report)
    try await http2("\(name).9k", "\(url)/9k", &report)
  }

  private static func http2(_ name: String, _ url: String, _ report: inout Report) async throws {
    let transport = CurlTransport(
      CurlOptions(
        connections: ConnectionLimits(perHost: 1, streamsPerHost: streams, total: streams),
        tls: TLSOptions(allowsInvalidCertificates: true)
      )
    )
    var rounds = [
      DownloadRound("Ikran") { try await downloadAll(transport, url, callers: count) }
    ]
    let peer = DownloadRound(
      "C libcurl multi",
      program: "curl-multi-peer",
      url: url,
      count: count,
      atOnce: streams
    )
    if let peer { rounds.append(peer) }
    let (walls, processors) = try await DownloadRound.measure(rounds, count: count, samples: 15)
    report.add(name, walls, unit: "µs", scale: 1e-3)
    report.add("\(name).cpu", processors, unit: "µs", scale: 1e-3)
    report.add("\(name).rate", value: 1e9 / (walls.first?.median ?? 1), unit: "bodies/s")
  }

  private static func downloadAll(
    _ transport: CurlTransport,
    _ url: String,
    callers: Int
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
}
