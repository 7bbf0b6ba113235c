import IkranServer

/// `ikran origin`: an HTTP server with pictures, and faults on demand.
struct OriginCommand: Command {
  var port = 0
  var root: String?
  var count = 100
  var delay = 0
  var rates = FaultRates()
  var ignoresRanges = false
  var sendsETag = false
  var maxAge: Int?
  var bandwidth: Int?
  var seed = 1

  static let syntax = Syntax<Self>(
    name: "origin",
    summary: "Serves pictures over HTTP, for demos and tests.",
    options: [
      .one("port", \.port, "P", .integer(0...65_535), "the port (default: 0, any free port)"),
      .one("root", \.root, "DIR", .folderName, "serves the files of this folder,"),
      .one("count", \.count, "N", .integer(0...1_000_000), "or this many portraits (default: 100)"),
      .one("delay", \.delay, "MS", .integer(0...3_600_000), "delays every response"),
      .one("fail-rate", \.rates.fail, "P", .number(0...1), "the share of 503 responses"),
      .one("drop-rate", \.rates.drop, "P", .number(0...1), "the share of closed connections"),
      .one("truncate-rate", \.rates.truncate, "P", .number(0...1), "the share of truncated bodies"),
      .one("reset-rate", \.rates.reset, "P", .number(0...1), "the share of reset connections"),
      .one("throttle-rate", \.rates.throttle, "P", .number(0...1), "the share of 429 responses"),
      .one("bandwidth", \.bandwidth, "N", .integer(1...Int(Int32.max)), "bytes/s of a connection"),
      .one(
        "seed",
        \.seed,
        "N",
        .integer(0...Int(Int32.max)),
        "the seed of the faults (default: 1)"
      ),
      .flag("no-range", \.ignoresRanges, "ignores Range and sends whole bodies"),
      .flag("etag", \.sendsETag, "sends an ETag"),
      .one("max-age", \.maxAge, "S", .integer(0...Int(Int32.max)), "sends Cache-Control: max-age"),
    ],
    notes: [
      """
      Prints its base URL as the first line and serves until it is interrupted. /avatars/0.jpg,
      /avatars/1.png, … are the portraits, /list.txt their URLs, /stats the number of requests.
      /chaos/avatars/0.jpg?fail=2 and the like produce faults on demand; the parameters are fail,
      fault, retry-after, delay, drip, change, etag, modified, ranges, length and header.
      """
    ]
  )

  func run(_ output: Output) async throws -> Int32 {
    let faults = Faults(
      delay: .milliseconds(delay),
      rates: rates,
      ignoresRanges: ignoresRanges,
      sendsETag: sendsETag,
      maxAge: maxAge,
      bandwidth: bandwidth,
      seed: UInt64(seed)
    )
    let content = root.map(OriginContent.folder(path:)) ?? .portraits(count: count)
    let origin = try Origin(content, faults: faults, port: port)
    defer { origin.stop() }
    try output.line(origin.baseURL)
    // An interruption cancels the task: that is the normal end of serving.
    while !Task.isCancelled { try? await Task.sleep(for: .seconds(86_400)) }
    return 0
  }
}
