import IkranCodecs
import IkranPixels
import Testing

@testable import IkranService

/// The size of a result of a picture of 400 × 300 pixels, unless a test says another.
@Suite("Sizes of results")
struct ResultSizeTests {
  /// Options, and the size that they give.
  struct Case: Sendable, CustomTestStringConvertible {
    var resizing: Resizing
    var expected: PixelSize

    init(
      _ kind: Resizing.Kind,
      _ width: Int,
      _ height: Int,
      gives size: (Int, Int),
      _ change: (inout Resizing) -> Void = { _ in }
    ) {
      resizing = Resizing(kind: kind, width: width, height: height)
      change(&resizing)
      expected = PixelSize(width: size.0, height: size.1)
    }

    var testDescription: String {
      "\(resizing.kind) \(resizing.width)×\(resizing.height) → \(expected)"
    }
  }

  static func plan(
    _ options: ProcessingOptions,
    width: Int = 400,
    height: Int = 300,
    limits: ResultLimits = ResultLimits(),
    _ change: (inout ImageInfo) -> Void = { _ in }
  ) throws(RenderError) -> ResultPlan {
    var info = ImageInfo(format: .jpeg, size: PixelSize(width: width, height: height))
    change(&info)
    return try ResultPlan(info, options, as: .png, limits: limits)
  }

  // Computed by hand from ws = 400 / w and hs = 300 / h, which are given in the comments.
  static let kinds = [
    // 2 and 1.5: fit takes the larger, fill the smaller and crops 267 × 200, force both.
    Case(.fit, 200, 200, gives: (200, 150)),
    Case(.fill, 200, 200, gives: (200, 200)),
    Case(.force, 200, 200, gives: (200, 200)),
    Case(.fillDown, 200, 200, gives: (200, 200)),
    // Auto is fill for two that lie (2, 3 → 2: 200 × 150, cropped), else fit (4, 1.5 → 4).
    Case(.auto, 200, 100, gives: (200, 100)),
    Case(.auto, 100, 200, gives: (100, 75)),
    // An open side follows, but with force.
    Case(.fit, 100, 0, gives: (100, 75)),
    Case(.fill, 0, 100, gives: (133, 100)),
    Case(.force, 100, 0, gives: (100, 300)),
    Case(.fit, 0, 0, gives: (400, 300)),
    // Below a shrink of 1 nothing is enlarged: fill keeps what there is.
    Case(.fit, 800, 800, gives: (400, 300)),
    Case(.fill, 800, 800, gives: (400, 300)),
    Case(.force, 800, 150, gives: (400, 75)),
    // 0.5 and 0.375: the larger is fit, the smaller fill.
    Case(.fit, 800, 800, gives: (800, 600)) { $0.enlarges = true },
    Case(.fill, 800, 800, gives: (800, 800)) { $0.enlarges = true },
    // The largest box of 2 : 1, of 1 : 5, and none to cut of 4 : 3.
    Case(.fillDown, 800, 400, gives: (400, 200)),
    Case(.fillDown, 200, 1000, gives: (60, 300)),
    Case(.fillDown, 800, 600, gives: (400, 300)),
    Case(.fillDown, 800, 400, gives: (800, 400)) { $0.enlarges = true },
  ]

  static let factors = [
    // 4 / 2.
    Case(.fit, 100, 0, gives: (200, 150)) { $0.zoom = Zoom(x: 2, y: 2) },
    Case(.force, 100, 100, gives: (200, 50)) { $0.zoom = Zoom(x: 2, y: 0.5) },
    Case(.fit, 100, 100, gives: (200, 150)) { $0.dpr = 2 },
    // 2: a density of 3 would enlarge, so it becomes 2.
    Case(.fill, 200, 150, gives: (400, 300)) { $0.dpr = 3 },
    Case(.fit, 800, 0, gives: (400, 300)) { $0.dpr = 2 },
    // Half of 800 are the pixels there are.
    Case(.fit, 800, 0, gives: (400, 300)) { $0.dpr = 0.5 },
    Case(.fit, 200, 150, gives: (600, 450)) {
      $0.dpr = 3
      $0.enlarges = true
    },
    // 4 becomes 2 of both, and 100 are cropped from 200 × 150.
    Case(.fit, 100, 0, gives: (100, 150)) { $0.minimumWidth = 200 },
    // 4 becomes 2, as 300 / 150; then 100 × 0 are cropped.
    Case(.fit, 100, 0, gives: (100, 150)) { $0.minimumHeight = 150 },
    // A least side enlarges whatever is asked for.
    Case(.fit, 0, 0, gives: (800, 600)) { $0.minimumHeight = 600 },
  ]

