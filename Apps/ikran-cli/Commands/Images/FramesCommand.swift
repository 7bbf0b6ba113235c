import Ikran
import IkranSystem

/// `ikran frames`: the composed frames of an animated image.
struct FramesCommand: Command {
  var input = Input.standardInput
  var folder: String?
  var format = FrameFormat.png
  var strip: String?
  var isJSON = false

  /// The formats of single frames.
  enum FrameFormat: String, Sendable, CaseIterable {
    case png, rgba

    var file: FileFormat { self == .png ? .png : .rgba }
  }

  static let syntax = Syntax<Self>(
    name: "frames",
    summary: "Lists or writes the composed frames of an animated image, or its pages.",
    operand: Operand("FILE|-", \.input, .path),
    options: [
      .one(
        "output",
        short: "o",
        \.folder,
        "DIR",
        .folderName,
        "writes each frame there: 0000.png …"
      ),
      .one("format", \.format, "png|rgba", .choice, "the format of the frames (default: png)"),
      .one(
        "strip",
        \.strip,
        "PATH",
        .fileName,
        "writes one picture of all frames, each above its\nmilliseconds"
      ),
      .flag("json", \.isJSON, "prints JSON"),
    ],
    notes: [
      """
      JSON: width, height, loops (0 is forever, none for stills), frames: index, milliseconds, and
      key: whether decoding can begin there. A still is one frame that is shown for 0 milliseconds,
      and so is each page of TIFF and each picture of a HEIC collection; width and height are those
      of the first one. Of a file that breaks off, the frames before that are listed and written;
      then the command fails.
      """
    ]
  )

  func check(_ output: Output) throws(UsageError) {
    guard let strip else { return }
    var destination = Destination(path: strip)
    destination.takesFormat = false
    try destination.check(output, command: "frames", isJSON: isJSON)
  }

  func run(_ output: Output) async throws -> Int32 {
    let movie = try Movie(try await input.bytes(), name: input.name)
    if let folder { try write(movie, to: folder) }
    if let strip {
      var destination = Destination(path: strip)
      destination.takesFormat = false
      try destination.write(try FilmStrip.draw(movie), output)
    }
    if isJSON || folder == nil && strip == nil { try report(movie, output) }
    if let error = movie.error { throw ImageError.decode(error, url: input.name) }
    return 0
  }

  private func write(_ movie: Movie, to folder: String) throws {
    do throws(SystemError) { try Files.createDirectories(folder) } catch { throw Failure(error) }
    for index in movie.frames.indices {
      let digits = String(index)
      let number = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
      let bytes =
        movie.source == nil
        ? try movie.still(index, as: format.file.encoding(.standard), fitting: .original)
        : try format.file.encode(movie.picture(index))
      try Task.checkCancellation()
      do throws(SystemError) {
        try OutputFile.write(bytes, to: "\(folder)/\(number).\(format.rawValue)")
      } catch {
        throw Failure(error)
      }
    }
  }

  private func report(_ movie: Movie, _ output: Output) throws {
    if isJSON {
      return try output.report(
        [
          "width": .integer(movie.size.width),
          "height": .integer(movie.size.height),
          "loops": .integer(orNull: movie.loops),
          "frames": .array(
            movie.frames.enumerated().map { index, frame in
              [
                "index": .integer(index),
                "milliseconds": .integer(frame.milliseconds),
                "key": .bool(frame.isKey),
              ]
            }
          ),
        ],
        asJSON: true
      )
    }
    let facts: JSON = [
      "width": .integer(movie.size.width),
      "height": .integer(movie.size.height),
      "loops": .integer(orNull: movie.loops),
      "frames": .integer(movie.frames.count),
    ]
    try output.report(facts, asJSON: false)
    for (index, frame) in movie.frames.enumerated() {
      try output.line("\(index) \(frame.milliseconds) ms\(frame.isKey ? " key" : "")")
    }
  }
}
