import FoundationEssentials
import IkranTransport

/// Where each of many images is written: a path with `{name}`, `{index}` or `{format}` in it.
struct NamePattern: Sendable {
  /// For the help of commands.
  static let note = """
    Many images need names: with -o 'small/{name}.{format}' there may be any number of files,
    folders and URLs. {name} is the source's without its ending, {index} counts from 1, and
    {format} is the ending of --format. Folders in that path are made. A - is then a list on
    standard input, one name a line. JSON is a line for each image, with output, or with url and
    error. A line on standard error says what failed, and the exit code is 1 then.
    """

  /// What stands for something else in a path.
  static let parts = ["{name}", "{index}", "{format}"]

  private let path: String

  /// Nil for the path of one file.
  init?(_ path: String?) {
    guard let path, Self.parts.contains(where: path.contains) else { return nil }
    self.path = path
  }

  /// The first word in braces of a path that is none of ``parts``; nil without one.
  static func unknownPart(of path: String?) -> String? {
    var rest = (path ?? "")[...]
    while let start = rest.firstIndex(of: "{") {
      rest = rest[start...].dropFirst()
      let word = rest.prefix(while: \.isLetter)
      rest = rest.dropFirst(word.count)
      let part = "{\(word)}"
      if !word.isEmpty, rest.first == "}", !parts.contains(part) { return part }
    }
    return nil
  }

  /// The path of an image; `index` counts from 0.
  func path(of input: Input, index: Int, format: FileFormat) -> String {
    var text = ""
    var rest = path[...]
    while let start = rest.firstIndex(of: "{") {
      text += rest[..<start]
      rest = rest[start...]
      if rest.hasPrefix("{name}") {
        text += input.stem
        rest = rest.dropFirst("{name}".count)
      } else if rest.hasPrefix("{index}") {
        text += "\(index + 1)"
        rest = rest.dropFirst("{index}".count)
      } else if rest.hasPrefix("{format}") {
        text += format.fileExtension
        rest = rest.dropFirst("{format}".count)
      } else {
        text += "{"
        rest = rest.dropFirst()
      }
    }
    return text + rest
  }
}

extension Input {
  /// The last part of its path without its ending: `a` of `https://example.org/x/a.jpg?size=2`.
  fileprivate var stem: String {
    let name: String
    switch self {
    case .standardInput: name = "image"
    case .file(let path), .pipe(let path): name = Self.last(of: path)
    case .url(let url) where url.hasPrefix("file:"):
      name = (try? FileTransport.path(of: url)).map { Self.last(of: $0) } ?? ""
    case .url(let url):
      // Without escapes, as the name of a file has none.
      let last = url.hasPrefix("data:") ? "" : URL(string: url)?.lastPathComponent ?? ""
      name = last == "/" ? "" : last
    }
    let safe = String(name.map { $0 == "/" || $0 == "\0" ? "_" : $0 })
    let stem = safe.dropFirst().lastIndex(of: ".").map { String(safe[..<$0]) } ?? safe
    return ["", ".", ".."].contains(stem) ? "image" : stem
  }

  private static func last(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? ""
  }
}