  @Test(arguments: kinds)
  func theKindDecidesTheSize(_ test: Case) throws {
    var options = ProcessingOptions()
    options.resizing = test.resizing
    #expect(try Self.plan(options).layout?.canvas == test.expected)
  }

  @Test(arguments: factors)
  func factorsAndLeastSidesChangeTheSize(_ test: Case) throws {
    var options = ProcessingOptions()
    options.resizing = test.resizing
    #expect(try Self.plan(options).layout?.canvas == test.expected)
  }

  @Test func anSVGIsEnlargedAsItHasNoPixels() throws {
    var options = ProcessingOptions()
    options.resizing.width = 800
    let layout = try Self.plan(options) { $0.format = .svg }.layout
    #expect(layout?.canvas == PixelSize(width: 800, height: 600))
  }

  @Test func turnsExchangeTheSidesThatAreMeant() throws {
    var options = ProcessingOptions()
    options.resizing.width = 100
    options.effects.quarterTurns = 1
    // 300 × 400 after the turn: 3.
    let turned = try Self.plan(options).layout
    #expect(turned?.canvas == PixelSize(width: 100, height: 133))
    #expect(turned?.decoded == PixelSize(width: 133, height: 100))
    #expect(turned?.turn == .right)
  }

  @Test func anOrientationIsLeftAsItIsStoredWhereTheURLSaysSo() throws {
    var options = ProcessingOptions()
    options.resizing.width = 100
    let upright = try Self.plan(options) { $0.orientation = .right }
    // 300 × 400 upright: 3.
    #expect(upright.layout?.canvas == PixelSize(width: 100, height: 133))
    #expect(upright.layout?.turn == .up)
    options.effects.turnsUpright = false
    // 400 × 300 as stored: 4. The decoder has turned it clockwise, which is undone.
    let stored = try Self.plan(options) { $0.orientation = .right }
    #expect(stored.layout?.canvas == PixelSize(width: 100, height: 75))
    #expect(stored.layout?.decoded == PixelSize(width: 75, height: 100))
    #expect(stored.layout?.turn == .left)
  }

  @Test func aLongestSideShrinksTheResultWithItsPadding() throws {
    var options = ProcessingOptions()
    options.framing.padding = Framing.Padding(top: 50, right: 100, bottom: 50, left: 100)
    options.limits.resultSide = 150
    // 600 × 400 with the padding, so a quarter of all: 100 × 75, and 25 and rhe(12.5) = 12 around.
    let layout = try Self.plan(options).layout
    #expect(layout?.decoded == PixelSize(width: 100, height: 75))
    #expect(layout?.canvas == PixelSize(width: 150, height: 99))
    #expect(layout?.x == 25 && layout?.y == 12)
  }

  @Test func theServicesLongestSideHoldsWhereTheURLHasNone() throws {
    let limits = ResultLimits(shrinksTo: 100)
    let layout = try Self.plan(ProcessingOptions(), limits: limits).layout
    #expect(layout?.canvas == PixelSize(width: 100, height: 75))
  }

  @Test(arguments: [Int(Int32.max), 16_385])
  func aSideOverTheLimitIsAnError(_ side: Int) {
    var options = ProcessingOptions()
    options.resizing = Resizing(width: side, enlarges: true)
    #expect(throws: RenderError.self) { try Self.plan(options) }
    options.resizing = Resizing()
    options.framing.padding.left = side
    #expect(throws: RenderError.self) { try Self.plan(options) }
  }
}
