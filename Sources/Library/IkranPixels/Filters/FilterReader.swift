/// What a filter reads from a file.
package enum FilterFile: Sendable {
  case picture, cube

  /// What was read.
  package enum Content: Sendable {
    case picture(Bitmap)
    case bytes([UInt8])
  }
}

/// Reads the text of a filter; the grammar is that of ``Filter/init(parsing:)``.
struct FilterReader {
  let text: String
  /// Reads the file at a path, and names it in its errors; nil where files cannot be read.
  let open: (String, FilterFile) throws(FilterError) -> FilterFile.Content?

  func filter() throws(FilterError) -> (FilterDefinition, [FilterValue]) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let definition = try definition(parts[0])
    let written = try assignments(parts.count > 1 ? try words(parts[1]) : [], in: definition)
    var values: [FilterValue] = []
    for (parameter, pair) in zip(definition.parameters, written) {
      guard let pair else {
        guard let value = parameter.defaultValue else {
          throw wrong("", "\(parameter.name)= is missing")
        }
        values.append(value)
        continue
      }
      guard let value = try read(pair.value, parameter, definition) else {
        throw wrong(pair.word, parameter.expectation)
      }
      values.append(parameter.clamped(value))
    }
    return (definition.canonical, values)
  }

  /// What is written for each parameter: the whole word and its value; no file is opened before all
  /// are known.
  private func assignments(
    _ words: [Substring],
    in definition: FilterDefinition
  ) throws(FilterError) -> [(word: Substring, value: Substring)?] {
    var found: [(word: Substring, value: Substring)?] = definition.parameters.map { _ in nil }
    for (index, word) in words.enumerated() {
      let (key, value) = Self.pair(word)
      let position = try position(of: key, first: index == 0, in: definition, word)
      let name = definition.parameters[position].name
      guard found[position] == nil else { throw wrong(word, "\(name) is given twice") }
      guard !value.isEmpty else { throw wrong(word, "the value of \(name) is missing") }
      found[position] = (word, value)
    }
    return found
  }

  private func wrong(_ part: some StringProtocol, _ reason: String) -> FilterError {
    .invalidText(text, part: String(part), reason: reason)
  }

  private func definition(_ name: Substring) throws(FilterError) -> FilterDefinition {
    let words = name.split(separator: "@", omittingEmptySubsequences: false)
    guard let definition = FilterCatalogue.named(words[0]) else {
      throw wrong(name, name.isEmpty ? "a name is missing" : "no filter has this name")
    }
    guard words.count == 1 || words.count == 2 && words[1] == "\(definition.version)" else {
      throw wrong(name, "it has version \(definition.version)")
    }
    return definition
  }

  /// The parts between commas that are not in quotes.
  private func words(_ text: Substring) throws(FilterError) -> [Substring] {
    var words: [Substring] = []
    var start = text.startIndex
    var isQuoted = false
    for index in text.indices {
      switch text[index] {
      case "\"": isQuoted.toggle()
      case "," where !isQuoted:
        words.append(text[start..<index])
        start = text.index(after: index)
      default: break
      }
    }
    guard !isQuoted else { throw wrong(text[start...], "a quotation mark is not closed") }
    return words + [text[start...]]
  }

  /// A key, if there is one, and a value without its quotes.
  private static func pair(_ word: Substring) -> (key: Substring?, value: Substring) {
    let mark = word.prefix { $0 != "\"" }.firstIndex(of: "=")
    let value = mark.map { word[word.index(after: $0)...] } ?? word
    let isQuoted = value.count > 1 && value.first == "\"" && value.last == "\""
    return (mark.map { word[..<$0] }, isQuoted ? value.dropFirst().dropLast() : value)
  }

  private func position(
    of key: Substring?,
    first: Bool,
    in definition: FilterDefinition,
    _ word: Substring
  ) throws(FilterError) -> Int {
    let names = definition.parameters.map(\.name)
    guard !names.isEmpty else { throw wrong(word, "\(definition.name) has no parameters") }
    if key == nil, first { return 0 }
    if let key, let position = names.firstIndex(where: { $0 == key }) { return position }
    let list = names.joined(separator: ", ")
    let reason =
      key == nil
      ? "only the first value goes without its name: \(list)" : "\(definition.name) has \(list)"
    let hint = "; a path with commas or equals signs is in double quotes"
    throw wrong(word, reason + (definition.readsFile ? hint : ""))
  }

  /// Reads a value; nil when it is none.
  private func read(
    _ text: Substring,
    _ parameter: FilterParameter,
    _ definition: FilterDefinition
  ) throws(FilterError) -> FilterValue? {
    switch parameter.kind {
    case .number: return Self.decimal(text).map { .number($0) }
    case .color: return Color(hexadecimal: text).map { .color($0) }
    case .word(let words):
      return words.first { $0.lowercased() == text.lowercased() }.map { .word($0) }
    case .list(_, let count): return Self.list(text) { $0 == count }
    case .points:
      let limit = 2 * FilterParameter.pointLimit
      return Self.list(text) { $0 % 2 == 0 && (4...limit).contains($0) }
    case .image:
      guard case .picture(let picture) = try open(String(text), .picture) else { return nil }
      return .image(FilterImage(picture))
    case .table: return try table(String(text), definition).map { .table($0) }
    }
  }

  private func table(
    _ path: String,
    _ definition: FilterDefinition
  ) throws(FilterError) -> LookupTable? {
    let isCube = definition === FilterDefinition.cube
    if !isCube, path.lowercased().hasSuffix(".cube") {
      throw .invalidTable(reason: "“\(path)”: use the filter “cube” for .cube files")
    }
    guard let content = try open(path, isCube ? .cube : .picture) else { return nil }
    do throws(FilterError) {
      switch content {
      case .bytes(let bytes): return try LookupTable(cube: bytes)
      case .picture(let picture):
        guard definition !== FilterDefinition.lookup512 || picture.width == 512 else {
          throw .invalidTable(
            reason: "\(picture.width) pixels wide; lookup512 takes 512 × 512"
          )
        }
        return try LookupTable(image: picture)
      }
    } catch {
      guard case .invalidTable(let reason) = error else { throw error }
      throw .invalidTable(reason: "“\(path)”: \(reason)")
    }
  }

  private static func list(_ text: Substring, holds: (Int) -> Bool) -> FilterValue? {
    let words = text.split(separator: "/", omittingEmptySubsequences: false)
    guard holds(words.count) else { return nil }
    let numbers = words.compactMap { decimal($0) }
    return numbers.count == words.count ? .list(numbers) : nil
  }

  /// A plain decimal with an optional sign, without an exponent.
  private static func decimal(_ text: Substring) -> Double? {
    let digits = text.first == "-" ? text.dropFirst() : text
    let isPlain = digits.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 || $0 == 0x2E }
    return isPlain && text.utf8.count <= 32 ? Double(text) : nil
  }
}

extension FilterDefinition {
  fileprivate var readsFile: Bool {
    parameters.contains {
      switch $0.kind {
      case .image, .table: true
      default: false
      }
    }
  }
}

extension FilterParameter {
  /// What a text of it looks like.
  fileprivate var expectation: String {
    switch kind {
    case .number(let range):
      "\(name) is a number from \(FilterNumber(range.lowerBound)) to \(FilterNumber(range.upperBound))"
    case .color: "\(name) is a colour such as #3060C0 or #3060C080"
    case .word(let words): "\(name) is one of \(words.joined(separator: ", "))"
    case .list(_, let count): "\(name) are \(count) numbers with / between them"
    case .points: "\(name) is two or more points x/y/x/y…, each number from 0 to 1"
    case .image, .table: "\(name) is the path of a file, which cannot be opened here"
    }
  }
}
