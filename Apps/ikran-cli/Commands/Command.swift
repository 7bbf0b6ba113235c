/// One command: its options are its properties, set by the parser before it runs.
protocol Command: Sendable {
  /// The arguments it takes.
  static var syntax: Syntax<Self> { get }

  /// The command with every option at its default.
  init()

  /// Refuses options that exclude each other.
  func check(_ output: Output) throws(UsageError)

  /// Runs the command.
  ///
  /// - Returns: The exit code: 0, or 1 when it has already printed what failed.
  /// - Throws: An error that is printed as one sentence, with exit code 1.
  func run(_ output: Output) async throws -> Int32
}

extension Command {
  func check(_ output: Output) throws(UsageError) {}

  static var name: String { syntax.name }
  static var summary: String { syntax.summary }
  static var help: String { syntax.help }

  /// The command with the arguments `words`; nil when they contain `--help`.
  static func parse(_ words: [String]) throws(UsageError) -> (any Command)? {
    var command = Self()
    return try syntax.parse(words, into: &command) ? command : nil
  }
}

/// Every command, in the order the help lists them.
enum CommandList {
  /// The version of the package; `Scripts/api --changelog` compares it with `CHANGELOG.md`.
  static let version = "0.5.0"

  static let all: [any Command.Type] = [
    GetCommand.self, ShowCommand.self, WarmCommand.self, SheetCommand.self, InspectCommand.self,
    DecodeCommand.self, FramesCommand.self, CacheCommand.self, TableCommand.self,
    StylesCommand.self, FiltersCommand.self, OriginCommand.self, ServeCommand.self,
  ]

  static var names: [String] { all.map { $0.name } }

  /// The command called `name`.
  static func command(_ name: String) throws(UsageError) -> any Command.Type {
    if let command = all.first(where: { $0.name == name }) { return command }
    if name.hasPrefix("-") {
      let hint = closest(to: name, among: ["--help", "--version"]).map { "; did you mean \($0)?" }
      throw UsageError(reason: "there is no option \(name)\(hint ?? "")")
    }
    let hint = closest(to: name, among: names).map { "; did you mean \($0)?" }
    throw UsageError(reason: "there is no command “\(name)”\(hint ?? "")")
  }

  /// The text of `ikran --help`.
  static var help: String {
    let column = (names.map(\.count).max() ?? 0) + 2
    let rows = all.map { command in
      let gap = String(repeating: " ", count: column - command.name.count)
      return "  \(command.name)\(gap)\(command.summary)"
    }
    return """
      usage: ikran COMMAND [OPTION]... [ARGUMENT]

      Gets an image from a URL, styled, and the second time from a cache.

      \(rows.joined(separator: "\n"))

      ikran COMMAND --help (or ikran help COMMAND) explains more; ikran --version prints the version.

      Data goes to standard output, words to standard error; - is standard input or output.
      Exit codes: 0 done, 1 the job failed (one sentence says why), 2 wrong usage,
      130 interrupted.
      """
  }
}
