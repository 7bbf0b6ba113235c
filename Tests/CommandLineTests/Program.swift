import Foundation
import IkranStores
import Support
import Testing

/// Runs the built `ikran` in a temporary folder with its own cache.
struct Program {
  /// How a run ended.
  struct Ending {
    let code: Int32
    let output: [UInt8]
    let errors: String

    var text: String { String(decoding: output, as: UTF8.self) }
    var errorLines: [Substring] { errors.split(separator: "\n") }

    /// The printed JSON object.
    func json() throws -> [String: Any] {
      #expect(!output.isEmpty, "it ended with \(code): \(errors)")
      return try #require(try JSONSerialization.jsonObject(with: Data(output)) as? [String: Any])
    }
  }

  let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// The path of a file in the program's working folder.
  func path(_ name: String) -> String { folder.path + "/" + name }

  func write(_ bytes: [UInt8], to name: String) throws {
    _ = try Files.remove(path(name))
    try Files.create(path(name), bytes)
  }

  func read(_ name: String) throws -> [UInt8] { try Files.read(path(name), maximumBytes: 1 << 28) }

  func exists(_ name: String) -> Bool { Files.exists(path(name)) }

  /// The names of all files and folders in the working folder.
  func names(below folder: String = "") throws -> [String] {
    try Files.list(path(folder)).flatMap { name in
      let name = folder.isEmpty ? name : folder + "/" + name
      return Files.isDirectory(path(name)) ? [name] + (try names(below: name)) : [name]
    }
  }

  /// Runs to the end.
  func run(_ words: String..., input: [UInt8] = []) async throws -> Ending {
    try await run(words, input: input)
  }

  func run(_ words: [String], input: [UInt8] = []) async throws -> Ending {
    try await start(words, input: input).ending()
  }

  /// Runs a line of bash in the working folder.
  func runShell(_ line: String) async throws -> Ending {
    try await RunningProgram(["/bin/bash", "-c", line], in: folder, input: []).ending()
  }

  /// Starts the program.
  func start(_ words: [String], input: [UInt8] = []) throws -> RunningProgram {
    try RunningProgram([Self.executable()] + words, in: folder, input: input)
  }

  /// A product in the folder of the running test bundle.
  static func executable(_ name: String = "ikran") throws -> String {
    let bundles = CommandLine.arguments.filter { $0.contains(".xctest") } + ["/proc/self/exe"]
    let candidates = bundles.flatMap { bundle -> [String] in
      guard let start = realpath(bundle, nil) else { return [] }
      defer { free(start) }
      let folders = String(cString: start).split(separator: "/")
      return [1, 2].map { "/" + (folders.dropLast($0) + [Substring(name)]).joined(separator: "/") }
    }
    return try #require(
      candidates.first { access($0, X_OK) == 0 && !Files.isDirectory($0) },
      "The product \(name) is not in the folder of the test bundle."
    )
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
