import Support
import Testing

@testable import IkranPixels

/// Filters as text.
@Suite struct FilterTextTests {
  @Test(arguments: [
    Filter.grayed(), .grayed(.maximum), .blur(radius: 4.5), .brightness(-0.25),
    .crop(x: 3, width: 9),
    .curves([(0, 0.1), (0.5, 0.4), (1, 1)], blue: [(0, 0), (1, 0.5)]), .matrix(.polaroid),
    .matrix([1, 0.5], offsets: [0.1]),
    .tint(Color(red: 1, green: 2, blue: 3, alpha: 4), mode: .hue),
    .round(radius: 8, corners: [.topLeft, .bottomRight], borderWidth: 1, borderColor: .white),
    .resize(width: 40, height: 30, mode: .fillTopLeft), .rotate(degrees: -15, keepsSize: true),
    .convolution([0, 1, 0, 1, -4, 1, 0, 1, 0]), .vignette(color: .white), .flip(vertically: true),
  ]) func aKeyIsReadBack(filter: Filter) throws {
    #expect(try Filter(parsing: filter.key) == filter)
    #expect(try Filter(parsing: filter.key).key == filter.key)
  }

  @Test(arguments: [
    ("blur:4", "blur:radius=4"), ("whiteBalance:5555", "whiteBalance:temperature=5555,tint=0"),
    ("white-balance:tint=3", "whiteBalance:temperature=5000,tint=3"),
    ("GRAYED:Average", "grayed:method=average"), ("brightness:-.5", "brightness:amount=-0.5"),
    ("tint:#ff0000", "tint:color=#FF0000,mode=normal"), ("blur@1:2", "blur:radius=2"),
    ("blur:900", "blur:radius=100"),
  ]) func textsHaveOneCanonicalForm(text: String, key: String) throws {
    #expect(try Filter(parsing: text).key == key)
  }

  @Test(arguments: [
    ("", ""), ("blurr", "blurr"), ("blur:x", "x"), ("blur:radius=1,radios=2", "radios=2"),
    ("blur:1e3", "1e3"), ("blur:nan", "nan"), ("blur:inf", "inf"), ("blur@2:4", "blur@2"),
    ("blur:4,5", "5"), ("tint:#12345", "#12345"), ("grayed:loud", "loud"),
    ("curves:0/1/2", "0/1/2"), ("crop:x=+1", "x=+1"), ("blur:=", "="),
    ("resize:width=3", "height= is missing"),
    ("blend:multiply", "image= is missing"), ("lookup:a.png", "a.png"), ("blur:４", "４"),
  ]) func whatIsWrongIsNamed(text: String, part: String) {
    #expect(throws: FilterError.unknownFilter(text: text, part: part)) {
      try Filter(parsing: text)
    }
  }

  @Test(arguments: [
    "blur:" + String(repeating: "9", count: 1 << 20), "\u{0}", "😀:😀=😀", ":::::", ",=,=,",
  ])
  func hostileTextIsRefused(text: String) {
    #expect(throws: FilterError.self) { try Filter(parsing: text) }
  }

  @Test func aStyleHasItsFiltersInItsText() throws {
    let style = Style.circle(96, border: .init(2)).filtered([.grayed(), .blur(radius: 4)])
    #expect(style.key == "circle:96,b=2+grayed:method=luminosity+blur:radius=4")
    #expect(try Style(parsing: style.key) == style)
    #expect(try Style(parsing: "circle:96,b=2+grayed+blur:4") == style)
    #expect(style != Style.circle(96, border: .init(2)))
    #expect(style.key != Style(style.shape, filters: style.filters.reversed()).key)
    #expect(throws: StyleError.filter(.unknownFilter(text: "", part: ""))) {
      try Style(parsing: "circle:96+")
    }
  }

  @Test func ownFiltersAreKnownByNameVersionAndParameters() {
    struct Own: CustomFilter {
      var name = "own+one"
      var version = 1
      var parameters = ""
      func apply(to picture: Bitmap, scale: Double) -> Bitmap { picture }
    }
    #expect(Filter.custom(Own()).key == "custom:own%2Bone@1")
    #expect(Filter.custom(Own(parameters: "a=1")).key == "custom:own%2Bone@1:a%3D1")
    #expect(Filter.custom(Own()) == .custom(Own()))
    #expect(Filter.custom(Own()) != .custom(Own(version: 2)))
    #expect(Filter.custom(Own(name: "blur")) != .blur())
  }

  @Test func picturesAreKnownByTheirPixels() throws {
    let one = try spatialNoise(PixelSize(width: 9, height: 7), .bgra, seed: 1)
    let other = try spatialNoise(PixelSize(width: 9, height: 7), .bgra, seed: 2)
    #expect(Filter.blend(with: one) == .blend(with: try one.cropped(columns: 0..<9, rows: 0..<7)))
    #expect(Filter.blend(with: one).key != Filter.blend(with: other).key)
    #expect(Filter.blend(with: one).hashValue == Filter.blend(with: one).hashValue)
  }
}
