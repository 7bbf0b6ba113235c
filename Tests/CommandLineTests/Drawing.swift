/// The colours that a terminal shows of what `ikran show` writes.
struct Drawing {
  /// Red, green and blue, 0…255.
  typealias Color = SIMD3<Int>

  /// Text that draws nothing.
  struct Unreadable: Error { let text: String }

  let width: Int
  let height: Int
  /// Of each cell or pixel, the top row first: none where it is clear, two where a character is
  /// seen on its background.
  let colors: [[Color]]

  subscript(x: Int, y: Int) -> [Color] { colors[y * width + x] }
}

extension Drawing {
  /// Lines of characters.
  init(cells text: String) throws {
    var pen = Pen()
    var rows: [[[Color]]] = []
    for line in text.split(whereSeparator: { $0.isNewline }) {
      var row: [[Color]] = []
      var rest = line.unicodeScalars
      while let scalar = rest.popFirst() {
        if scalar == "\u{1B}" { pen.obey(&rest) } else { row.append(pen.colors(of: scalar)) }
      }
      if !row.isEmpty { rows.append(row) }
    }
    guard let first = rows.first, rows.allSatisfy({ $0.count == first.count }) else {
      throw Unreadable(text: text)
    }
    self.init(width: first.count, height: rows.count, colors: Array(rows.joined()))
  }

  /// A number of the 256 colours that xterm has.
  fileprivate static func indexed(_ number: Int) -> Color {
    switch number {
    case ..<16:
      // The bright ones are 8…15.
      Color(number & 1, number >> 1 & 1, number >> 2 & 1) &* (number < 8 ? 128 : 255)
    case ..<232: Color(step(number - 16, 36), step(number - 16, 6), step(number - 16, 1))
    default: Color(repeating: 8 + (number - 232) * 10)
    }
  }

  /// A channel of a colour in the cube of 6 × 6 × 6.
  private static func step(_ place: Int, _ weight: Int) -> Int {
    let step = place / weight % 6
    return step == 0 ? 0 : 55 + step * 40
  }
}

/// How a terminal draws characters, which escape sequences change.
private struct Pen {
  /// Nil is the terminal's own.
  private var ink: Drawing.Color?
  private var paper: Drawing.Color?
  private var isReversed = false

  /// The colours that are seen of a character, but for the terminal's own.
  func colors(of scalar: Unicode.Scalar) -> [Drawing.Color] {
    let (front, back) = isReversed ? (paper, ink) : (ink, paper)
    let seen: [Drawing.Color?] =
      switch scalar {
      case " ": [back]
      case "█": [front]
      default: [front, back]
      }
    return seen.compactMap { $0 }
  }

  /// Takes the rest of an escape sequence, and does what it says of colours.
  mutating func obey(_ rest: inout Substring.UnicodeScalarView) {
    guard rest.popFirst() == "[" else { return }
    var (codes, code) = ([Int](), 0)
    while let scalar = rest.popFirst() {
      switch scalar.value {
      case 0x30...0x39: code = code * 10 + Int(scalar.value & 15)
      case 0x3B:
        codes.append(code)
        code = 0
      case 0x6D: return apply(codes[...] + [code])
      case 0x40...0x7E: return
      default: break
      }
    }
  }

  private mutating func apply(_ codes: ArraySlice<Int>) {
    var codes = codes
    while let code = codes.popFirst() {
      switch code {
      case 0: self = Pen()
      case 7: isReversed = true
      case 27: isReversed = false
      case 30...37: ink = Drawing.indexed(code - 30)
      case 38: ink = Self.color(&codes)
      case 39: ink = nil
      case 40...47: paper = Drawing.indexed(code - 40)
      case 48: paper = Self.color(&codes)
      case 49: paper = nil
      case 90...97: ink = Drawing.indexed(code - 82)
      case 100...107: paper = Drawing.indexed(code - 92)
      default: break
      }
    }
  }

  /// The colour that follows 38 or 48.
  private static func color(_ codes: inout ArraySlice<Int>) -> Drawing.Color? {
    switch codes.popFirst() {
    case 2:
      let channels = Array(codes.prefix(3))
      codes = codes.dropFirst(3)
      return channels.count == 3 ? Drawing.Color(channels[0], channels[1], channels[2]) : nil
    case 5: return codes.popFirst().map(Drawing.indexed)
    default: return nil
    }
  }
}
