import Foundation
import Ikran
import IkranServer
import Support
import Testing

/// Runs the built `ikran` in a folder of its own, with a cache of its own.
struct Program {
  /// How a run ended.
  struct Ending {
    let code: Int32
    let output: [UInt8]
    let errors: String

    var text: String { String(decoding: output, as: UTF8.self) }
    var errorLines: [Substring] { errors.split(separator: "\n") }

    /// The object that `--json` printed.
    func json() throws -> [String: Any] {
      try #require(try JSONSerialization.jsonObject(with: Data(output)) as? [String: Any])
    }
  }

  let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// The path of a file in the program's working folder.
  func path(_ name: String) -> String { folder.path + "/" + name }

  func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
  }

  func read(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path(name))))
  }

  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

  /// The names of everything below the working folder.
  func names() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.path)
  }

  /// Runs to the end.
  func run(_ words: String..., input: [UInt8] = []) async throws -> Ending {
    try await run(words, input: input)
  }

  func run(_ words: [String], input: [UInt8] = []) async throws -> Ending {
    let run = try start(words, input: input)
    return try await run.ending()
  }

  /// Starts the program.
  func start(_ words: [String], input: [UInt8] = []) throws -> RunningProgram {
    try RunningProgram(Self.executable(), words, in: folder, input: input)
  }

  /// The product beside the running test bundle.
  static func executable() throws -> String {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let places = [own] + CommandLine.arguments.filter { $0.contains(".xctest") }
    let candidates = places.flatMap { place in
      let folder = URL(fileURLWithPath: place).deletingLastPathComponent()
      return [folder, folder.deletingLastPathComponent()].map { $0.path + "/ikran" }
    }
    return try #require(
      candidates.first { FileManager.default.isExecutableFile(atPath: $0) },
      "The product ikran is not beside the test bundle."
    )
  }
}

/// A program under way.
final class RunningProgram: Sendable {
  private let process: Process
  private let ended: AsyncStream<Int32>
  private let folder: TemporaryDirectory
  private let files: (output: String, errors: String)

  fileprivate init(
    _ executable: String,
    _ words: [String],
    in folder: TemporaryDirectory,
    input: [UInt8]
  ) throws {
    let process = Process()
    let streams = try TemporaryDirectory()
    let files = (output: streams.path + "/output", errors: streams.path + "/errors")
    let (ended, ending) = AsyncStream.makeStream(of: Int32.self)
    try Data(input).write(to: URL(fileURLWithPath: streams.path + "/input"))
    for path in [files.output, files.errors] {
      try Data().write(to: URL(fileURLWithPath: path))
    }
    process.executableURL = URL(fileURLWithPath: executable)
    process.arguments = words
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    process.environment = ProcessInfo.processInfo.environment
      .merging(["XDG_CACHE_HOME": folder.path + "/xdg"]) { $1 }
    process.standardInput = FileHandle(forReadingAtPath: streams.path + "/input")
    process.standardOutput = FileHandle(forWritingAtPath: files.output)
    process.standardError = FileHandle(forWritingAtPath: files.errors)
    process.terminationHandler = { process in
      ending.yield(process.terminationStatus)
      ending.finish()
    }
    try process.run()
    self.process = process
    self.ended = ended
    self.files = files
    self.folder = streams
  }

  /// Sends it a signal.
  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// The first line it prints; waits until it is there.
  func firstLine() async throws -> String {
    while true {
      let text = String(decoding: try contents(files.output), as: UTF8.self)
      if let end = text.firstIndex(of: "\n") { return String(text[..<end]) }
      try #require(process.isRunning, "The program ended without a line.")
      await Task.yield()
    }
  }

  /// Waits for its end.
  func ending() async throws -> Program.Ending {
    var code: Int32?
    for await status in ended { code = status }
    return Program.Ending(
      code: try #require(code),
      output: try contents(files.output),
      errors: String(decoding: try contents(files.errors), as: UTF8.self)
    )
  }

  private func contents(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path)))
  }
}

/// One sentence on standard error, nothing on standard output, and this exit code.
func expectRefusal(
  _ ending: Program.Ending,
  code: Int32,
  says words: String = "",
  sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(ending.code == code, "\(ending.errors)", sourceLocation: sourceLocation)
  #expect(ending.output.isEmpty, sourceLocation: sourceLocation)
  #expect(ending.errorLines.count == 1, "\(ending.errors)", sourceLocation: sourceLocation)
  #expect(ending.errors.hasPrefix("ikran: "), sourceLocation: sourceLocation)
  #expect(
    words.isEmpty || ending.errors.contains(words),
    "\(ending.errors)",
    sourceLocation: sourceLocation
  )
}

extension Program {
  /// Runs a line of bash in the working folder.
  func runShell(_ line: String) async throws -> Ending {
    try await RunningProgram("/bin/bash", ["-c", line], in: folder, input: []).ending()
  }
}
