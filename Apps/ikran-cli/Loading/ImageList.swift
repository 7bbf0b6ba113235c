import IkranSystem

/// A list of URLs and paths, one per line; blank lines and lines that start with `#` are skipped.
enum ImageList {
  /// Reads the list at `path`, which may be a pipe; `-` is standard input.
  static func read(_ path: String) async throws -> [Input] {
    let limit = 64 << 20
    let bytes: [UInt8]
    if path == "-" {
      bytes = try await ByteStream.standardInput.bytes(upTo: limit)
    } else if ByteStream.isPipe(path) {
      bytes = try await ByteStream.pipe(path).bytes(upTo: limit)
    } else {
      do throws(SystemError) {
        bytes = try Files.read(path, maximumBytes: limit)
      } catch {
        throw Failure(error)
      }
    }
    return parse(String(decoding: bytes, as: UTF8.self))
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
