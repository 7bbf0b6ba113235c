/// The arguments of a command, from which the parser and the help text are made.
struct Syntax<Root: Sendable>: Sendable {
  let name: String
  /// One line for the list of commands.
  let summary: String
  var operand: Operand<Root>?
  /// Further operands.
  var moreOperands: [Operand<Root>] = []
  /// Receives all words after the operands unchanged, options included, such as a command line.
  var rest: Rest<Root>?
  var options: [Option<Root>] = []
  /// Paragraphs below the options, with line breaks.
  var notes: [String] = []

  /// Parses the words after the command's name into `root`; false when they contain `--help`.
  func parse(_ words: [String], into root: inout Root) throws(UsageError) -> Bool {
    do throws(UsageError) {
      return try read(words, into: &root)
    } catch {
      throw UsageError(reason: error.reason, command: error.command ?? name)
    }
  }

  /// The text of `--help`.
  var help: String {
    let labels = options.map(\.label) + ["    --help"]
    let column = min(labels.map(\.count).max() ?? 0, 26) + 2
    let rows = zip(labels, options.map(\.help) + ["this text"]).map { label, help in
      let lines = help.split(separator: "\n")
        .joined(separator: "\n" + String(repeating: " ", count: column + 2))
      guard label.count < column else {
        return "  \(label)\n\(String(repeating: " ", count: column + 2))\(lines)"
      }
      return "  \(label)\(String(repeating: " ", count: column - label.count))\(lines)"
    }
    let words = operands.map(\.label) + (rest.map { ["[\($0.name)]..."] } ?? [])
    let usage = ["usage: ikran \(name)", "[OPTION]..."] + words
    let parts = [usage.joined(separator: " "), summary, rows.joined(separator: "\n")] + notes
    return parts.joined(separator: "\n\n")
  }

  private func read(_ words: [String], into root: inout Root) throws(UsageError) -> Bool {
    var rest = words[...]
    var operands: [String] = []
    while let word = rest.popFirst() {
      if word == "--help" || word == "-h" { return false }
      if word == "--" {
        operands += rest
        break
      }
      let isPlain = word == "-" || !word.hasPrefix("-")
      if isPlain, self.rest != nil, operands.count == self.operands.count {
        operands += [word] + rest
        break
      }
      if word.hasPrefix("--") {
        try readLong(word.dropFirst(2), &rest, &root)
      } else if word.hasPrefix("-"), word != "-" {
        try readShort(word.dropFirst(), &rest, &root)
      } else {
        operands.append(word)
      }
    }
    try take(operands, into: &root)
    return true
  }

  /// `--name`, `--name VALUE` or `--name=VALUE`.
  private func readLong(
    _ word: Substring,
    _ rest: inout ArraySlice<String>,
    _ root: inout Root
  ) throws(UsageError) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard let option = options.first(where: { $0.name == name }) else {
      let hint = closest(to: name, among: options.map(\.name)).map { "; did you mean --\($0)?" }
      throw UsageError(reason: "there is no option --\(name)\(hint ?? "")")
    }
    guard option.value != nil else {
      guard parts.count == 1 else { throw UsageError(reason: "--\(name) takes no value") }
      return try option.apply(&root, "")
    }
    try set(option, "--\(name)", parts.count > 1 ? String(parts[1]) : rest.popFirst(), &root)
  }

  /// `-o VALUE`, `-oVALUE`, or several flags in one word; the last of them may take a value.
  private func readShort(
    _ letters: Substring,
    _ rest: inout ArraySlice<String>,
    _ root: inout Root
  ) throws(UsageError) {
    var letters = letters
    while let letter = letters.popFirst() {
      guard let option = options.first(where: { $0.short == letter }) else {
        throw UsageError(reason: "there is no option -\(letter)")
      }
      guard option.value != nil else {
        try option.apply(&root, "")
        continue
      }
      let value = letters.isEmpty ? rest.popFirst() : String(letters)
      return try set(option, "-\(letter)", value, &root)
    }
  }

  private func set(
    _ option: Option<Root>,
    _ shown: String,
    _ value: String?,
    _ root: inout Root
  ) throws(UsageError) {
    guard let value else {
      throw UsageError(reason: "\(shown) needs a value (\(option.value ?? ""))")
    }
    do throws(UsageError) {
      try option.apply(&root, value)
    } catch {
      throw UsageError(reason: "\(shown): \(error.reason)")
    }
  }

  private var operands: [Operand<Root>] { (operand.map { [$0] } ?? []) + moreOperands }

  private func take(_ words: [String], into root: inout Root) throws(UsageError) {
    var rest = words[...]
    for operand in operands {
      guard let word = rest.popFirst() else {
        if operand.isOptional { break }
        throw UsageError(reason: "\(operand.name) is missing")
      }
      try operand.apply(&root, word)
    }
    if let more = self.rest {
      root[keyPath: more.path] = Array(rest)
    } else if let word = rest.first {
      throw UsageError(reason: "“\(word)” is one argument too many")
    }
  }
}

extension Option {
  /// Its name in the help, such as `-o, --output PATH`.
  fileprivate var label: String {
    let names = (short.map { "-\($0), " } ?? "    ") + "--\(name)"
    return value.map { "\(names) \($0)" } ?? names
  }
}
