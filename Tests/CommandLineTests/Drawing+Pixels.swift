extension Drawing {
  /// Pixels by kitty's graphics protocol; those are clear whose alpha is below a half.
  init(kitty text: String) throws {
    var keys: [Substring: Int] = [:]
    var bytes: [UInt8] = []
    for command in text.split(separator: "\u{1B}_G", omittingEmptySubsequences: false).dropFirst() {
      let parts = command.prefix { $0 != "\u{1B}" }.split(separator: ";", maxSplits: 1)
      for pair in parts.first?.split(separator: ",") ?? [] {
        let sides = pair.split(separator: "=", maxSplits: 1)
        // Letters are of no interest.
        if sides.count == 2, let number = Int(sides[1]) { keys[sides[0]] = number }
      }
      if parts.count == 2 { bytes += Self.bytes(base64: parts[1]) }
    }
    guard keys["f"] == 32, let width = keys["s"], let height = keys["v"],
      bytes.count == width * height * 4
    else { throw Unreadable(text: text) }
    let colors = stride(from: 0, to: bytes.count, by: 4).map { start -> [Color] in
      let channels = bytes[start..<start + 3].map { Int($0) }
      return bytes[start + 3] < 128 ? [] : [Color(channels)]
    }
    self.init(width: width, height: height, colors: colors)
  }

  /// Sixels: those are clear that no colour draws.
  init(sixels text: String) throws {
    let picture = text.utf8.drop { $0 != UInt8(ascii: "q") }.dropFirst().prefix { $0 != 0x1B }
    var reader = SixelReader(Array(picture))
    reader.read()
    guard reader.width > 0, reader.height > 0 else { throw Unreadable(text: text) }
    self.init(width: reader.width, height: reader.height, colors: reader.colors)
  }

  /// What Base64 stands for.
  ///
  /// libchafa 1.12 encodes the last of two bytes that remain with its low half in the wrong place,
  /// which others would refuse.
  private static func bytes(base64 text: Substring) -> [UInt8] {
    var bytes: [UInt8] = []
    var (bits, count) = (0, 0)
    for byte in text.utf8 {
      let digit: Int
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit = Int(byte) - 65
      case UInt8(ascii: "a")...UInt8(ascii: "z"): digit = Int(byte) - 71
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = Int(byte) + 4
      case UInt8(ascii: "+"): digit = 62
      case UInt8(ascii: "/"): digit = 63
      default: continue
      }
      bits = (bits << 6 | digit) & 0xFFFF
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(bits >> count & 0xFF))
    }
    return bytes
  }
}

/// Reads sixels, of which each is a column of six pixels in the colour that was chosen last.
private struct SixelReader {
  private(set) var width = 0
  private(set) var height = 0
  private(set) var colors: [[Drawing.Color]] = []

  private var rest: ArraySlice<UInt8>
  private var palette: [Int: Drawing.Color] = [:]
  private var color = Drawing.Color()
  private var x = 0
  private var y = 0

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  mutating func read() {
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""): measure(numbers())
      case UInt8(ascii: "#"): choose(numbers())
      case UInt8(ascii: "!"):
        let count = numbers().first ?? 0
        if let sixel = rest.popFirst() { draw(sixel, times: count) }
      case UInt8(ascii: "$"): x = 0
      case UInt8(ascii: "-"): (x, y) = (0, y + 6)
      default: draw(byte, times: 1)
      }
    }
  }

  /// The numbers that come next, with semicolons between them.
  private mutating func numbers() -> [Int] {
    let text = rest.prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ";") }
    rest = rest.dropFirst(text.count)
    return String(decoding: text, as: UTF8.self).split(separator: ";").compactMap { Int($0) }
  }

  /// Takes the aspect of a pixel, and the size.
  private mutating func measure(_ numbers: [Int]) {
    guard numbers.count == 4 else { return }
    (width, height) = (numbers[2], numbers[3])
    colors = Array(repeating: [], count: width * height)
  }

  /// Takes the number of a colour, and what it is from now on: 2 and its channels in hundredths.
  private mutating func choose(_ numbers: [Int]) {
    guard let number = numbers.first else { return }
    if numbers.count == 5, numbers[1] == 2 {
      palette[number] = Drawing.Color(numbers[2...].map { ($0 * 255 + 50) / 100 })
    }
    color = palette[number] ?? Drawing.Color()
  }

  private mutating func draw(_ sixel: UInt8, times count: Int) {
    guard (0x3F...0x7E).contains(sixel) else { return }
    for column in x..<x + count where column < width {
      for row in 0..<6 where (sixel - 0x3F) >> row & 1 == 1 && y + row < height {
        colors[(y + row) * width + column] = [color]
      }
    }
    x += count
  }
}
