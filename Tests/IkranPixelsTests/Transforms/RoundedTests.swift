import IkranPixels
import TestBasics
import Testing

@Suite(.timeLimit(.minutes(10))) struct RoundedTests {
  private static let texts = [
    "r=0", "r=4.5", "r=6,b=2.5,bc=#C86432", "r=6,b=2.5", "r=99,b=1.25,bc=#C8643280", "r=3,b=50",
    "r=3,b=50,bc=#FFFFFF", "r=0,b=2", "r=0.3",
  ]

  private func parts(_ text: String) -> (radius: Double, width: Double, color: Color?) {
    var (radius, width, color) = (0.0, 0.0, Color?.none)
    for part in text.split(separator: ",") {
      let pair = part.split(separator: "=")
      switch pair[0] {
      case "r": radius = Double(pair[1]) ?? 0
      case "b": width = Double(pair[1]) ?? 0
      default:
        color =
          pair[1].hasPrefix("#F")
          ? .white : Color(red: 200, green: 100, blue: 50, alpha: pair[1].count == 9 ? 128 : 255)
      }
    }
    return (radius, width, color)
  }

  @Test(arguments: texts, PixelFormat.allCases)
  func fourCornersLookAsInAStyle(text: String, format: PixelFormat) throws {
    let image = try noise(21, 16, format)
    let (radius, width, color) = parts(text)
    let rounded = try image.rounded(radius: radius, borderWidth: width, borderColor: color)
    let styled = try image.styled(Style(parsing: "rounded:21x16,\(text)"))
    #expect(rounded.pixels == styled.pixels)
    #expect(rounded.format == styled.format)
  }

  private static let corners: [RoundedShape.Corners] = [
    .topLeft, .bottomRight, [.topLeft, .topRight], [.topRight, .bottomLeft],
    [.topLeft, .topRight, .bottomLeft], [],
  ]

  @Test(arguments: Rounds.fewer(of: corners))
  func onlyTheChosenCornersAreCut(corners: RoundedShape.Corners) throws {
    let image = try noise(20, 15)
    let rounded = try image.rounded(radius: 6.5, corners: corners)
    let shape = SampledShape(shape: RoundedShape(image.size, radius: 6.5, corners: corners))
    for y in 0..<15 {
      for x in 0..<20 {
        let expected = image.pixel(x, y).map { Double($0) * shape.coverage(x, y) }
        let worst = zip(rounded.pixel(x, y), expected).map { abs(Double($0) - $1) }.max() ?? 0
        #expect(worst <= 1, "at \(x), \(y)")
      }
    }
  }

  @Test(arguments: Rounds.fewer(of: corners))
  func aRingFollowsTheChosenCorners(corners: RoundedShape.Corners) throws {
    let image = try picture(20, 15) { _, _ in [240, 10, 90, 255] }
    let rounded = try image.rounded(
      radius: 6,
      corners: corners,
      borderWidth: 2.5,
      borderColor: Color(red: 200, green: 100, blue: 50)
    )
    let outer = SampledShape(shape: RoundedShape(image.size, radius: 6, corners: corners))
    let inner = SampledShape(
      shape: RoundedShape(x: 2.5, y: 2.5, width: 15, height: 10, radius: 3.5, corners: corners)
    )
    for y in 0..<15 {
      for x in 0..<20 {
        let inside = inner.coverage(x, y)
        let ring = max(0, outer.coverage(x, y) - inside)
        let expected = zip([240.0, 10, 90, 255], [50.0, 100, 200, 255]).map {
          $0 * inside + $1 * ring
        }
        let worst = zip(rounded.pixel(x, y), expected).map { abs(Double($0) - $1) }.max() ?? 0
        #expect(worst <= 2, "at \(x), \(y)")
      }
    }
  }

  @Test(arguments: Rounds.fewer(of: corners))
  func withoutAColourThePictureIsInset(corners: RoundedShape.Corners) throws {
    let image = try noise(20, 15)
    let rounded = try image.rounded(radius: 4, corners: corners, borderWidth: 2.25)
    let shape = SampledShape(
      shape: RoundedShape(x: 2.25, y: 2.25, width: 15.5, height: 10.5, radius: 4, corners: corners)
    )
    for y in 0..<15 {
      for x in 0..<20 {
        let expected = image.pixel(x, y).map { Double($0) * shape.coverage(x, y) }
        let worst = zip(rounded.pixel(x, y), expected).map { abs(Double($0) - $1) }.max() ?? 0
        #expect(worst <= 1, "at \(x), \(y)")
      }
    }
  }

  @Test func chosenCornersAreThoseOfAllFour() throws {
    // Each corner of a picture with one round corner is that of one with four.
    let image = try noise(24, 18)
    let all = try image.rounded(radius: 7)
    for (corner, columns, rows) in [
      (RoundedShape.Corners.topLeft, 0..<12, 0..<9), (.topRight, 12..<24, 0..<9),
      (.bottomLeft, 0..<12, 9..<18), (.bottomRight, 12..<24, 9..<18),
    ] {
      let one = try image.rounded(radius: 7, corners: corner)
      for y in 0..<18 {
        for x in 0..<24 {
          let isHere = columns.contains(x) && rows.contains(y)
          #expect(one.pixel(x, y) == (isHere ? all : image).pixel(x, y))
        }
      }
    }
  }

  @Test(arguments: [(Double.nan, 0.0), (-1, 0), (.infinity, 0), (2, -1), (2, .nan), (2, .infinity)])
  func aLengthThatIsNoneThrows(radius: Double, width: Double) throws {
    let image = try noise(4, 4)
    #expect(throws: BitmapError.invalidEdge) {
      try image.rounded(radius: radius, borderWidth: width)
    }
  }

  @Test func aSharedPictureDoesNotChange() throws {
    let image = try noise(12, 12, .bgra)
    let before = image.pixels
    _ = try image.rounded(radius: 5, corners: .topLeft, borderWidth: 1, borderColor: .white)
    #expect(image.pixels == before)
  }
}
