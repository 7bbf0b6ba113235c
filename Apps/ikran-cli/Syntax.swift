/// The arguments of a command, from which the parser and the help text are made.
struct Syntax<Root: Sendable>: Sendable {
  let name: String
  /// One line for the list of commands.
  let summary: String
  var operand: Operand<Root>?
  /// Further operands.
  var moreOperands: [Operand<Root>] = []
  /// Receives the words after the operands.
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
    let rows = options.map { option in
      (label: (option.short.map { "-\($0), " } ?? "    ") + option.label, help: option.help)
    }
    let words = operands.map(\.label) + (rest.map { ["[\($0.name)]..."] } ?? [])
    let usage = ["usage: ikran \(name)", "[OPTION]..."] + words
    let parts =
      [usage.joined(separator: " "), summary, helpRows(rows + [("    --help", "this text")])]
      + notes
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
      if isPlain, self.rest?.isCommandLine == true, operands.count == self.operands.count {
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
    let next = parts.count > 1 ? String(parts[1]) : option.value.flatMap { _ in rest.popFirst() }
    try option.apply(next, to: &root, shown: "--\(name)")
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
        try option.apply(nil, to: &root, shown: "-\(letter)")
        continue
      }
      let value = letters.isEmpty ? rest.popFirst() : String(letters)
      return try option.apply(value, to: &root, shown: "-\(letter)")
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

/// A positional argument of a command.
struct Operand<Root>: Sendable {
  let name: String
  var isOptional = false
  let apply: @Sendable (inout Root, String) throws(UsageError) -> Void

  /// Its name in the help.
  var label: String { isOptional ? "[\(name)]" : name }

  init<Value>(
    _ name: String,
    _ path: any WritableKeyPath<Root, Value> & Sendable,
    _ reading: Reading<Value>
  ) {
    self.name = name
    apply = { (root, word) throws(UsageError) in root[keyPath: path] = try reading.read(word) }
  }

  /// An optional argument; nil when it is missing.
  static func optional<Value>(
    _ name: String,
    _ path: any WritableKeyPath<Root, Value?> & Sendable,
    _ reading: Reading<Value>
  ) -> Operand {
    Operand(name, isOptional: true) { (root, word) throws(UsageError) in
      root[keyPath: path] = try reading.read(word)
    }
  }

  private init(
    _ name: String,
    isOptional: Bool,
    _ apply: @escaping @Sendable (inout Root, String) throws(UsageError) -> Void
  ) {
    self.name = name
    self.isOptional = isOptional
    self.apply = apply
  }
}

/// Any number of further arguments.
struct Rest<Root>: Sendable {
  let name: String
  let path: any WritableKeyPath<Root, [String]> & Sendable
  /// Whether they are another program's command line: options among them are its own.
  var isCommandLine = false
}
