import Ikran
import IkranStores

/// Where a command writes its image, and as what.
struct Destination: Sendable {
  /// Nil and `-` are standard output.
  var path: String?
  /// Nil takes the path's extension, else PNG.
  var format: FileFormat?

  var isStandardOutput: Bool { path == nil || path == "-" }

  /// Refuses to send image bytes to a terminal.
  func check(_ output: Output, command: String) throws(UsageError) {
    guard isStandardOutput, output.isTerminal else { return }
    throw UsageError(
      reason: "an image is nothing for a terminal: write it to a file with -o PATH",
      command: command
    )
  }

  /// Writes the image; a file appears whole or not at all.
  func write(_ image: Bitmap, _ output: Output) throws {
    let format = format ?? path.flatMap(FileFormat.init(path:)) ?? .png
    let bytes = try format.encode(image)
    try Task.checkCancellation()
    guard let path, !isStandardOutput else { return try output.write(bytes) }
    do throws(SystemError) {
      try OutputFile.write(bytes, to: path)
    } catch {
      throw Failure(error)
    }
  }
}

extension Option {
  /// `-o` and, where it may be left out, `--format`.
  static func destination(
    _ path: any WritableKeyPath<Root, Destination> & Sendable,
    isRequired: Bool = false
  ) -> [Option] {
    let file = Option(
      name: "output",
      short: "o",
      value: "PATH",
      help: "writes the image there \(isRequired ? "(required)" : "(default: -, standard output)")"
    ) { root, word in
      root[keyPath: path].path = word
    }
    let names = FileFormat.allCases.map(\.rawValue).joined(separator: "|")
    let format = Option(
      name: "format",
      value: names,
      help: "what to write (default: PATH's extension, else png);\nrgba has no header"
    ) { (root, word) throws(UsageError) in
      root[keyPath: path].format = try Reading<FileFormat>.choice.read(word)
    }
    return isRequired ? [file] : [file, format]
  }
}

extension Reading where Value == Style {
  /// The grammar of `ikran styles`.
  static var style: Reading {
    Reading { (word) throws(UsageError) in
      do throws(StyleError) {
        let style = try Style(parsing: word)
        _ = try style.fitting(scale: 1)
        return style
      } catch {
        throw UsageError(reason: Failure(error).sentence)
      }
    }
  }
}
