extension LookupTable {
  /// Reads the text of a `.cube` file (Adobe Cube LUT 1.0, or as DaVinci Resolve writes it) with a
  /// cube or with curves.
  ///
  /// - Throws: ``FilterError/invalidTable(reason:)`` with the number of the line that is wrong.
  public init(cube text: some Sequence<UInt8>) throws(FilterError) {
    var reader = CubeReader()
    var line: [UInt8] = []
    var last: UInt8 = 0
    for byte in text {
      defer { last = byte }
      guard byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") else {
        guard line.count < 256 else { throw reader.invalid("is too long") }
        line.append(byte)
        continue
      }
      // Both together end one line.
      if byte == UInt8(ascii: "\n"), last == UInt8(ascii: "\r") { continue }
      try reader.read(line)
      line = []
      reader.line += 1
    }
    try reader.read(line)
    self = try reader.table()
  }
}

/// Reads a `.cube` file line by line.
private struct CubeReader {
  var line = 1
  private var side = 0
  private var isCube = true
  private var low = [0.0, 0, 0]
  private var high = [1.0, 1, 1]
  private var colors: [Float] = []

  private var count: Int { isCube ? side * side * side : side }

  func invalid(_ reason: String) -> FilterError {
    .invalidTable(reason: "line \(line) \(reason)")
  }

  mutating func read(_ bytes: [UInt8]) throws(FilterError) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let bytes = line == 1 && bytes.starts(with: mark) ? bytes.dropFirst(3) : bytes[...]
    let words = String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\t" }
    guard let first = words.first, !first.hasPrefix("#") else { return }
    switch first {
    case "TITLE": return
    case "LUT_3D_SIZE": try setSide(words, isCube: true, limit: 129)
    case "LUT_1D_SIZE": try setSide(words, isCube: false, limit: 65_536)
    case "DOMAIN_MIN": low = try numbers(words.dropFirst(), 3)
    case "DOMAIN_MAX": high = try numbers(words.dropFirst(), 3)
    case "LUT_1D_INPUT_RANGE", "LUT_3D_INPUT_RANGE":
      let range = try numbers(words.dropFirst(), 2)
      low = Array(repeating: range[0], count: 3)
      high = Array(repeating: range[1], count: 3)
    default:
      guard side > 0 else { throw invalid("comes before LUT_3D_SIZE") }
      guard colors.count < count * 4 else { throw invalid("is more than the size says") }
      colors += try numbers(words[...], 3).map { Float(min(max($0, 0), 1)) } + [0]
    }
  }

  private mutating func setSide(
    _ words: [Substring],
    isCube: Bool,
    limit: Int
  ) throws(FilterError) {
    guard side == 0 else {
      throw invalid("is a second size; save the curves and the cube as two files")
    }
    guard words.count == 2, let size = Int(words[1]), (2...limit).contains(size) else {
      throw invalid("has no usable size; it is a number from 2 to \(limit)")
    }
    (side, self.isCube) = (size, isCube)
  }

  private func numbers(
    _ words: ArraySlice<Substring>,
    _ count: Int
  ) throws(FilterError) -> [Double] {
    // Colours are far below, and floats can tell such bounds apart.
    let numbers = words.compactMap { Double($0) }.filter { $0.magnitude <= 1e6 }
    guard words.count == count, numbers.count == count else {
      throw invalid("is not \(count == 2 ? "two" : "three") numbers of at most 1000000")
    }
    return numbers
  }

  func table() throws(FilterError) -> LookupTable {
    guard side > 0 else { throw .invalidTable(reason: "it has no LUT_3D_SIZE") }
    guard colors.count == count * 4 else {
      throw .invalidTable(reason: "it has \(colors.count / 4) of \(count) colours")
    }
    guard zip(low, high).allSatisfy({ $1 - $0 > 1e-6 }) else {
      throw .invalidTable(reason: "its domain's upper bound is not above the lower one")
    }
    if isCube { return LookupTable(side: side, colors: colors, domain: (low, high)) }
    let curves = (0..<3).map { channel in
      stride(from: channel, to: colors.count, by: 4).map { Double(colors[$0]) }
    }
    return LookupTable(
      curves: PointTable(red: curves[0], green: curves[1], blue: curves[2], domain: (low, high))
    )
  }
}
