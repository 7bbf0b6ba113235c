import IkranPixels

/// What the program is to do.
struct Arguments: Sendable, Equatable {
  /// Where the pictures come from.
  enum Images: Sendable, Equatable {
    /// Portraits of the embedded origin.
    case portraits(Int)
    case list(String)
    case folder(String)
    /// Files, and the pictures of folders.
    case paths([String])
  }

  /// What happens once the window is there.
  enum Job: Sendable, Equatable {
    case show
    case bench
    /// The part of the measurement that wants a new process.
    case first
    case screenshot(String)
    /// No window: the program's icon is drawn.
    case icon(String)
  }

  enum Theme: Sendable, Equatable { case system, light, dark }

  var images = Images.portraits(2000)
  var job = Job.show
  var theme = Theme.system
  /// The folder of the caches; nil is the user's.
  var cache: String?
  /// How many frames are scrolled; nil is 300 for a measurement and none for a picture.
  var frames: Int?
  /// Words in the name of the picture that is shown large at once.
  var opened: String?
  /// Pixels of the screen for one of that picture; nil shows the whole picture.
  var factor: Double?
  /// How long the slide show, which begins at once, shows a picture; nil begins none.
  var slideSeconds: Double?
  /// What the caches keep in memory.
  var memory = MemoryShares(total: 256 << 20)
  var settings = GridSettings()
  /// The size of the window, in points.
  var window = Gallery.usualSize
}

extension Arguments {
  static let options: [Option<Arguments>] = [
    Option("urls", "FILE", "the pictures of a list, one URL or path a line") {
      $0.images = .list($1)
    },
    Option("folder", "DIR", "the pictures of a folder and of the folders in it") {
      $0.images = .folder($1)
    },
    Option("count", "N", "or this many portraits of a server inside (default: 2000)") {
      (arguments, word) throws(UsageError) in
      arguments.images = .portraits(try Reading.integer(0...1_000_000).read(word))
    },
    Option("cache", "DIR", "the folder of the caches (default: the user's)") { $0.cache = $1 },
    Option("mode", "MODE", "conventional, pipeline or tables (default)") {
      (arguments, word) throws(UsageError) in
      arguments.settings.mode = try choice(word, of: Mode.offered)
    },
    Option("style", "STYLE", "circle (default), rounded or rectangle") {
      (arguments, word) throws(UsageError) in
      arguments.settings.outline = try choice(word, of: Outline.allCases)
    },
    Option("cell", "POINTS", "48, 64, 96 (default), 128, 192, 256, 384 or 512 a side") {
      (arguments, word) throws(UsageError) in try arguments.setSide(word)
    },
    Option("filter", "FILTER", "none (default), grayed, sepia, blur, vignette, sketch, mosaic") {
      (arguments, word) throws(UsageError) in
      arguments.settings.effect = try choice(word, of: Effect.allCases)
    },
    Option("sort", "ORDER", "name (default), date (newest first) or size (largest first)") {
      (arguments, word) throws(UsageError) in
      arguments.settings.order = try choice(word, of: ItemOrder.allCases)
    },
    Option("open", "NAME", "shows the first picture whose name has these words, large") {
      $0.opened = $1
    },
    Option("zoom", "F", "and so many pixels of the screen for one of it (0.01 to 16)") {
      (arguments, word) throws(UsageError) in
      let factor = Reading("a number from 0.01 to 16") { word in
        Double(word).flatMap { (0.01...Zoom.largest).contains($0) ? $0 : nil }
      }
      arguments.factor = try factor.read(word)
    },
    Option("slideshow", "SECONDS", "shows all pictures large, so long each (0.1 to 3600)") {
      (arguments, word) throws(UsageError) in
      let seconds = Reading("a number from 0.1 to 3600") { word in
        Double(word).flatMap { (0.1...3600).contains($0) ? $0 : nil }
      }
      arguments.slideSeconds = try seconds.read(word)
    },
    Option("memory", "MB", "the most that the caches keep in memory (default: 256)") {
      (arguments, word) throws(UsageError) in
      arguments.memory = MemoryShares(total: try Reading.integer(1...1_000_000).read(word) << 20)
    },
    Option(
      "window",
      "WxH",
      "the size of the window, 200 to 10000 points a side (default: 1100x800)"
    ) {
      (arguments, word) throws(UsageError) in arguments.window = try size.read(word)
    },
    Option("dark", nil, "prefers the dark theme") { arguments, _ in arguments.theme = .dark },
    Option("light", nil, "prefers the light theme") { arguments, _ in arguments.theme = .light },
    Option("screenshot", "FILE", "writes a PNG of the window once its pictures are there, and ends")
    {
      $0.job = .screenshot($1)
    },
    Option("bench", nil, "scrolls by itself in each mode, prints what it measured, and ends") {
      arguments,
      _ in arguments.job = .bench
    },
    Option("frames", "N", "how many frames are scrolled (default: 300, for a screenshot 0)") {
      (arguments, word) throws(UsageError) in
      arguments.frames = try Reading.integer(0...100_000).read(word)
    },
    Option("icon", "FILE", "draws the program's icon as a PNG, and ends") { $0.job = .icon($1) },
  ]

