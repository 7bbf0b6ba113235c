import Ikran
import IkranCodecs
import IkranPixels
import IkranPlayback

/// The choices of `--mode`.
enum ShowMode: String, Sendable, CaseIterable {
  case auto, kitty, sixel, cells
}

/// `ikran show`: an image in the terminal; an animated one plays.
struct ShowCommand: Command {
  var input = Input.standardInput
  var style = Style.original
  var filters: [Filter] = []
  var mode = ShowMode.auto
  var loops: Int?
  var transfer = RequestOptions()
  var cache = CacheChoice()

  static let syntax = Syntax<Self>(
    name: "show",
    summary: "Draws an image in the terminal, and plays an animated one.",
    operand: Operand("URL|FILE|-", \.input, .input),
    options: [
      .one("style", \.style, "STYLE", .style, "the style, see ikran styles (default: original)"),
      .filters(\.filters),
      .one(
        "mode",
        \.mode,
        "auto|kitty|sixel|cells",
        .choice,
        "pixels by kitty's protocol or as sixels, or coloured\n"
          + "characters (default: auto, as the terminal can)"
      ),
      .one(
        "loops",
        \.loops,
        "N",
        .integer(0...Int.max),
        "how often an animated image plays, 0 for ever\n(default: as its file says)"
      ),
    ] + Option.transfer(\.transfer) + Option.cache(\.cache),
    notes: [
      """
      An image is as large as the terminal has room for, but has at most its own pixels, or a column
      of characters for each. Of a file that is cut off it draws what is there, and says so. An
      animated image plays until any key, Ctrl-C or its end; then the terminal is as it was. In a pipe
      it is 80 columns wide, and only the first frame is drawn; with NO_COLOR it is drawn without
      colours.
      """
    ]
  )

  private static let rules = DecodeRules(acceptsCutFiles: true)

  func run(_ output: Output) async throws -> Int32 {
    let bytes = try await bytes(output)
    let movie = try Movie(bytes, name: input.name)
    if movie.frames.count > 1, let source = movie.source, Terminal.screen != nil {
      try await play(source, of: try await size(of: bytes), output)
    } else {
      try await draw(bytes, output)
      if movie.frames.count == 1, let error = movie.error {
        throw ImageError.decode(error, url: input.name)
      }
    }
    return 0
  }

  /// The file; that of a URL through the caches.
  private func bytes(_ output: Output) async throws -> [UInt8] {
    guard case .url(let url) = input else { return try await input.bytes() }
    var request = ImageRequest(location: url, style: .original)
    transfer.apply(to: &request)
    let session = try Session(cache)
    return try await session.finishing(output) { try await session.pipeline.data(for: request) }
  }

  /// The size in the style, in pixels.
  private func size(of bytes: [UInt8]) async throws -> PixelSize {
    try await Computation.value {
      let movie = try Movie(bytes, name: input.name, rules: Self.rules)
      let fitting = try style.fitting(scale: 1)
      guard filters.isEmpty else {
        // They may change the shape.
        let decoded = try movie.picture(0, fitting: fitting)
        return try style.filtered(filters).applyFiltersAndEdges(
          decoded,
          scale: 1,
          workspace: Workspace()
        ).size
      }
      return RenderPlan(stored: movie.size, orientation: .up, fitting: fitting).output
    }
  }

  /// The style and scale that make a picture of `size` as large as a layout needs it.
  private func rendering(_ size: PixelSize, _ layout: CellLayout) -> (style: Style, scale: Double) {
    let pixels = layout.pixels
    let look = style.filtered(filters)
    guard style.isWhole else { return (look, Double(pixels.width) / Double(size.width)) }
    guard pixels != size else { return (look, 1) }
    let fit = Style.fit(width: Double(pixels.width), height: Double(pixels.height))
    return (fit.filtered(look.filters), 1)
  }

  // MARK: - Stills

  private func draw(_ bytes: [UInt8], _ output: Output) async throws {
    let screen = Terminal.screen
    let size = try await size(of: bytes)
    var canvas = try TerminalCanvasHandle(mode, isScreen: screen != nil)
    let layout = canvas.layout(size, in: screen ?? CellLayout.page)
    let (style, scale) = rendering(size, layout)
    let (picture, notes) = try await Computation.value {
      let decoded = try Movie(bytes, name: input.name, rules: Self.rules)
        .decoded(0, fitting: style.fitting(scale: scale))
      let picture = try style.applyFiltersAndEdges(
        decoded.bitmap,
        scale: scale,
        workspace: Workspace()
      )
      return (picture, decoded.notes)
    }
    for note in notes { output.complain("\(input.name): \(note)") }
    guard screen != nil, canvas.inPixels else {
      return try output.write(try canvas.draw(picture, in: layout) + [0x0A])
    }
    var place = try TerminalScreen(canvas, output)
    do { try place.show(picture, of: size) } catch {
      // The cursor comes back whatever happens.
      try? place.end()
      throw error
    }
    try place.end()
  }

  // MARK: - Animations

  /// Plays until the end, a key or an interruption, and restores the terminal.
  private func play(
    _ source: any FrameSource,
    of size: PixelSize,
    _ output: Output
  ) async throws {
    let terminal = TerminalMode()
    terminal?.takeKeys()
    defer { terminal?.restore() }
    try await withThrowingTaskGroup { group in
      group.addTask { try await frames(source, of: size, output) }
      if let terminal { group.addTask { await terminal.key() } }
      try await group.next()
      group.cancelAll()
    }
    try Task.checkCancellation()
  }

  @concurrent
  private func frames(
    _ source: any FrameSource,
    of size: PixelSize,
    _ output: Output
  ) async throws {
    let canvas = try TerminalCanvasHandle(mode, isScreen: true)
    let layout = canvas.layout(size, in: Terminal.screen ?? CellLayout.page)
    let (style, scale) = rendering(size, layout)
    let animation = try Animation(source, style: style, scale: scale)
    var screen = try TerminalScreen(canvas, output)
    do {
      try await play(animation, of: size, on: &screen)
    } catch {
      // A terminal that is gone is the error already.
      try? screen.end()
      throw error
    }
    try screen.end()
  }

  /// Shows each frame when it is due.
  private func play(
    _ animation: Animation,
    of size: PixelSize,
    on screen: inout TerminalScreen
  ) async throws {
    var failure: PlaybackError?
    let player = Player(animation, options: options) { event in
      if case .error(let error) = event { failure = error }
    }
    let clock = ContinuousClock()
    let start = clock.now
    player.play()
    while !Task.isCancelled {
      let now = clock.now
      if player.advance(to: start.duration(to: now)), let picture = player.image {
        try screen.show(picture, of: size)
      }
      if failure != nil, player.image == nil { break }
      guard let next = player.untilNextChange else { break }
      if next > .zero {
        try await clock.sleep(until: now.advanced(by: next))
      } else {
        // The player reports what cannot be decoded, and goes on.
        _ = try? await animation.decodedFrame(at: player.frame)
      }
    }
    if case .decode(let error) = failure { throw ImageError.decode(error, url: input.name) }
    if let failure { throw failure }
  }

  private var options: PlaybackOptions {
    PlaybackOptions(loops: loops.map { $0 == 0 ? .forever : .times($0) } ?? .file)
  }
}
