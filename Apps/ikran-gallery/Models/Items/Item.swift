import IkranCodecs
import IkranPixels
import IkranSystem

/// A picture of the gallery.
struct Item: Sendable, Hashable {
  let name: String
  /// An `http:`, `https:`, `file:` or `data:` URL.
  let location: String

  init(name: String, location: String) { (self.name, self.location) = (name, location) }

  /// A local file.
  init(path: String) {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    self.init(name: name.displayedPath, location: "file://" + PercentEncoding.path(path))
  }

  /// A line of a list: a URL, or else a path.
  ///
  /// - Parameters:
  ///   - line: Without white space at its ends.
  ///   - folder: Where relative paths begin.
  init(line: String, in folder: String) {
    let scheme = line.prefix { $0 != ":" }.lowercased()
    let isURL = ["http", "https", "file", "data"].contains(scheme) || line.contains("://")
    guard isURL, scheme.count < line.count else {
      self.init(path: line.hasPrefix("/") ? line : folder + "/" + line)
      return
    }
    let address = line.prefix { $0 != "?" && $0 != "#" }
    let name = address.split(separator: "/").last.map(String.init) ?? line
    self.init(name: scheme == "data" ? "data" : name, location: line)
  }

  /// The path of a local file; nil for other URLs.
  var path: String? { LocalPath.of(location) }

  /// Whether its name has the words of a search, in any order and case.
  func matches(_ words: [String]) -> Bool {
    guard !words.isEmpty else { return true }
    let name = name.lowercased()
    return words.allSatisfy { name.contains($0) }
  }
}

/// Where lists of items come from.
enum ItemList {
  /// Pictures, and the folders that were searched for them.
  struct Found: Sendable {
    var items: [Item] = []
    var folders: [String] = []
  }

  /// The lines of a text, without blank ones and those that start with `#`.
  static func parse(_ text: String, in folder: String) -> [Item] {
    // Editors of other systems begin files with a byte order mark.
    var text = text[...]
    if text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
    return text.split(whereSeparator: \.isNewline).compactMap { line in
      var word = line.drop(while: \.isWhitespace)
      while word.last?.isWhitespace == true { word.removeLast() }
      guard !word.isEmpty, !word.hasPrefix("#") else { return nil }
      return Item(line: String(word), in: folder)
    }
  }

  /// The URLs and paths in a file.
  ///
  /// - Throws: `SystemError` when it cannot be read.
  static func read(_ path: String) throws(SystemError) -> [Item] {
    let path = try Files.absolute(path)
    let bytes = try Files.read(path, maximumBytes: 64 << 20)
    let folder = path.split(separator: "/").dropLast().map { "/" + $0 }.joined()
    return parse(String(path: bytes), in: folder)
  }

  /// The files of a folder, and of the folders in it, whose names or first bytes say that they are
  /// pictures, in the order of their names.
  ///
  /// Hidden ones are skipped, and so are links to folders that contain themselves.
  ///
  /// - Throws: `SystemError` when the folder cannot be read.
  static func folder(_ path: String) throws(SystemError) -> Found {
    var found = Found()
    try add(Files.absolute(path), depth: 0, to: &found)
    return found
  }

  /// Files, and the pictures of folders.
  ///
  /// - Parameters:
  ///   - paths: Of both.
  ///   - skipsMissing: Whether what is not there is skipped.
  /// - Returns: The pictures, and the folders that were read.
  /// - Throws: `SystemError` when one is not there or a folder cannot be read.
  static func files(_ paths: [String], skipsMissing: Bool = false) throws(SystemError) -> Found {
    var found = Found()
    for path in paths {
      let path = try Files.absolute(path)
      if Files.isDirectory(path) {
        try add(path, depth: 0, to: &found)
      } else if Files.exists(path) {
        found.items.append(Item(path: path))
      } else if !skipsMissing {
        throw .last("open", path)
      }
    }
    return found
  }

  /// What was dropped: files and URLs as they are, and the pictures of folders.
  static func dropped(_ places: [String]) -> [Item] {
    places.flatMap { place in
      guard place.hasPrefix("/") else { return [Item(line: place, in: "/")] }
      return Files.isDirectory(place) ? (try? folder(place).items) ?? [] : [Item(path: place)]
    }
  }

  /// Whether a file is a picture, by its ending, or by its first bytes where that says nothing.
  private static func isPicture(_ name: String, at path: String) -> Bool {
    if isPictureName(name) { return true }
    if OtherEndings.has(name) { return false }
    // Opening anything else than a file may wait, or do something.
    guard Files.isOrdinary(path), let start = try? Files.read(path, expecting: 4096),
      case .image = Sniffer.verdict(on: start.span)
    else { return false }
    return true
  }

  private static let deepest = 16
  private static let maximum = 100_000

  private static func add(
    _ folder: String,
    depth: Int,
    to found: inout Found
  ) throws(SystemError) {
    found.folders.append(folder)
    let names = try Files.list(folder).filter { !$0.hasPrefix(".") }
    for name in NaturalOrder.sorted(names) {
      guard found.items.count < maximum else { return }
      let path = folder.hasSuffix("/") ? folder + name : folder + "/" + name
      if Files.isDirectory(path) {
        // A folder inside that cannot be read is skipped.
        if depth < deepest { try? add(path, depth: depth + 1, to: &found) }
      } else if isPicture(name, at: path) {
        found.items.append(Item(path: path))
      }
    }
  }
}
