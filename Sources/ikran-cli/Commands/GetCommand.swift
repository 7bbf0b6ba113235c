import Ikran

/// `ikran get`: one image through the whole pipeline.
struct GetCommand: Command {
  var input = Input.standardInput
  var style = Style.original
  var scale = 1.0
  var destination = Destination()
  var isOffline = false
  var isRefresh = false
  var headers: [HeaderField] = []
  var timeout: Double?
  var isJSON = false
  var cache = CacheChoice()

  static let syntax = Syntax<Self>(
    name: "get",
    summary: "Loads one image, styled, and writes it.",
    operand: Operand("URL|FILE|-", \.input, .input),
    options: [
      .one("style", \.style, "STYLE", .style, "how it looks, see ikran styles (default: original)"),
      .one(
        "scale",
        \.scale,
        "N",
        .number(0.01...100),
        "pixels per point of the style (default: 1)"
      ),
    ] + Option.destination(\.destination) + [
      .flag("offline", \.isOffline, "asks only the caches, never the network"),
      .flag("refresh", \.isRefresh, "asks the origin, however new the cached image is"),
      .many(
        "header",
        \.headers,
        "'NAME: VALUE'",
        .header,
        "a field of the request; may be repeated"
      ),
      .one(
        "timeout",
        \.timeout,
        "SECONDS",
        .number(0.001...86_400),
        "the longest wait, for each try (default: 60)"
      ),
      .flag("json", \.isJSON, "prints facts as JSON; the image goes to -o only"),
    ] + Option.cache(\.cache),
    notes: [
      """
      JSON: url, source ("memory", "table", "disk", "network", "file" or "data"), width, height,
      frames, bytes (of the file it was made from; 0 from a table, which needs none), milliseconds
      (from request to image), key.
      """
    ]
  )

  func check(_ output: Output) throws(UsageError) {
    if isOffline, isRefresh {
      throw UsageError(reason: "--offline and --refresh exclude each other", command: "get")
    }
    try destination.check(output, command: "get", isJSON: isJSON)
  }

  func run(_ output: Output) async throws -> Int32 {
    var request = try await input.request(style: style)
    request.scale = scale
    request.headers = headers
    request.timeout = timeout.map { .seconds($0) }
    request.cachePolicy = isOffline ? .onlyCached : isRefresh ? .refresh : .standard
    let session = try Session(cache)
    let clock = ContinuousClock()
    let start = clock.now
    let response = try await load(request, session.pipeline, output)
    let duration = clock.now - start
    if !isJSON || destination.path != nil { try destination.write(response.image, output) }
    await session.finish(output)
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
      case .progress(let progress):
        bar.show(
          done: progress.received,
          of: progress.expected,
          note: ProgressBar.bytes(progress.received)
        )
      case .finished(let response): return response
      case .cached(let response): cached = response
      case .unchanged: if let cached { return cached }
      case .failed(let error): throw error
      }
    }
    throw CancellationError()
  }

  private func facts(_ response: ImageResponse, _ duration: Duration) throws -> JSON {
    [
      "url": .string(try input.location() ?? "-"),
      "source": .string(response.source.rawValue),
      "width": .integer(response.image.width),
      "height": .integer(response.image.height),
      "frames": .integer(response.frames),
      "bytes": .integer(response.encodedBytes),
      "milliseconds": .milliseconds(duration),
      "key": .string(response.key),
    ]
  }
}

extension Reading where Value == HeaderField {
  /// `NAME: VALUE`; RFC 9110, sections 5.1 and 5.5, says what they may be made of.
  static var header: Reading {
    Reading("a header field such as 'Accept: image/webp'") { word in
      let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      let punctuation = "!#$%&'*+-.^_`|~"
      let isToken = parts[0].allSatisfy { letter in
        letter.isASCII && (letter.isLetter || letter.isNumber || punctuation.contains(letter))
      }
      guard parts.count == 2, isToken, !parts[0].isEmpty else { return nil }
      var value = parts[1].drop { $0 == " " || $0 == "\t" }
      while value.last == " " || value.last == "\t" { value.removeLast() }
      let isText = value.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
      return isText ? HeaderField(String(parts[0]), String(value)) : nil
    }
  }
}
