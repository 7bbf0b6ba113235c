import IkranPixels
import Testing

@Suite struct StyleTextTests {
  private static let clear = Color(red: 1, green: 171, blue: 255, alpha: 0)
  private static let golden: [(Style, String)] = [
    (.original, "original"),
    (.rectangle(width: 96, height: 64), "rect:96x64"),
    (.rectangle(width: 0.5, height: 12.125), "rect:0.5x12.125"),
    (.rounded(width: 96, height: 96, cornerRadius: 0), "rounded:96x96,r=0"),
    (.rounded(width: 96, height: 90, cornerRadius: 7.5), "rounded:96x90,r=7.5"),
    (
      .rounded(width: 9, height: 8, cornerRadius: 2, border: .init(1, color: .white)),
      "rounded:9x8,r=2,b=1,bc=#FFFFFF"
    ),
    (.circle(48), "circle:48"), (.circle(48.01), "circle:48.01"),
    (.circle(48, border: .init(2.5)), "circle:48,b=2.5"),
    (.circle(48, border: .init(2, color: clear)), "circle:48,b=2,bc=#01ABFF00"),
    (.automatic, "auto"), (.automatic.filtered([.blur(radius: 2)]), "auto+blur:radius=2"),
    (.cover(width: 10, height: 20), "cover:10x20"),
    (.cover(width: 8, height: 6.5, enlarges: false), "cover:8x6.5,shrink"),
    (.fit(width: 10, height: 20), "fit:10x20"), (.fill(width: 1, height: 2), "fill:1x2"),
    (.fit(width: 800, height: 600.5, enlarges: false), "fit:800x600.5,shrink"),
    (.fit(width: 800), "fit:800x"), (.fit(width: 800, enlarges: false), "fit:800x,shrink"),
    (.fit(height: 0.25), "fit:x0.25"), (.fit(height: 600, enlarges: false), "fit:x600,shrink"),
    (
      .region(PixelRectangle(x: 0, y: 7, width: 512, height: 99), width: 256, height: 49.5),
      "region:256x49.5,x=0,y=7,w=512,h=99"
    ),
    (
      .region(PixelRectangle(x: 1, y: 0, width: 2, height: 3), width: 4, height: 5, isolated: true),
      "region:4x5,x=1,y=0,w=2,h=3,isolated"
    ),
  ]

  @Test(arguments: golden)
  func keysAreCanonicalAndParse(style: Style, key: String) throws {
    #expect(style.key == key)
    #expect(try Style(parsing: key) == style)
    #expect(try Style(parsing: key).key == key)
  }

  @Test(arguments: [
    ("rect:096.00x64.0", "rect:96x64"), ("circle:48.0004", "circle:48"),
    ("circle:48,b=0,bc=#ffffff", "circle:48"), ("rounded:9x9,r=2.50", "rounded:9x9,r=2.5"),
    ("circle:8,b=1,bc=#a0b0c0ff", "circle:8,b=1,bc=#A0B0C0"),
    ("fit:0800.0x,shrink", "fit:800x,shrink"), ("fit:x600.00040", "fit:x600"),
  ])
  func otherSpellingsHaveTheSameKey(text: String, key: String) throws {
    #expect(try Style(parsing: text).key == key)
    #expect(try Style(parsing: text) == Style(parsing: key))
    #expect(try Style(parsing: text).hashValue == Style(parsing: key).hashValue)
  }

