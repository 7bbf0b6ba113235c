#if SVG
/// How often the lines of a path may cross each other: what filling it takes grows with that.
struct SVGPathLoad {
  /// How far its lines go across, and how far down.
  private var (across, down) = (0.0, 0.0)
  private var (left, right, top, bottom) = (0.0, 0.0, 0.0, 0.0)
  private var (x, y) = (0.0, 0.0)
  private var start = (x: 0.0, y: 0.0)
  private var (hasPoint, hasLine) = (false, false)
  /// How often a marker may be drawn on it.
  private(set) var corners = 0

  /// Nanoseconds for a crossing, of a fill and of its stroke; measured with librsvg 2.54.
  private static let crossingTime = 250.0

  /// Reads the data of a path.
  init(path text: [UInt8]) {
    var reader = SVGNumberReader(text)
    var command = UInt8(0)
    while true {
      let offset = reader.offset
      guard let next = reader.command(after: command) else { return }
      command = next
      read(command, &reader)
      // What begins like a number and is none ends the path.
      guard reader.offset > offset else { return }
    }
  }

  /// Reads the points of a polygon.
  init(points text: [UInt8]) {
    var reader = SVGNumberReader(text)
    while let x = reader.number(), let y = reader.number() {
      move(to: (x, y))
      corners += 1
    }
  }

  /// Nanoseconds that drawing takes for crossings at any size.
  var time: Int {
    guard across.isFinite, down.isFinite, (right - left).isFinite, (bottom - top).isFinite else {
      return 1_000_000_000_000_000
    }
    guard right > left, bottom > top else { return 0 }
    // Lines that cross each other share rows and columns.
    let lines = min(across / (right - left), down / (bottom - top))
    return Int(min(lines * lines * Self.crossingTime, 1e15))
  }

  private mutating func read(_ command: UInt8, _ reader: inout SVGNumberReader) {
    let isRelative = command & 0x20 != 0
    let origin = isRelative ? (x: x, y: y) : (x: 0, y: 0)
    switch command | 0x20 {
    case 0x7A: move(to: start)
    case 0x68: if let value = reader.number() { move(to: (origin.x + value, y)) }
    case 0x76: if let value = reader.number() { move(to: (x, origin.y + value)) }
    case 0x61:
      let (width, height) = (reader.number(), reader.number())
      _ = reader.number()
      reader.skipFlags()
      across += 4 * abs(width ?? 0)
      down += 4 * abs(height ?? 0)
      moveTo(origin, &reader)
    case 0x6D:
      guard let left = reader.number(), let top = reader.number() else { break }
      (x, y) = (origin.x + left, origin.y + top)
      (start, hasPoint) = ((x, y), true)
    case 0x63: for _ in 0..<3 { moveTo(origin, &reader) }
    case 0x73, 0x71: for _ in 0..<2 { moveTo(origin, &reader) }
    default: moveTo(origin, &reader)
    }
    corners += 1
  }

  private mutating func moveTo(
    _ origin: (x: Double, y: Double),
    _ reader: inout SVGNumberReader
  ) {
    guard let x = reader.number(), let y = reader.number() else { return }
    move(to: (origin.x + x, origin.y + y))
  }

  private mutating func move(to point: (x: Double, y: Double)) {
    guard hasPoint else {
      (x, y, hasPoint, start) = (point.x, point.y, true, point)
      return
    }
    // Points that no line leads to are not drawn.
    if !hasLine { (left, right, top, bottom, hasLine) = (x, x, y, y, true) }
    across += abs(point.x - x)
    down += abs(point.y - y)
    (left, right) = (min(left, x, point.x), max(right, x, point.x))
    (top, bottom) = (min(top, y, point.y), max(bottom, y, point.y))
    (x, y) = point
  }
}

/// Reads numbers and letters of an attribute, as far as they make sense.
struct SVGNumberReader {
  private let text: [UInt8]
  private(set) var offset = 0

  init(_ text: [UInt8]) { self.text = text }

  /// The next letter, or that before it where numbers follow; nil at the end, and for other text.
  mutating func command(after last: UInt8) -> UInt8? {
    skipBlanks()
    guard offset < text.count else { return nil }
    let byte = text[offset]
    if (0x61...0x7A).contains(byte | 0x20) {
      offset += 1
      return byte
    }
    guard beginsNumber(byte), last != 0, last | 0x20 != 0x7A else { return nil }
    // Lines follow a first point.
    return last == 0x4D ? 0x4C : last == 0x6D ? 0x6C : last
  }

  /// The next number; nil where there is none.
  mutating func number() -> Double? {
    skipBlanks()
    let begin = offset
    if offset < text.count, text[offset] == 0x2B || text[offset] == 0x2D { offset += 1 }
    var (value, digits) = readDigits()
    if offset < text.count, text[offset] == 0x2E {
      offset += 1
      let (fraction, count) = readDigits()
      value += fraction / power(of: count)
      digits += count
    }
    guard digits > 0 else {
      offset = begin
      return nil
    }
    value = readExponent(value)
    return text[begin] == 0x2D ? -value : value
  }

  /// The two flags of an arc, which need no blanks between them.
  mutating func skipFlags() {
    for _ in 0..<2 {
      skipBlanks()
      if offset < text.count, text[offset] == 0x30 || text[offset] == 0x31 { offset += 1 }
    }
  }

  private mutating func readExponent(_ value: Double) -> Double {
    guard offset < text.count, text[offset] | 0x20 == 0x65 else { return value }
    let before = offset
    offset += 1
    let isNegative = offset < text.count && text[offset] == 0x2D
    if isNegative || offset < text.count && text[offset] == 0x2B { offset += 1 }
    let (exponent, count) = readDigits()
    guard count > 0 else {
      offset = before
      return value
    }
    let factor = power(of: Int(min(exponent, 300)))
    return isNegative ? value / factor : value * factor
  }

  private mutating func readDigits() -> (value: Double, count: Int) {
    var (value, count) = (0.0, 0)
    while offset < text.count, (0x30...0x39).contains(text[offset]) {
      value = value * 10 + Double(text[offset] - 0x30)
      (offset, count) = (offset + 1, count + 1)
    }
    return (value, count)
  }

  private func power(of count: Int) -> Double {
    (0..<min(count, 300)).reduce(1.0) { result, _ in result * 10 }
  }

  private func beginsNumber(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || byte == 0x2B || byte == 0x2D || byte == 0x2E
  }

  private mutating func skipBlanks() {
    while offset < text.count, text[offset] <= 0x20 || text[offset] == 0x2C { offset += 1 }
  }
}
#endif
