import IkranSystem
import TestBasics
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
    ("", "", "a name is missing"), ("blurr", "blurr", "no filter has this name"),
    ("blur:x", "x", "radius is a number from 0 to 100"),
    ("blur:radius=1,radios=2", "radios=2", "blur has radius"),
    ("blur:1e3", "1e3", "number"), ("blur:nan", "nan", "number"), ("blur:inf", "inf", "number"),
    ("blur@2:4", "blur@2", "it has version 1"), ("blur:４", "４", "number"),
    ("blur:4,5", "5", "only the first value goes without its name: radius"),
    ("blur:4,radius=6", "radius=6", "radius is given twice"),
    ("blur:radius=4,radius=4", "radius=4", "radius is given twice"),
    ("blur:", "", "the value of radius is missing"), ("blur:4,", "", "its name"),
    ("blur:,4", "", "the value of radius is missing"), ("blur:radius=", "radius=", "is missing"),
    ("grayed:", "", "the value of method is missing"), ("blur:=", "=", "blur has radius"),
    ("tint:#12345", "#12345", "color is a colour such as #3060C0"),
    ("grayed:loud", "loud", "method is one of luminosity, "), ("crop:x=+1", "x=+1", "number"),
    ("curves:0/1/2", "0/1/2", "points x/y/x/y"), ("curves:0/0/1/1/1", "0/0/1/1/1", "points"),
    ("curves:0/0", "0/0", "two or more points"),
    ("convolution:values=1/2", "values=1/2", "values are 9 numbers"),
    ("resize:width=3", "", "height= is missing"), ("blend:multiply", "", "image= is missing"),
    ("lookup:a.png", "a.png", "cannot be opened here"),
    ("cube:\"a", "\"a", "a quotation mark is not closed"),
    ("cube:a,b.cube", "b.cube", "commas or equals signs is in double quotes"),
    ("cube:a=b.cube", "a=b.cube", "commas or equals signs is in double quotes"),
    ("blend:normal,image=a,b", "b", "commas or equals signs is in double quotes"),
  ]) func whatIsWrongIsNamed(text: String, part: String, reason: String) {
    do throws(FilterError) {
      _ = try Filter(parsing: text)
      Issue.record("“\(text)” was read")
    } catch {
      guard case .invalidText(text, part, let said) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(said.contains(reason), "\(said)")
      #expect(error.description.hasSuffix("\(said); see ikran filters"))
    }
  }

  @Test func aTextThatIsAFileIsNotRepeatedInFull() {
    let error = FilterError.invalidText(
      String(repeating: "x", count: 5_000),
      part: "",
      reason: "no"
    )
    #expect(error.description.count < 150)
    let path = "/" + String(repeating: "x", count: 5_000)
    #expect(FilterError.invalidTable(reason: "“\(path)” is missing").description.count < 700)
  }

  @Test(arguments: [
    ("cube:a.cube", "a.cube"), ("cube:\"a,b=c.cube\",intensity=0.5", "a,b=c.cube"),
    ("cube:intensity=0.5,file=\"1,5.cube\"", "1,5.cube"), ("cube:file=a=b.cube", "a=b.cube"),
    ("cube:has", "has"),
  ]) func pathsMayBeInQuotes(text: String, path: String) throws {
    let opened = Guarded<[String]>([])
    #expect(throws: FilterError.invalidTable(reason: "“\(path)”: it has no LUT_3D_SIZE")) {
      try Filter(parsing: text) { (path: String, _: FilterFile) throws(FilterError) in
        opened.withLock { $0.append(path) }
        return .bytes([])
      }
    }
    #expect(opened.withLock { $0 } == [path])
  }

  @Test func aCubeGivenToLookupNamesTheRightFilter() {
    let reason = "“look.CUBE”: use the filter “cube” for .cube files"
    #expect(throws: FilterError.invalidTable(reason: reason)) {
      try Filter(parsing: "lookup:look.CUBE")
    }
  }

  @Test(arguments: [
    (
      "matrix:none", "matrix:preset=none,values=1/0/0/0/0/1/0/0/0/0/1/0/0/0/0/1/0/0/0/0,intensity=1"
    ),
    ("convolution:NONE", "convolution:preset=none,values=0/0/0/0/1/0/0/0/0"),
  ]) func noPresetIsTheDefault(text: String, key: String) throws {
    #expect(try Filter(parsing: text).key == key)
    #expect(try Filter(parsing: String(text.prefix { $0 != ":" })).key == key)
  }

  @Test func longCurvesHaveAKeyThatIsReadBack() throws {
    let points = (0..<2_000).map { (x: Double($0) / 1_999, y: Double($0) / 1_999) }
    let filter = Filter.curves(points)
    #expect(try Filter(parsing: filter.key) == filter)
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
    #expect(
      throws: StyleError.filter(.invalidText("", part: "", reason: "a name is missing"))
    ) { try Style(parsing: "circle:96+") }
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
