/// An article of the documentation, and the code that it shows.
package struct Article: Sendable, CustomStringConvertible {
  /// The file's name without `.md`.
  package let name: String

  package init(_ name: String) { self.name = name }

  package var description: String { name }

  /// The lines of its Swift snippets without indentation, blank ones left out.
  package func lines() throws -> [String] {
    var lines: [String] = []
    var isCode = false
    for line in try text("Sources/Library/Ikran/Ikran.docc/\(name).md") {
      if line.hasPrefix("```") { isCode = line == "```swift" } else if isCode { lines.append(line) }
    }
    return lines
  }

  /// The lines of the snippets that a test does not contain, so that nothing compiles them.
  ///
  /// - Parameters:
  ///   - test: The test's file below Tests, without `.swift`.
  ///   - programs: The names of whole programs in the article, below Examples.
  /// - Returns: The lines.
  /// - Throws: When a file cannot be read.
  package func lines(missingIn test: String, programs: [String] = []) throws -> [String] {
    let files = ["Tests/\(test).swift"] + programs.map { "Examples/\($0)/\($0).swift" }
    let compiled = Set(try files.flatMap { try text($0) })
    return try lines().filter { !compiled.contains($0) && !compiled.contains("private " + $0) }
  }

  /// The rows of its first table that begin with code: the cells by the heads of their columns,
  /// without blanks and backquotes.
  package func rows() throws -> [[String: String]] {
    let lines = try text("Sources/Library/Ikran/Ikran.docc/\(name).md").drop { !$0.hasPrefix("|") }
    let rows = lines.prefix { $0.hasPrefix("|") }.map { line in
      line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
        .map { $0.filter { $0 != "`" && $0 != " " } }
    }
    guard let head = rows.first else { return [] }
    return rows.dropFirst(2).map { row in
      Dictionary(zip(head, row)) { first, _ in first }
    }
  }

  private func text(_ path: String) throws -> [String] {
    let bytes = try contents(ofFile: "\(Fixtures.folder)/../../\(path)")
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
      .map { String($0.drop { $0 == " " }) }
      .filter { !$0.isEmpty }
  }
}
