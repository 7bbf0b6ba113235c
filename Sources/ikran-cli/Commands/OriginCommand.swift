import IkranServer

/// `ikran origin`: an HTTP server with pictures, and faults on demand.
struct OriginCommand: Command {
  var port = 0
  var root: String?
  var count = 100
  var delay = 0
  var failRate = 0.0
  var dropRate = 0.0
  var truncateRate = 0.0
  var ignoresRanges = false
  var sendsETag = false
  var maxAge: Int?

  static let syntax = Syntax<Self>(
    name: "origin",
    summary: "Serves pictures over HTTP, for demos and tests.",
    options: [
      .one("port", \.port, "P", .integer(0...65_535), "listens there (default: 0, any free port)"),
      .one("root", \.root, "DIR", .text, "serves the files of this folder,"),
      .one("count", \.count, "N", .integer(0...1_000_000), "or this many portraits (default: 100)"),
      .one("delay", \.delay, "MS", .integer(0...3_600_000), "holds every answer back"),
      .one("fail-rate", \.failRate, "P", .number(0...1), "the share of answers that are 503"),
      .one("drop-rate", \.dropRate, "P", .number(0...1), "the share of connections that break"),
      .one("truncate-rate", \.truncateRate, "P", .number(0...1), "the share of bodies cut off"),
      .flag("no-range", \.ignoresRanges, "ignores Range and sends whole bodies"),
      .flag("etag", \.sendsETag, "sends an ETag"),
      .one("max-age", \.maxAge, "S", .integer(0...Int(Int32.max)), "sends Cache-Control: max-age"),
    ],
    notes: [
      """
      Prints its base URL as the first line and serves until it is interrupted. /avatars/0.jpg,
      /avatars/1.png, … are the portraits, /list.txt their URLs, /stats the number of requests.
      """
    ]
  )

  func run(_ output: Output) async throws -> Int32 {
    let faults = Faults(
      delay: .milliseconds(delay),
      failRate: failRate,
      dropRate: dropRate,
      truncateRate: truncateRate,
      ignoresRanges: ignoresRanges,
      sendsETag: sendsETag,
      maxAge: maxAge
    )
    let content = root.map(OriginContent.folder(path:)) ?? .portraits(count: count)
    let origin = try Origin(content, faults: faults, port: port)
    defer { origin.stop() }
    try output.line(origin.baseURL)
    // An interruption cancels the task; that is how serving ends, and no failure.
    while !Task.isCancelled { try? await Task.sleep(for: .seconds(86_400)) }
    return 0
  }
}
