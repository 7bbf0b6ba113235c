import Ikran

/// `ikran warm`: fills the caches with the images of a list.
struct WarmCommand: Command {
  /// The style without `--style`: small, but enough to prove that a file is an image.
  static let plainStyle = Style.fit(width: 64, height: 64, enlarges: false)

  var list = "-"
  var styles: [Style] = []
  var filters: [Filter] = []
  var concurrency = 6
  var stopsEarly = false
  var isJSON = false
  var cache = CacheChoice()

  static let syntax = Syntax<Self>(
    name: "warm",
    summary: "Downloads the images of a list into the cache.",
    operand: Operand("LIST|-", \.list, .fileName),
    options: [
      .many("style", \.styles, "STYLE", .style, "styles every image this way; may be repeated"),
      .filters(\.filters),
      .one("concurrency", \.concurrency, "N", .integer(1...256), "downloads at once (default: 6)"),
      .stopsEarly(\.stopsEarly),
      .flag("json", \.isJSON, "prints the report as JSON"),
    ] + Option.cache(\.cache),
    notes: [
      """
      The list has one URL or file per line; blank lines, lines that start with # and repeated
      ones are skipped. Every file is decoded, at least to fit:64x64,shrink, so a file that is no
      image counts as failed. The exit code is 1 when anything failed.
      """,
      """
      JSON: requested, downloaded, cached, failed, bytes (downloaded), savedBytes (of files, not
      downloaded), milliseconds, decoded, styled, sources (images by origin: memory, table, disk,
      network, file, data), peakMemoryBytes.
      """,
      stopEarlyNote,
    ]
  )

  func run(_ output: Output) async throws -> Int32 {
    let (inputs, _) = try await ImageList.read(list).withoutRepetitions()
    var options = PipelineOptions()
    options.network.queue.maximumConcurrent = concurrency
    options.network.queue.maximumPerHost = concurrency
    // First frames alone: the tables keep them.
    options.decoding.animates = false
    let batch = Batch(
      inputs: inputs,
      styles: (styles.isEmpty ? [Self.plainStyle] : styles).map { $0.filtered(filters) },
      concurrency: concurrency,
      stopsEarly: stopsEarly
    )
    let session = try Session(cache, needsCache: true, options: options)
    let report: Batch.Report
    var loaded = 0
    do {
      report = try await batch.run(session, output) { if $0.error == nil { loaded += 1 } }
    } catch let error as CancellationError {
      output.complain("\(loaded) of \(inputs.count) images are loaded")
      throw error
    }
    try output.report(report.json, asJSON: isJSON)
    report.complain(output)
    return report.failures.isEmpty ? 0 : 1
  }
}
