import Ikran

/// `ikran sheet`: the images of a list in one picture.
struct SheetCommand: Command {
  var list = "-"
  var style = Style.circle(96)
  var filters: [Filter] = []
  var columns: Int?
  var destination = Destination(takesFormat: false)
  var concurrency = 6
  var stopsEarly = false
  var isJSON = false
  var cache = CacheChoice()

  static let syntax = Syntax<Self>(
    name: "sheet",
    summary: "Draws a contact sheet of a list.",
    operand: Operand("LIST|-", \.list, .fileName),
    options: [
      .one("style", \.style, "STYLE", .style, "the style of each image (default: circle:96)"),
      .filters(\.filters),
      .one(
        "columns",
        \.columns,
        "N",
        .integer(1...10_000),
        "images per row (default: about a square)"
      ),
    ] + Option.destination(\.destination, isRequired: true) + [
      .one("concurrency", \.concurrency, "N", .integer(1...256), "downloads at once (default: 6)"),
      .stopsEarly(\.stopsEarly),
      .flag("json", \.isJSON, "prints the report as JSON"),
    ] + Option.cache(\.cache),
    notes: [
      """
      PATH's extension decides the format: .png, .jpg, .jpeg, .webp, .gif, .avif, .jxl or
      .rgba, PNG without one. As .gif, .webp or .jxl the animated images on it move.
      An image that fails is drawn as a cross and reported on standard error; the exit code is 1 when
      all failed. The list and the JSON are the same as for ikran warm.
      """,
      stopEarlyNote,
    ]
  )

  func check(_ output: Output) throws(UsageError) {
    guard destination.path != nil else {
      throw UsageError(reason: "-o PATH is missing", command: "sheet")
    }
    try destination.check(output, command: "sheet", isJSON: isJSON)
    if style.hasOpenSide {
      throw UsageError(reason: "a sheet needs a style with a size", command: "sheet")
    }
  }

  func run(_ output: Output) async throws -> Int32 {
    let (inputs, places) = try await ImageList.read(list).withoutRepetitions()
    guard !places.isEmpty else { throw Failure("the list names no image") }
    let layout = try SheetLayout(count: places.count, cell: try cell(), columns: columns)
    var options = PipelineOptions()
    options.network.queue.maximumConcurrent = concurrency
    options.network.queue.maximumPerHost = concurrency
    let moving = try destination.movingEncoding()
    // Of what does not move the tables keep the first frames.
    options.decoding.animates = moving != nil
    let session = try Session(cache, options: options)
    // The cells of each image: several when the list contains it several times.
    let cells = Dictionary(grouping: places.indices) { places[$0] }
    let cross = try style.applyFiltersAndEdges(
      FailureImage.draw(layout.cell),
      scale: 1,
      workspace: Workspace()
    )
    var sheet = try MovingSheet(layout)
    let batch = Batch(
      inputs: inputs,
      styles: [style.filtered(filters)],
      concurrency: concurrency,
      stopsEarly: stopsEarly
    )
    let report = try await batch.run(session, output) { outcome in
      let image = outcome.images.first
      try sheet.draw(image?.image ?? cross, image?.animation, in: cells[outcome.index] ?? [])
    }
    if let moving, sheet.moves {
      try destination.write(try await sheet.encoded(as: moving), output)
    } else {
      try destination.write(sheet.finish(), output)
    }
    if isJSON { try output.report(report.json, asJSON: true) }
    report.complain(output)
    return report.failures.count == inputs.count ? 1 : 0
  }

  private func cell() throws -> PixelSize {
    switch try style.fitting(scale: 1) {
    case .cover(let size), .inside(let size, _), .region(_, let size, _): size
    case .original, .around:
      throw Failure("a sheet needs a style with a size that no picture exceeds")
    }
  }
}
