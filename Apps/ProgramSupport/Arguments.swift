/// An invalid command line: exit code 2.
package struct UsageError: Error, Equatable {
  /// What is wrong, without a full stop.
  package let reason: String
  /// The command whose `--help` explains it; nil is the program's own.
  package let command: String?

  package init(reason: String, command: String? = nil) {
    (self.reason, self.command) = (reason, command)
  }
}

extension UsageError: CustomStringConvertible {
  package var description: String { reason }
}

/// How an argument is parsed to a value.
package struct Reading<Value>: Sendable {
  package let read: @Sendable (String) throws(UsageError) -> Value

  package init(_ read: @escaping @Sendable (String) throws(UsageError) -> Value) {
    self.read = read
  }

  /// Parses with `parse`, which returns nil for a word that is not `expected`.
  package init(_ expected: String, _ parse: @escaping @Sendable (String) -> Value?) {
    self.init { (word) throws(UsageError) in
      guard let value = parse(word) else {
        throw UsageError(reason: "“\(word)” is not \(expected)")
      }
      return value
    }
  }
}

extension Reading where Value == String {
  package static var text: Reading { Reading("") { $0 } }

  /// The name of a file, which is not empty.
  package static var fileName: Reading { name(of: "file") }

  /// The name of a folder, which is not empty.
  package static var folderName: Reading { name(of: "folder") }

  private static func name(of kind: String) -> Reading {
    Reading { (word) throws(UsageError) in
      guard !word.isEmpty else { throw UsageError(reason: "the name of a \(kind) is empty") }
      return word
    }
  }
}

extension Reading where Value == Int {
  package static func integer(_ range: ClosedRange<Int>) -> Reading {
    let bounds =
      range.upperBound == .max
      ? "of at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
    return Reading("a whole number \(bounds)") { word in
      Int(word).flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

extension Reading where Value == Double {
  package static func number(_ range: ClosedRange<Double>) -> Reading {
    Reading("a number from \(text(range.lowerBound)) to \(text(range.upperBound))") { word in
      // A range contains neither NaN nor infinity.
      Double(word).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  private static func text(_ bound: Double) -> String {
    bound == bound.rounded() ? "\(Int(bound))" : "\(bound)"
  }
}

extension Reading
where Value: CaseIterable & RawRepresentable & Sendable, Value.RawValue == String {
  /// One of the names of an enumeration.
  package static var choice: Reading {
    let names = Value.allCases.map(\.rawValue)
    let values = Dictionary(uniqueKeysWithValues: Value.allCases.map { ($0.rawValue, $0) })
    return Reading { (word) throws(UsageError) in
      if let value = values[word] { return value }
      let hint = closest(to: word, among: names).map { "; did you mean \($0)?" } ?? ""
      throw UsageError(reason: "“\(word)” is not one of \(names.joined(separator: ", "))\(hint)")
    }
  }
}

/// An option of a command: `--name`, `--name VALUE`, `-n VALUE`.
package struct Option<Root>: Sendable {
  package let name: String
  package let short: Character?
  /// The placeholder of the value in the help; nil when the option is a flag.
  package let value: String?
  package let help: String
  private let apply: @Sendable (inout Root, String) throws(UsageError) -> Void

  package init(
    name: String,
    short: Character? = nil,
    value: String? = nil,
    help: String,
    apply: @escaping @Sendable (inout Root, String) throws(UsageError) -> Void
  ) {
    (self.name, self.short, self.value, self.help) = (name, short, value, help)
    self.apply = apply
  }

  /// Its name in the help, such as `--output PATH`.
  package var label: String { value.map { "--\(name) \($0)" } ?? "--\(name)" }

  /// Applies it with the word after it, which a flag has none of; `shown` is what the user wrote.
  package func apply(
    _ word: String?,
    to root: inout Root,
    shown: String
  ) throws(UsageError) {
    guard let value else {
      guard word == nil else { throw UsageError(reason: "\(shown) takes no value") }
      return try apply(&root, "")
    }
    guard let word else { throw UsageError(reason: "\(shown) needs a value (\(value))") }
    do throws(UsageError) { try apply(&root, word) } catch {
      throw UsageError(reason: "\(shown): \(error.reason)")
    }
  }

  package static func flag(
    _ name: String,
    _ path: any WritableKeyPath<Root, Bool> & Sendable,
    _ help: String
  ) -> Option {
    Option(name: name, value: nil, help: help) { root, _ in root[keyPath: path] = true }
  }

  /// The last one counts.
  package static func one<Value>(
    _ name: String,
    short: Character? = nil,
    _ path: any WritableKeyPath<Root, Value> & Sendable,
    _ value: String,
    _ reading: Reading<Value>,
    _ help: String
  ) -> Option {
    Option(name: name, short: short, value: value, help: help) { (root, word) throws(UsageError) in
      root[keyPath: path] = try reading.read(word)
    }
  }

  /// The last one counts; nil without any.
  package static func one<Value>(
    _ name: String,
    short: Character? = nil,
    _ path: any WritableKeyPath<Root, Value?> & Sendable,
    _ value: String,
    _ reading: Reading<Value>,
    _ help: String
  ) -> Option {
    Option(name: name, short: short, value: value, help: help) { (root, word) throws(UsageError) in
      root[keyPath: path] = try reading.read(word)
    }
  }

  /// May be given many times.
  package static func many<Value>(
    _ name: String,
    _ path: any WritableKeyPath<Root, [Value]> & Sendable,
    _ value: String,
    _ reading: Reading<Value>,
    _ help: String
  ) -> Option {
    Option(name: name, value: value, help: help) { (root, word) throws(UsageError) in
      root[keyPath: path].append(try reading.read(word))
    }
  }
}

/// The rows of a help text: labels, and what they mean in a column of its own.
package func helpRows(_ rows: [(label: String, help: String)]) -> String {
  let column = min(rows.map(\.label.count).max() ?? 0, 26) + 2
  let margin = String(repeating: " ", count: column + 2)
  let texts = rows.map { label, help in
    let lines = help.split(separator: "\n").joined(separator: "\n" + margin)
    let gap = label.count < column ? String(margin.dropFirst(label.count + 2)) : "\n" + margin
    return "  \(label)\(gap)\(lines)"
  }
  return texts.joined(separator: "\n")
}

/// The candidate closest to a mistyped word, or nil when none is similar.
package func closest(to word: String, among candidates: [String]) -> String? {
  let near = candidates.map { (name: $0, distance: editDistance(word, $0)) }
    .min { $0.distance < $1.distance }
  if let near, near.distance <= min(2, word.count - 1) { return near.name }
  return word.count < 2 ? nil : candidates.first { $0.hasPrefix(word) }
}

/// The fewest letters to add, drop, change or swap with their neighbour to turn one word into
/// the other.
private func editDistance(_ from: String, _ to: String) -> Int {
  let from = Array(from)
  let to = Array(to)
  var rows = [Array(0...to.count)]
  for (i, letter) in from.enumerated() {
    var row = [i + 1]
    for (j, other) in to.enumerated() {
      var best = min(rows[i][j] + (letter == other ? 0 : 1), rows[i][j + 1] + 1, row[j] + 1)
      if i > 0, j > 0, letter == to[j - 1], from[i - 1] == other {
        best = min(best, rows[i - 1][j - 1] + 1)
      }
      row.append(best)
    }
    rows.append(row)
  }
  return rows[from.count][to.count]
}
