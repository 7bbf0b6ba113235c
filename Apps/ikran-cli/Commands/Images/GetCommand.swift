import Ikran
import IkranPixels
import IkranTransport

/// `ikran get`: images through the whole pipeline.
struct GetCommand: Command {
  var input = Input.standardInput
  /// Further inputs, as words.
  var others: [String] = []
  var isNullSeparated = false
  /// Whether it is one of many at once, which share the terminal.
  var isOneOfMany = false
  var style: Style?
  var region = RegionChoice()
  var filters: [Filter] = []
  var scale = 1.0
  var destination = Destination()
  var isOffline = false
  var isRefresh = false
  var stopsEarly = false
  var maximumPixels = DecodeLimits().maximumPixels
  var transfer = RequestOptions()
  var isJSON = false
  var cache = CacheChoice()

  static let syntax = Syntax<Self>(
    name: "get",
    summary: "Loads one image, styled, and writes it; or many.",
    operand: Operand("URL|FILE|-", \.input, .input),
    rest: Rest(name: "URL|FILE|FOLDER", path: \.others),
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
    ] + Option.destination(\.destination) + Option.fidelity(\.destination) + [
      .metadata(\.destination),
      .strip(\.destination),
      .flag("offline", \.isOffline, "uses only the caches, never the network"),
      .flag("refresh", \.isRefresh, "revalidates with the origin even when fresh"),
      .stopsEarly(\.stopsEarly),
      .maximumPixels(\.maximumPixels),
    ] + Option.transfer(\.transfer) + [
      .flag("json", \.isJSON, "prints facts as JSON; the image goes to -o only"),
      Option(name: "null", short: "0", help: "names of a list on standard input end in NUL") {
        root,
        _ in
        root.isNullSeparated = true
      },
    ] + Option.cache(\.cache),
    notes: [
      """
      An animated image keeps its frames, in any style, where the format has frames: png, webp, gif,
      jxl.
      """,
      """
      JSON: url (without user, password and query; of a data: URL the beginning), source ("memory",
      "table", "disk", "network", "file" or "data"), width, height, frames, bytes (of the decoded
      file; 0 from a table, which needs none), receivedBytes (over the network, with heads: fewer
      where a transfer was resumed), savedBytes (of the file, not downloaded), milliseconds (from
      request to image), key, notes (what was wrong with the file all the same).
      """,
      stopEarlyNote,
      NamePattern.note,
    ]
  )

  func check(_ output: Output) throws(UsageError) {
    if isOffline, isRefresh {
      throw UsageError(reason: "--offline and --refresh exclude each other", command: "get")
    }
    try checkNames()
    try region.check(style, command: "get")
    try sample.check(output, command: "get", isJSON: isJSON)
  }

  func run(_ output: Output) async throws -> Int32 {
    let decoding = DecodingOptions(maximumPixels: maximumPixels)
    let session = try Session(cache, options: PipelineOptions(decoding: decoding))
    if isBatch { return try await writeAll(session, output) }
    let facts = try await session.finishing(output) {
      try await write(from: session.pipeline, output)
    }
    if let facts { try output.report(facts, asJSON: true) }
    return 0
  }

  /// Loads the image and writes it.
  ///
  /// - Returns: With `--json`, facts about it.
  func write(from pipeline: ImagePipeline, _ output: Output) async throws -> JSON? {
    let request = try await makeRequest()
    if !isJSON, keepsPixels {
      let fitting = try request.style.fitting(scale: scale)
      try await writeStored(request, fitting: fitting, from: pipeline, output)
      return nil
    }
    let clock = ContinuousClock()
    let start = clock.now
    let response = try await load(request, pipeline, output)
    let duration = clock.now - start
    guard !isJSON || destination.path != nil else { return try facts(response, duration) }
    let place = try await target(of: request, pipeline)
    if keepsPixels, response.image.format.hasAlpha, response.animation == nil,
      let straight = try await file(of: request, from: pipeline)
    {
      try place.write(straight, output)
    } else {
      try await place.write(response, output)
    }
    return isJSON ? try facts(response, duration) : nil
  }

  private func makeRequest() async throws -> ImageRequest {
    let style = style ?? region.style(scale: scale) ?? .original
    var request = try await input.request(style: style)
    request.scale = scale
    request.filters = filters
    transfer.apply(to: &request)
    request.stopsEarly = stopsEarly
    request.caching.policy = isOffline ? .onlyCached : isRefresh ? .refresh : .standard
    return request
  }

  /// Whether the pixels of a still are written as they are.
  private var keepsPixels: Bool {
    guard filters.isEmpty, !stopsEarly else { return false }
    return region.rectangle == nil ? style ?? .original == .original : region.size == nil
  }

  /// Writes a still from its file, row by row and with the colours that the file stores where that
  /// is possible.
  private func writeStored(
    _ request: ImageRequest,
    fitting: Fitting,
    from pipeline: ImagePipeline,
    _ output: Output
  ) async throws {
    let stored = try await bytes(of: request, from: pipeline, output)
    var destination = destination
    if destination.retention != .none { destination.metadata = ImageMetadata(of: stored) }
    let (file, moves) = try await still(of: stored, fitting: fitting)
    if let file { return try destination.write(file, output) }
    var request = request
    // Bytes that no cache may keep are not downloaded twice. A damaged copy is.
    if moves {
      let (key, scale) = (request.sourceKey.description, request.scale)
      request = ImageRequest(data: stored, id: input.name, style: request.style)
      (request.scale, request.cacheName) = (scale, "bytes:" + key)
    }
    try await destination.write(try await load(request, pipeline, output), output)
  }

  /// The still in a file that has been loaded, in the chosen format; nil when the file is damaged.
  private func file(
    of request: ImageRequest,
    from pipeline: ImagePipeline
  ) async throws -> [UInt8]? {
    let fitting = try request.style.fitting(scale: scale)
    var request = request
    // It is in the caches, unless none may keep it.
    if isRefresh { request.caching.policy = .standard }
    return try await still(of: try await pipeline.data(for: request), fitting: fitting).file
  }

  /// The still in the chosen format, or whether there are several frames; neither for damage.
  private func still(
    of bytes: [UInt8],
    fitting: Fitting
  ) async throws -> (file: [UInt8]?, moves: Bool) {
    let encoding = try destination.encoding()
    var rules = DecodeRules()
    rules.limits.maximumPixels = maximumPixels
    return try await Computation.value { [rules] in
      guard let movie = try? Movie(bytes, name: input.name, rules: rules) else {
        return (nil, false)
      }
      if movie.source != nil { return (nil, true) }
      return (try? movie.still(as: encoding, fitting: fitting), false)
    }
  }

  /// Downloads the file and shows the progress.
  private func bytes(
    of request: ImageRequest,
    from pipeline: ImagePipeline,
    _ output: Output
  ) async throws -> [UInt8] {
    let (changes, change) = AsyncStream.makeStream(
      of: TransferProgress.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    async let file = Self.bytes(of: request, from: pipeline, change)
    var bar = ProgressBar(on: output, isShown: !isOneOfMany)
    for await progress in changes { bar.show(progress) }
    bar.clear()
    return try await file
  }

  private static func bytes(
    of request: ImageRequest,
    from pipeline: ImagePipeline,
    _ change: AsyncStream<TransferProgress>.Continuation
  ) async throws -> [UInt8] {
    defer { change.finish() }
    return try await pipeline.data(for: request) { change.yield($0) }
  }

  private func load(
    _ request: ImageRequest,
    _ pipeline: ImagePipeline,
    _ output: Output
  ) async throws -> ImageResponse {
    let response = try await load(pipeline.events(for: request), output)
    for note in response.notes {
      // Who writes the frames says it.
      if case .framesMissing = note, response.animation != nil { continue }
      output.complain("\(input.name): \(note)")
    }
    return response
  }

  private func load(
    _ events: AsyncStream<ImageEvent>,
    _ output: Output
  ) async throws -> ImageResponse {
    var bar = ProgressBar(on: output, isShown: !isOneOfMany)
    defer { bar.clear() }
    var cached: ImageResponse?
    for await event in events {
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
      "receivedBytes": .integer(response.metrics.transfer?.receivedBytes ?? 0),
      "savedBytes": .integer(response.metrics.savedBytes),
      "milliseconds": .milliseconds(duration),
      "key": .string(response.key),
      "notes": .array(response.notes.map { .string("\($0)") }),
    ]
  }
}
