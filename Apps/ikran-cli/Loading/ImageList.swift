import IkranSystem

/// A list of URLs and paths, one per line; blank lines and lines that start with `#` are skipped.
enum ImageList {
  /// Reads the list at `path`, which may be a pipe; `-` is standard input.
  static func read(_ path: String) async throws -> [Input] {
    let bytes = try await Input(path: path).bytes(upTo: 64 << 20)
    return parse(String(path: bytes))
  }

  static func parse(_ text: String) -> [Input] {
    // Editors of other systems begin files with a byte order mark.
    var text = text[...]
    if text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
    return text.split(whereSeparator: \.isNewline).compactMap { line in
      var word = line.drop(while: \.isWhitespace)
      while word.last?.isWhitespace == true { word.removeLast() }
      return word.isEmpty || word.hasPrefix("#") ? nil : .named(String(word))
    }
  }
}

extension [Input] {
  /// The distinct inputs in order, and for each element the index of its input.
  func withoutRepetitions() -> (inputs: [Input], places: [Int]) {
    var indices: [Input: Int] = [:]
    var inputs: [Input] = []
    let places = map { input in
      if let index = indices[input] { return index }
      indices[input] = inputs.count
      inputs.append(input)
      return inputs.count - 1
    }
    return (inputs, places)
  }
}