  /// The one that ``Subprocess`` is run with, and an older name of `--cell`.
  private static let hidden = [
    Option<Arguments>("first", nil, "") { arguments, _ in arguments.job = .first },
    Option<Arguments>("size", "POINTS", "") { (arguments, word) throws(UsageError) in
      try arguments.setSide(word)
    },
  ]

  private static let size = Reading("a width and a height of 200 to 10000, as in 360x294") { word in
    let parts = word.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let width = parts[0], let height = parts[1],
      (200...10_000).contains(width), (200...10_000).contains(height)
    else { return PixelSize?.none }
    return PixelSize(width: width, height: height)
  }

  private mutating func setSide(_ word: String) throws(UsageError) {
    let names = GridSettings.sides.map { "\($0)" }.joined(separator: ", ")
    let side = Reading("one of \(names)") { word in
      Int(word).flatMap { GridSettings.sides.contains($0) ? $0 : nil }
    }
    settings.side = try side.read(word)
  }

  /// Parses the words after the program's name; nil when they ask for help.
  init?(parsing words: [String]) throws(UsageError) {
    self.init()
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--help" || word == "-h" { return nil }
      guard word.hasPrefix("--") else {
        if case .paths(let paths) = images {
          images = .paths(paths + [word])
        } else {
          images = .paths([word])
        }
        continue
      }
      let parts = word.dropFirst(2)
        .split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = parts.first.map(String.init) ?? ""
      guard let option = (Self.options + Self.hidden).first(where: { $0.name == name }) else {
        throw UsageError(reason: "there is no option --\(name)")
      }
      var value = parts.count > 1 ? String(parts[1]) : nil
      if option.value != nil {
        value = (value ?? rest.popFirst()).flatMap { $0.isEmpty ? nil : $0 }
      }
      try option.apply(value, to: &self, shown: "--\(name)")
    }
  }

  private static func choice<Value: RawRepresentable<String> & Sendable>(
    _ word: String,
    of values: [Value]
  ) throws(UsageError) -> Value {
    let names = values.map(\.rawValue).joined(separator: ", ")
    let reading = Reading("one of \(names)") { word in values.first { $0.rawValue == word } }
    return try reading.read(word)
  }

  /// The text of `--help`.
  static var help: String {
    let rows = options.map { (label: $0.label, help: $0.help) } + [("--help", "this text")]
    return """
      usage: ikran-gallery [OPTION]... [FILE | FOLDER]...

      Shows thousands of pictures in a window, and what it costs: those files, the pictures of those
      folders, or others that the options name.

      \(helpRows(rows))

      Ctrl-F searches, Enter or a click shows a picture large, Escape goes back, F11 fills the
      screen, F5 reads the folders again (which are watched where that is possible), Ctrl-Q ends.
      Ctrl-O opens files, Ctrl-Shift-O a folder. The right button, the Menu key or Shift-F10 shows a
      cell's menu: Open, Open with, Show in folder, Copy file name, Move to trash.
      Delete moves a picture to the trash; Undo in the bar that says so puts it back.
      Ctrl and +, - or the wheel make the cells of the grid larger and smaller.
      In a large picture, S begins and ends a slide show.
      Of a large picture, Left, Right, Home and End show others, + and - (or Ctrl and the wheel)
      zoom, 1 shows a pixel for a pixel, 0 the whole picture, a double click one or the other; what
      is larger than the window is dragged, and arrows move a still picture that was clicked.
      R turns it to the right and Shift-R to the left; its file stays as it is.
      I hides what is known of it, and shows it again.
      In a small window a menu (F10) has the controls of the grid.
      Pictures can be dropped on the window.

      Data goes to standard output, words to standard error. Exit codes: 0 done, 1 the job failed
      (one sentence says why), 2 wrong usage, 130 interrupted.
      """
  }
}

extension Option<Arguments> {
  fileprivate init(
    _ name: String,
    _ value: String? = nil,
    _ help: String,
    _ apply: @escaping @Sendable (inout Arguments, String) throws(UsageError) -> Void
  ) {
    self.init(name: name, value: value, help: help, apply: apply)
  }
}
