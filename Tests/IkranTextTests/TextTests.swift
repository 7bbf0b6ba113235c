import IkranPixels
import IkranText
import Testing

@Suite(.timeLimit(.minutes(10))) struct TextTests {
  @Test func aTextIsDrawnInItsColourOnAClearGround() throws {
    let text = try Bitmap.text(
      "███",
      style: TextStyle(fontSize: 20, color: Color(red: 200, green: 100, blue: 50))
    )
    #expect(text.format == .bgra)
    #expect(text.pixel(text.width / 2, text.height / 2) == [50, 100, 200, 255])
    let letters = try Bitmap.text("Ikran", style: TextStyle(fontSize: 20))
    #expect(letters.pixels.contains(0) && letters.pixels.contains(255))
    for y in 0..<letters.height {
      for x in 0..<letters.width {
        // Black with alpha: premultiplied colours are zero, and smooth in grays.
        #expect(letters.pixel(x, y).prefix(3) == [0, 0, 0])
      }
    }
  }

  @Test func aMeasuredTextIsDrawnInThatSize() throws {
    for text in ["", " ", "i", "Hello", "two\nlines", "שלום", "a\tb", "\n\n"] {
      for fontSize in [1.0, 9.5, 16, 40] {
        let style = TextStyle(fontSize: fontSize)
        #expect(try Bitmap.text(text, style: style).size == style.size(of: text))
      }
    }
  }

  @Test func sizesGrowWithTheFontAndTheText() throws {
    let small = try TextStyle(fontSize: 10).size(of: "Hello, world")
    let large = try TextStyle(fontSize: 40).size(of: "Hello, world")
    #expect(abs(large.width - small.width * 4) <= 4 && abs(large.height - small.height * 4) <= 4)
    let short = try TextStyle(fontSize: 10).size(of: "Hello")
    #expect(short.width < small.width && short.height == small.height)
    let lines = try TextStyle(fontSize: 10).size(of: "Hello\nworld\n!")
    #expect(abs(lines.height - small.height * 3) <= 2)
  }

  @Test func heavierLettersHaveMoreInk() throws {
    func ink(_ weight: TextStyle.Weight) throws -> Int {
      try Bitmap.text("Hello", style: TextStyle(fontSize: 40, weight: weight)).pixels
        .reduce(0) { $0 + Int($1) }
    }
    #expect(try ink(.bold) > ink(.regular) * 11 / 10)
  }

  @Test func aLongLineEndsWithinTheMaximumWidth() throws {
    let long = String(repeating: "many words ", count: 40)
    for width in [20, 100, 333] {
      let style = TextStyle(fontSize: 14, maximumWidth: width)
      let size = try style.size(of: long)
      #expect(size.width <= width && size.width > width / 2)
      #expect(try size.height == TextStyle(fontSize: 14).size(of: "Hg").height)
    }
    let short = try TextStyle(fontSize: 14).size(of: "few")
    #expect(try TextStyle(fontSize: 14, maximumWidth: 400).size(of: "few") == short)
  }

  @Test func aLineIsBrokenUpToItsMaximumOfLines() throws {
    let long = String(repeating: "many words ", count: 40)
    let one = try TextStyle(fontSize: 14).size(of: "Hg").height
    for lines in [1, 2, 5] {
      let style = TextStyle(fontSize: 14, maximumWidth: 120, maximumLines: lines)
      let size = try style.size(of: long)
      #expect(size.width <= 120 && abs(size.height - one * lines) <= lines)
    }
    let words = try TextStyle(fontSize: 14, maximumWidth: 120, maximumLines: 5).size(of: "few")
    #expect(words.height == one)
  }

  @Test(arguments: [-5, 0, 1, Int.min, Int.max])
  func everyMaximumIsTaken(maximum: Int) throws {
    let style = TextStyle(fontSize: 14, maximumWidth: maximum, maximumLines: maximum)
    #expect(try style.size(of: "a b").width <= 40)
  }

  @Test func linesAreAlignedByTheTextsDirection() throws {
    /// The column at which a picture's second line begins.
    func start(_ text: String, _ alignment: TextStyle.Alignment) throws -> (Int, Int) {
      let drawn = try Bitmap.text(text, style: TextStyle(fontSize: 20, alignment: alignment))
      let line = try drawn.cropped(columns: 0..<drawn.width, rows: drawn.height / 2..<drawn.height)
      let columns = try #require(line.touched?.columns)
      return (columns.lowerBound, drawn.width - columns.upperBound)
    }
    let latin = "a long first line\nHH"
    #expect(try start(latin, .leading).0 < 8 && start(latin, .trailing).1 < 8)
    let middle = try start(latin, .center)
    #expect(abs(middle.0 - middle.1) <= 3 && middle.0 > 20)
    let hebrew = "שורה ראשונה ארוכה\nםם"
    #expect(try start(hebrew, .leading).1 < 8 && start(hebrew, .trailing).0 < 8)
  }

  @Test(arguments: PixelFormat.allCases)
  func aCanvasShowsTheTextOverWhatIsThere(format: PixelFormat) throws {
    let style = TextStyle(fontSize: 18, color: Color(red: 250, green: 20, blue: 20, alpha: 200))
    let text = try Bitmap.text("Ikran", style: style)
    var drawn = try Canvas(size: PixelSize(60, 30), format: format)
    var expected = try Canvas(size: PixelSize(60, 30), format: format)
    for shape in [RoundedShape(x: 3, y: 3, width: 30, height: 20, radius: 5)] {
      drawn.fill(shape, with: .white)
      expected.fill(shape, with: .white)
    }
    try drawn.draw("Ikran", x: 7, y: -2, style: style)
    expected.draw(text, x: 7, y: -2)
    let (one, other) = (drawn.finish(), expected.finish())
    #expect(one.pixels == other.pixels)
  }

  @Test(arguments: [Double.nan, 0, -3, 0.5, 2049, Double.infinity])
  func aFontSizeThatCannotBeUsedThrows(fontSize: Double) {
    #expect(throws: TextError.invalidFontSize) {
      try Bitmap.text("a", style: TextStyle(fontSize: fontSize))
    }
  }

  @Test func aTextThatIsTooLargeThrows() {
    let style = TextStyle(fontSize: 100)
    let long = String(repeating: "W", count: 2000)
    #expect(throws: TextError.self) { try Bitmap.text(long, style: style) }
    let lines = String(repeating: "\n", count: 2000)
    #expect(throws: TextError.self) { try Bitmap.text(lines, style: style) }
  }

  @Test func eachErrorSaysWhatToDo() {
    let errors: [TextError] = [
      .invalidFontSize, .invalidSize(PixelSize(99999, 1)), .drawingFailed(reason: "x"),
      .bitmap(.invalidAngle), .noFonts,
    ]
    for error in errors { #expect(error.description.count > 20) }
  }
}
