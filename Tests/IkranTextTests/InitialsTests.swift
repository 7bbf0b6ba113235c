import IkranPixels
import IkranText
import Testing

@Suite(.timeLimit(.minutes(10))) struct InitialsTests {
  private static let names = [
    ("Ada Lovelace", "AL"), ("ada king lovelace", "AL"), ("Ada", "A"), ("AB", "AB"), ("ab", "AB"),
    ("李", "李"), ("李小龍", "李"), ("Жанна", "Ж"), ("жанна агузарова", "ЖА"), ("  Ada\t\nL. ", "AL"),
    ("(Ada) “Lovelace”", "AL"), ("Ada (1815)", "A1"), ("ßeta", "ß"), ("🦊", "🦊"), ("🦊 Fox", "🦊F"),
    ("👨‍👩‍👧‍👦 Smith", "👨‍👩‍👧‍👦S"), ("🇩🇪🇫🇷", "🇩🇪🇫🇷"), ("e\u{301}mile zola", "E\u{301}Z"), ("", ""),
    (" \n ", ""), ("?!", "?"), ("-", "-"), ("ა ბ", "აბ"), ("Al", "AL"), ("O’Neil", "O"),
    ("42", "42"),
    ("김 연아", "김연"), ("a\u{200B}", "A"),
  ]

  @Test(arguments: names)
  func initialsAreTheFirstLettersOfTheFirstAndTheLastWord(name: String, letters: String) {
    #expect(Bitmap.initials(of: name) == letters)
  }

  @Test(arguments: [
    ("\u{e9}mile zola", "e\u{301}mile zola"), ("Å", "\u{212b}"),
    ("김 연아", "\u{1100}\u{1175}\u{11b7} 연아"),
  ])
  func namesThatLookAlikeHaveOneColour(one: String, other: String) throws {
    let size = PixelSize(3, 3)
    let faces = try [one, other].map { try Bitmap.initials($0, size: size, foreground: .white) }
    #expect(faces[0].pixels.prefix(4) == faces[1].pixels.prefix(4))
  }

  @Test(arguments: ["Ada Lovelace", "I", "W M", "Å", "q p", "Ж", "Ω", "g"], [16, 48, 256])
  func theLettersAreInTheMiddle(name: String, side: Int) throws {
    let face = try Bitmap.initials(
      name,
      size: PixelSize(side, side),
      background: .black,
      foreground: .white
    )
    let (columns, rows) = try #require(face.touched)
    let (left, right) = (columns.lowerBound, side - columns.upperBound)
    let (top, bottom) = (rows.lowerBound, side - rows.upperBound)
    #expect(abs(left - right) <= 2 && abs(top - bottom) <= 2)
    #expect(columns.count <= side * 3 / 4 && rows.count <= side * 3 / 4)
    #expect(rows.count >= side / 4)
  }

  @Test(arguments: [PixelSize(100, 20), PixelSize(20, 100), PixelSize(1, 1), PixelSize(1, 300)])
  func everyShapeHoldsItsLetters(size: PixelSize) throws {
    let face = try Bitmap.initials("W M", size: size, background: .black, foreground: .white)
    #expect(face.size == size)
    if let touched = face.touched {
      #expect(touched.columns.count <= size.width * 3 / 4 + 1)
      #expect(touched.rows.count <= size.height * 3 / 4 + 1)
    }
  }

  @Test func theColourDependsOnTheNameAlone() throws {
    // Written down: it must be the same on every machine and in every version.
    let colors = try ["Ada Lovelace", "AB", "李小龍", "Жанна"].map { name in
      try #require(Bitmap.initials(name, size: PixelSize(8, 8)).color(x: 0, y: 0))
    }
    let known = [0x916004, 0x067F5A, 0x03769F, 0x916004]
    #expect(colors.map { Int($0.red) << 16 | Int($0.green) << 8 | Int($0.blue) } == known)
  }

  @Test func colorsAreManyAndAllCanBeReadOn() throws {
    var counts: [Color: Int] = [:]
    for index in 0..<1600 {
      let face = try Bitmap.initials("Name \(index)", size: PixelSize(2, 2), foreground: .clear)
      counts[try #require(face.color(x: 0, y: 0)), default: 0] += 1
    }
    #expect(counts.count == 16)
    #expect(counts.values.allSatisfy { (40...180).contains($0) })
    for color in counts.keys { #expect(contrast(color, .white) >= 4.5) }
  }

  @Test(arguments: [
    (Color.white, Color.black), (.black, .white), (Color(red: 255, green: 220, blue: 80), .black),
    (Color(red: 20, green: 60, blue: 160), .white),
  ])
  func lettersAreWhiteOrBlack(background: Color, letters: Color) throws {
    // A letter that is broad in the middle.
    let face = try Bitmap.initials("■", size: PixelSize(96, 96), background: background)
    #expect(face.color(x: 48, y: 48) == letters)
    #expect(face.color(x: 1, y: 1) == background)
  }

  @Test func onlyAClearGroundNeedsAlpha() throws {
    let size = PixelSize(20, 20)
    #expect(try Bitmap.initials("A", size: size).format == .bgrx)
    let glass = Color(red: 255, green: 255, blue: 255, alpha: 100)
    let face = try Bitmap.initials("A", size: size, background: glass)
    #expect(face.format == .bgra && face.color(x: 0, y: 0) == glass)
  }

  @Test func anEmptyNameHasOnlyItsGround() throws {
    let face = try Bitmap.initials("", size: PixelSize(20, 20))
    #expect(face.touched == nil)
  }

  @Test(arguments: [PixelSize(0, 4), PixelSize(4, -1), PixelSize(16385, 1), PixelSize(.max, .max)])
  func anImpossibleSizeThrows(size: PixelSize) {
    #expect(throws: TextError.invalidSize(size)) { try Bitmap.initials("A", size: size) }
  }

  /// As WCAG 2.2 defines it.
  private func contrast(_ one: Color, _ other: Color) -> Double {
    func light(_ color: Color) -> Double {
      func linear(_ byte: UInt8) -> Double {
        let part = Double(byte) / 255
        return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055)
      }
      return 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue)
    }
    let (a, b) = (light(one) + 0.05, light(other) + 0.05)
    return max(a, b) / min(a, b)
  }

  /// The 2.4th power, by bisection of its inverse: y⁵ = x¹².
  private func pow(_ base: Double) -> Double {
    let twelfth = (0..<12).reduce(1.0) { product, _ in product * base }
    var (low, high) = (0.0, 1.0)
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if (0..<5).reduce(1.0, { product, _ in product * middle }) < twelfth {
        low = middle
      } else {
        high = middle
      }
    }
    return low
  }
}

extension Color {
  fileprivate static let clear = Color(red: 0, green: 0, blue: 0, alpha: 0)
}
