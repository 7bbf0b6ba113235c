import Ikran
import IkranStores

/// The file and format that a command writes its image to.
struct Destination: Sendable {
  /// Nil and `-` are standard output.
  var path: String?
  /// Nil takes the format of the path's extension; PNG when it has none.
  var format: FileFormat?
  /// What of ``metadata`` is written.
  var retention = MetadataRetention.none
  /// The metadata of the file that the image comes from.
  var metadata = ImageMetadata()
  /// Whether the command has `--format`.
  var takesFormat = true

  /// Throws before any work when the image cannot be written: to an unknown extension, to a
  /// terminal, or, with `isJSON`, to standard output, which the JSON needs.
  func check(_ output: Output, command: String, isJSON: Bool = false) throws(UsageError) {
    do throws(UsageError) { _ = try chosenFormat() } catch {
      throw UsageError(reason: error.reason, command: command)
    }
    if isJSON {
      guard path == "-" else { return }
      throw UsageError(reason: "--json and -o - both need standard output", command: command)
    }
    guard isStandardOutput, output.isTerminal else { return }
    throw UsageError(
      reason: "image data is not written to a terminal: use -o PATH",
      command: command
    )
  }

  /// Writes the image; a file is replaced atomically.
  func write(_ image: Bitmap, _ output: Output) throws {
    try write(withMetadata(chosenFormat().encode(image)), output)
  }

  /// Writes the image with all of its frames, in a format that stores them.
  func write(_ response: ImageResponse, _ output: Output) async throws {
    try write(withMetadata(await chosenFormat().encode(response, output)), output)
  }

  /// How a picture that may move is encoded; nil for formats of stills, and for PNG, whose
  /// animations many programs do not show.
  func movingEncoding() throws(UsageError) -> ImageEncoding? {
    switch try chosenFormat() {
    case .gif: .gif
    case .webp: .webp()
    case .png, .jpeg, .rgba: nil
    }
  }

  func write(_ bytes: [UInt8], _ output: Output) throws {
    try Task.checkCancellation()
    guard let path, !isStandardOutput else { return try output.write(bytes) }
    do throws(SystemError) {
      try OutputFile.write(bytes, to: path)
    } catch {
      throw Failure(error)
    }
  }

  private func withMetadata(_ file: [UInt8]) throws(UsageError) -> [UInt8] {
    // Pixels without a header may look like any file.
    try chosenFormat() == .rgba ? file : metadata.retaining(retention).embedded(in: file)
  }

  private var isStandardOutput: Bool { path == nil || path == "-" }

  /// The format to write.
  ///
  /// - Throws: `UsageError` when the path's extension is needed and unknown.
  private func chosenFormat() throws(UsageError) -> FileFormat {
    if let format { return format }
    let name = path?.split(separator: "/").last ?? ""
    guard let path, let dot = name.dropLast().lastIndex(of: ".") else { return .png }
    let ending = name[name.index(after: dot)...]
    if let format = FileFormat(fileExtension: String(ending)) { return format }
    let advice = takesFormat ? ", or choose one with --format" : ""
    throw UsageError(
      reason: "“\(path)”: only \(FileFormat.allExtensions) can be written\(advice)"
    )
  }
}

extension Option {
  /// `-o` and, where it is optional, `--format`.
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
      help: "the format (default: that of PATH's extension,\n"
        + "else png); rgba has no header"
    ) { (root, word) throws(UsageError) in
      root[keyPath: path].format = try Reading<FileFormat>.choice.read(word)
    }
    return isRequired ? [file] : [file, format]
  }

  /// `--metadata`.
  static func metadata(_ path: any WritableKeyPath<Root, Destination> & Sendable) -> Option {
    Option(
      name: "metadata",
      value: MetadataRetention.allCases.map(\.rawValue).joined(separator: "|"),
      help: "keeps the file's EXIF and XMP, or artist and copyright\n"
        + "alone (default: none; gif and rgba have no place for it)"
    ) { (root, word) throws(UsageError) in
      root[keyPath: path].retention = try Reading<MetadataRetention>.choice.read(word)
    }
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
