import Ikran
import IkranSystem

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
  /// 1…100; nil for the format's own.
  var quality: Int?
  var isLossless = false
  /// Whether no metadata is asked for in so many words.
  var isStripped = false

  /// Throws before any work when the image cannot be written: to an unknown extension, to a
  /// terminal, or, with `isJSON`, to standard output, which the JSON needs.
  func check(_ output: Output, command: String, isJSON: Bool = false) throws(UsageError) {
    do throws(UsageError) {
      if quality != nil, isLossless {
        throw UsageError(reason: "--quality and --lossless exclude each other")
      }
      if isStripped, retention != .none {
        throw UsageError(
          reason: "--strip and --metadata \(retention.rawValue) exclude each other"
        )
      }
      _ = try encoding()
    } catch {
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
    try write(encode(image), output)
  }

  /// The image as it is written.
  func encode(_ image: Bitmap) throws -> [UInt8] { try chosenFormat().encode(image, fidelity) }

  /// Writes the image with all of its frames, in a format that stores them.
  func write(_ response: ImageResponse, _ output: Output) async throws {
    try write(await chosenFormat().encode(response, fidelity: fidelity, output), output)
  }

  /// How a picture that may move is encoded; nil for formats of stills, and for PNG, whose
  /// animations many programs do not show.
  func movingEncoding() throws(UsageError) -> ImageEncoding? {
    switch try chosenFormat() {
    case .gif: .gif
    case .webp: .webp()
    case .jpegXL: .jpegXL()
    case .png, .jpeg, .avif, .rgba: nil
    }
  }

  /// How images are encoded; nil for pixels without a header.
  func encoding() throws(UsageError) -> ImageEncoding? { try chosenFormat().encoding(fidelity) }

  func write(_ bytes: [UInt8], _ output: Output) throws {
    try Task.checkCancellation()
    let file = try withMetadata(bytes)
    guard let path, !isStandardOutput else { return try output.write(file) }
    do throws(SystemError) {
      try OutputFile.write(file, to: path)
    } catch {
      throw Failure(error)
    }
  }

  private func withMetadata(_ file: [UInt8]) throws(UsageError) -> [UInt8] {
    // Pixels without a header may look like any file.
    guard retention != .none, try chosenFormat() != .rgba else { return file }
    return metadata.retaining(retention).embedded(in: file)
  }

  private var fidelity: FileFormat.Fidelity {
    isLossless ? .lossless : quality.map { .quality($0) } ?? .standard
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
    ) { (root, word) throws(UsageError) in
      root[keyPath: path].path = try Reading<String>.fileName.read(word)
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
        + "alone (default: none; jpeg, png and webp have a place)"
    ) { (root, word) throws(UsageError) in
      root[keyPath: path].retention = try Reading<MetadataRetention>.choice.read(word)
    }
  }

  /// `--strip`.
  static func strip(_ path: any WritableKeyPath<Root, Destination> & Sendable) -> Option {
    Option(name: "strip", value: nil, help: "writes no metadata, like --metadata none") {
      root,
      _ in
      root[keyPath: path].isStripped = true
    }
  }

  /// `--quality` and `--lossless`.
  static func fidelity(
    _ path: any WritableKeyPath<Root, Destination> & Sendable
  ) -> [Option] {
    [
      Option(
        name: "quality",
        value: "N",
        help: "of jpeg, webp, avif and jxl, 1 to 100 (default:\n85, 80, 65 and 85)"
      ) { (root, word) throws(UsageError) in
        root[keyPath: path].quality = try Reading<Int>.integer(1...100).read(word)
      },
      Option(name: "lossless", value: nil, help: "loses nothing, like PNG") {
        root,
        _ in
        root[keyPath: path].isLossless = true
      },
    ]
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
        throw UsageError(reason: hint(for: word, error) ?? Failure(error).sentence)
      }
    }
  }

  /// A name that is nearly that of a style says more than the whole grammar.
  private static func hint(for word: String, _ error: StyleError) -> String? {
    let part = word.prefix { !":,+".contains($0) }
    guard case .unknownStyle(_, String(part)) = error,
      let name = closest(to: String(part), among: Style.names)
    else { return nil }
    let meant = name + word.dropFirst(part.count)
    guard (try? Style(parsing: meant)) != nil else { return nil }
    return "the style “\(word)” is not known; did you mean \(meant)?"
  }
}