  @Test(arguments: [
    "", " ", "circle", "circle:", "circle:0", "circle:-4", "circle:+4", "circle:nan", "circle:inf",
    "circle:1e3", "circle:0x10", "circle:4x4", "circle:.5", "circle:5.", "circle:4 ", "circle:1,,",
    "circle:4,", "circle:4,b", "circle:4,b=", "circle:4,b=-1", "circle:4,bc=#FFFFFF",
    "circle:4,b=1,bc=FFFFFF", "circle:4,b=1,bc=#FFFFF", "circle:4,b=1,bc=#+FFFFF", "circle:4,r=2",
    "circle:4,b=1,b=2", "circle:0.0001", "circle:1000000", "rounded:0x5", "rounded:5x5",
    "rounded:5x5,b=1", "rounded:5x5,r=nan", "rounded:5x5,b=1,r=1", "rounded:5x5,r=1,r=1",
    "rect:1e9x1", "rect:5", "rect:5x", "rect:x5", "rect:5x5x5", "rect:5x5,r=1", "rect:NaNx1",
    "rect:-1x1", "rect:٥x5", "Rect:5x5", "original:", "original,r=1", "fit:", "fill:1,1",
    "region:5x5", "region:5x5,x=0,y=0,w=1", "region:5x5,x=-1,y=0,w=1,h=1",
    "region:5x5,x=01,y=0,w=1,h=1", "region:5x5,y=0,x=0,w=1,h=1", "region:5x5,x=0,y=0,w=1,h=1.5",
    "region:5x5,x=99999999999999999999,y=0,w=1,h=1", "freeform:a@1", "square:5", "rect::5x5",
    "circle:999999999999999999999999999999999999",
    "auto:", "auto,shrink", "Auto", "cover:", "cover:8", "cover:8x", "cover:x8", "cover:8x8,grow",
    "fit:x", "fit:800", "fit:x,shrink", "fit:0x", "fit:x0", "fit:0x,shrink", "fit:800x0",
    "fit:800x800,grow", "fit:800x800,shrink,shrink", "fit:800x800,Shrink", "fit:800x800,shrink=1",
    "fit:800x,", "fit:,shrink", "fit:800xx", "fit:x600x", "fit:-1x", "rect:8x8,shrink",
    "fill:8x8,shrink", "fill:8x", "circle:8,shrink", "rounded:5x5,shrink,r=1",
    "region:5x5,x=0,y=0,w=1,h=1,isolated,isolated", "region:5x5,isolated,x=0,y=0,w=1,h=1",
    "region:5x5,x=0,y=0,w=1,h=1,shrink", "fit:8x8,isolated",
  ])
  func otherTextsAreRefused(text: String) {
    #expect(throws: StyleError.self) { _ = try Style(parsing: text) }
  }

  @Test func anErrorNamesTheInvalidPart() {
    let error = StyleError.unknownStyle(text: "circle:8,b=-1", part: "-1")
    #expect(throws: error) { _ = try Style(parsing: "circle:8,b=-1") }
    #expect(error.description.hasPrefix("the style “circle:8,b=-1” is not understood at “-1”"))
  }

  @Test(arguments: ["circle:99999999", "rect:4x1000000", "fit:x1234567.5", "fill:9999999x9999999"])
  func anErrorNamesTheLimitOfASide(text: String) {
    let error = StyleError.invalidSize(style: text, scale: 1)
    #expect(throws: error) { _ = try Style(parsing: text) }
    #expect(error.description.contains("16384"))
  }

  @Test func eachShapeHasItsName() {
    let texts = [
      "auto", "original", "rect:1x1", "rounded:1x1,r=1", "circle:1", "fit:1x1", "cover:1x1",
      "fill:1x1",
      "region:1x1,x=0,y=0,w=1,h=1",
    ]
    #expect(texts.compactMap { try? Style(parsing: $0) }.count == Style.names.count)
    #expect(zip(texts, Style.names).allSatisfy { $0.hasPrefix($1) })
  }

  @Test func lengthsAreEqualToAThousandthOfAPoint() {
    #expect(Style.circle(48) == .circle(48.0004))
    #expect(Style.circle(48) != .circle(48.001))
    #expect(Style.circle(.nan) == .circle(.infinity))
    #expect(Style.circle(5) != .rounded(width: 5, height: 5, cornerRadius: 2.5))
    #expect(Style.circle(48, border: .init(0)) == .circle(48))
  }

  @Test func freeformStylesAreEqualByNameAndVersion() {
    let one = Style.freeform(name: "soft/é @", version: 3) { $0 }
    let two = Style.freeform(name: "soft/é @", version: 3) { try $0.oriented(.down) }
    #expect(one == two)
    #expect(one.hashValue == two.hashValue)
    #expect(one.key == "freeform:soft%2F%C3%A9%20%40@3")
    #expect(one != .freeform(name: "soft/é @", version: 4) { $0 })
    // The same letter as one code point and as two: different bytes, different styles.
    #expect(
      Style.freeform(name: "\u{E9}", version: 1) { $0 }
        != Style.freeform(name: "e\u{301}", version: 1) { $0 }
    )
  }
}
