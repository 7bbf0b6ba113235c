/// Checks tags of ICC profiles (ICC.1:2010, section 10) so that all that they declare lies inside
/// them.
enum TagCheck {
  /// An `XYZType` of at least one colour.
  static func isColor(_ tag: Span<UInt8>) -> Bool { tag.has("XYZ ", at: 0) && tag.count >= 20 }

  /// The most bytes of a curve, which has at most 32,767 entries.
  static let longestCurve = 12 + 2 * 0x7FFF

  /// The bytes of a `curveType` or `parametricCurveType`; nil when it is neither, or cut.
  static func curveLength(_ bytes: Span<UInt8>, at start: Int) -> Int? {
    let length: Int
    if bytes.has("curv", at: start) {
      guard let count = bytes.bigEndian32(at: start + 8), count <= 0x7FFF else { return nil }
      length = 12 + 2 * count
    } else if bytes.has("para", at: start) {
      guard let kind = bytes.bigEndian16(at: start + 8), kind <= 4 else { return nil }
      length = 12 + 4 * [1, 3, 4, 5, 7][kind]
    } else {
      return nil
    }
    return start <= bytes.count - length ? length : nil
  }

  /// A table of three connection colours for as many samples.
  static func isTable(_ tag: Span<UInt8>, inputs: Int) -> Bool {
    guard tag.count >= 32, tag[8] == UInt8(inputs), tag[9] == 3 else { return false }
    if tag.has("mft1", at: 0) { return isPlainTable(tag, inputs: inputs, bytes: 1) }
    if tag.has("mft2", at: 0) { return isPlainTable(tag, inputs: inputs, bytes: 2) }
    return tag.has("mAB ", at: 0) && isComposed(tag, inputs: inputs)
  }

  /// `lut8Type`, `lut16Type`.
  private static func isPlainTable(_ tag: Span<UInt8>, inputs: Int, bytes: Int) -> Bool {
    let nodes = Int(tag[10])
    guard nodes >= 2 else { return false }
    // At most 255^4 · 3 · 2 numbers.
    let colors = (0..<inputs).reduce(3) { product, _ in product * nodes }
    var (before, after) = (256, 256)
    var start = 48
    if bytes == 2 {
      guard let first = tag.bigEndian16(at: 48), let last = tag.bigEndian16(at: 50),
        (2...4096).contains(first), (2...4096).contains(last)
      else { return false }
      (before, after, start) = (first, last, 52)
    }
    return start + bytes * (before * inputs + colors + after * 3) <= tag.count
  }

  /// `lutAToBType`: curves, a grid, curves, a matrix, curves; only the last must be there.
  private static func isComposed(_ tag: Span<UInt8>, inputs: Int) -> Bool {
    let places = (0..<5).compactMap { tag.bigEndian32(at: 12 + 4 * $0) }
    guard places.count == 5, places.allSatisfy({ $0 == 0 || $0 >= 32 && $0 < tag.count }) else {
      return false
    }
    let (last, matrix, middle, grid, first) =
      (places[0], places[1], places[2], places[3], places[4])
    guard last > 0, areCurves(tag, at: last, count: 3) else { return false }
    guard matrix == 0 || matrix <= tag.count - 48 else { return false }
    guard middle == 0 || areCurves(tag, at: middle, count: 3) else { return false }
    guard first == 0 || areCurves(tag, at: first, count: inputs) else { return false }
    guard grid > 0 else { return inputs == 3 && first == 0 }
    return isGrid(tag, at: grid, inputs: inputs)
  }

  private static func areCurves(_ tag: Span<UInt8>, at start: Int, count: Int) -> Bool {
    var position = start
    for _ in 0..<count {
      guard let length = curveLength(tag, at: position) else { return false }
      position += (length + 3) & ~3
    }
    return true
  }

  private static func isGrid(_ tag: Span<UInt8>, at start: Int, inputs: Int) -> Bool {
    guard start <= tag.count - 20 else { return false }
    var colors = 3
    for index in 0..<inputs {
      let nodes = Int(tag[start + index])
      guard nodes >= 2 else { return false }
      colors *= nodes
    }
    let bytes = Int(tag[start + 16])
    guard bytes == 1 || bytes == 2 else { return false }
    return start + 20 + colors * bytes <= tag.count
  }
}
