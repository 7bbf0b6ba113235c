import Ikran
import IkranTransport

/// `ikran get`: one image through the whole pipeline.
struct GetCommand: Command {
  var input = Input.standardInput
  var style: Style?
  var region = RegionChoice()
  var filters: [Filter] = []
  var scale = 1.0
  var destination = Destination()
  var isOffline = false
  var isRefresh = false
  var stopsEarly = false
  var transfer = RequestOptions()
  var isJSON = false
  var cache = CacheChoice()

  static let syntax = Syntax<Self>(
    name: "get",
    summary: "Loads one image, styled, and writes it.",
    operand: Operand("URL|FILE|-", \.input, .input),
    options: [
      .one("style", \.style, "STYLE", .style, "the style, see ikran styles (default: original)")
    ] + Option.region(\.region, unit: "points") + [
      .filters(\.filters),
      .one(
        "scale",
        \.scale,
        "N",
        .number(0.01...100),
        "pixels per point of the style (default: 1)"
      ),
    ] + Option.destination(\.destination) + [
      .metadata(\.destination),
      .flag("offline", \.isOffline, "uses only the caches, never the network"),
      .flag("refresh", \.isRefresh, "revalidates with the origin even when fresh"),
      .stopsEarly(\.stopsEarly),
    ] + Option.transfer(\.transfer) + [
      .flag("json", \.isJSON, "prints facts as JSON; the image goes to -o only")
    ] + Option.cache(\.cache),
    notes: [
      """
      An animated image keeps its frames, in any style, where the format has frames: png, webp, gif.
      """,
      """
      JSON: url (without user, password and query; of a data: URL the beginning), source ("memory",
      "table", "disk", "network", "file" or "data"), width, height, frames, bytes (of the decoded
      file; 0 from a table, which needs none), savedBytes (of the file, not downloaded),
      milliseconds (from request to image), key.
      """,
      stopEarlyNote,
    ]
  )

  func check(_ output: Output) throws(UsageError) {
    if isOffline, isRefresh {
      throw UsageError(reason: "--offline and --refresh exclude each other", command: "get")
    }
    try region.check(style, command: "get")
    try destination.check(output, command: "get", isJSON: isJSON)
  }

  func run(_ output: Output) async throws -> Int32 {
    let style = style ?? region.style(scale: scale) ?? .original
    var request = try await input.request(style: style)
    request.scale = scale
    request.filters = filters
    transfer.apply(to: &request)
    request.stopsEarly = stopsEarly
    request.caching.policy = isOffline ? .onlyCached : isRefresh ? .refresh : .standard
    let session = try Session(cache)
    let clock = ContinuousClock()
    let start = clock.now
    let (response, duration) = try await session.finishing(output) {
      let response = try await load(request, session.pipeline, output)
      let duration = clock.now - start
      if !isJSON || destination.path != nil {
        try await target(of: request, session.pipeline).write(response, output)
      }
      return (response, duration)
    }
    if isJSON { try output.report(facts(response, duration), asJSON: true) }
    return 0
  }

  private func load(
    _ request: ImageRequest,
    _ pipeline: ImagePipeline,
    _ output: Output
  ) async throws -> ImageResponse {
    var bar = ProgressBar(on: output)
    defer { bar.clear() }
    var cached: ImageResponse?
    for await event in pipeline.events(for: request) {
      switch event {
      case .progress(let progress): bar.show(progress)
      case .finished(let response): return response
      case .cached(let response): cached = response
      case .preview: break
      case .unchanged: if let cached { return cached }
      case .failed(let error): throw error
      }
    }
    throw CancellationError()
  }

  /// The destination with the metadata of the file, which the caches have now.
  private func target(
    of request: ImageRequest,
    _ pipeline: ImagePipeline
  ) async throws -> Destination {
    guard destination.retention != .none else { return destination }
    var request = request
    request.stopsEarly = false
    if isRefresh { request.caching.policy = .standard }
    let bytes = try await pipeline.data(for: request)
    var target = destination
    target.metadata = ImageMetadata(of: bytes)
    return target
  }

  private func facts(_ response: ImageResponse, _ duration: Duration) throws -> JSON {
    [
      "url": .string(try input.displayedLocation()),
      "source": .string(response.source.rawValue),
      "width": .integer(response.image.width),
      "height": .integer(response.image.height),
      "frames": .integer(response.frames),
      "bytes": .integer(response.encodedBytes),
      "savedBytes": .integer(response.metrics.savedBytes),
      "milliseconds": .milliseconds(duration),
      "key": .string(response.key),
    ]
  }
}
