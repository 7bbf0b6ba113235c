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
  /// Reads the file at a path; nil where files cannot be read.
  let open: (String, FilterFile) throws(FilterError) -> FilterFile.Content?

  func filter() throws(FilterError) -> (FilterDefinition, [FilterValue]) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let definition = try definition(parts[0])
    var found: [FilterValue?] = definition.parameters.map { _ in nil }
    for (index, word) in (parts.count > 1 ? try words(parts[1]) : []).enumerated() {
      let (key, value) = Self.pair(word)
      let position = try position(of: key, first: index == 0, in: definition, word)
      let parameter = definition.parameters[position]
      guard found[position] == nil else { throw wrong(word, "\(parameter.name) is given twice") }
      guard !value.isEmpty else { throw wrong(word, "the value of \(parameter.name) is missing") }
      guard let read = try read(value, parameter, definition) else {
        throw wrong(word, parameter.expectation)
      }
      found[position] = parameter.clamped(read)
    }
    var values: [FilterValue] = []
    for (parameter, value) in zip(definition.parameters, found) {
      guard let value = value ?? parameter.defaultValue else {
        throw wrong("", "\(parameter.name)= is missing")
      }
      values.append(value)
    }
    return (definition.canonical, values)
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
    guard let key else {
      if first { return 0 }
      throw wrong(
        word,
        "only the first value goes without its name: \(names.joined(separator: ", "))"
      )
    }
    if let position = names.firstIndex(where: { $0 == key }) { return position }
    throw wrong(word, "\(definition.name) has \(names.joined(separator: ", "))")
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
    do throws(FilterError) {
      switch try open(path, isCube ? .cube : .picture) {
      case .bytes(let bytes): return try LookupTable(cube: bytes)
      case .picture(let picture):
        guard definition !== FilterDefinition.lookup512 || picture.width == 512 else {
          throw .invalidTable(
            reason: "\(picture.width) pixels wide; lookup512 takes 512 × 512"
          )
        }
        return try LookupTable(image: picture)
      case nil: return nil
      }
    } catch {
      guard case .invalidTable(let reason) = error, !reason.contains(path) else { throw error }
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
