import IkranCodecs
import IkranPixels
import Support
import Testing

@testable import IkranService

/// What holds for the results of all options.
@Suite("Plans of random options")
struct RandomPlanTests {
  private var random: SeededGenerator

  init() { random = SeededGenerator(seed: 20_261_129) }

  private mutating func side() -> Int {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: 0
    case 1: Int(Int32.max)
    case 2: 1
    default: Int.random(in: 1...3000, using: &random)
    }
  }

  private mutating func factor() -> Double {
    switch Int.random(in: 0..<10, using: &random) {
    case 0: 1e300
    case 1: 1e-300
    case 2...5: 1
    default: Double.random(in: 0.1...4, using: &random)
    }
  }

  private mutating func gravity() -> Gravity {
    let kinds: [Gravity.Kind] = [
      .center, .north, .south, .east, .west, .northEast, .northWest, .southEast, .southWest,
      .focusPoint,
    ]
    let kind = kinds.randomElement(using: &random) ?? .center
    if kind == .focusPoint {
      return Gravity(
        kind: kind,
        x: .random(in: 0...1, using: &random),
        y: .random(in: 0...1, using: &random)
      )
    }
    return Gravity(kind: kind, x: .random(in: -9...9, using: &random), y: factor())
  }

  private mutating func resizing(bounded: Bool) -> Resizing {
    let kinds: [Resizing.Kind] = [.fit, .fill, .force, .auto, .fillDown]
    var resizing = Resizing(kind: kinds.randomElement(using: &random) ?? .fit)
    (resizing.width, resizing.height) = (side(), side())
    resizing.enlarges = .random(using: &random)
    if bounded { return resizing }
    (resizing.minimumWidth, resizing.minimumHeight) = (side(), side())
    resizing.zoom = Zoom(x: factor(), y: factor())
    resizing.dpr = factor()
    return resizing
  }

  private mutating func options(bounded: Bool) -> ProcessingOptions {
    var options = ProcessingOptions()
    options.resizing = resizing(bounded: bounded)
    options.framing.gravity = gravity()
    options.effects.turnsUpright = .random(using: &random)
    options.effects.quarterTurns = .random(in: 0...3, using: &random)
    options.effects.flip.horizontally = .random(using: &random)
    options.effects.flip.vertically = .random(using: &random)
    options.framing.crop = Framing.Crop(width: factor() / 4, height: Double(side()) / 3)
    if bounded { return options }
    options.framing.padding = Framing.Padding(top: side(), right: 0, bottom: 3, left: side())
    options.framing.extends = Framing.Extension(isOn: .random(using: &random), gravity: gravity())
    options.framing.extendsAspect = Framing.Extension(
      isOn: .random(using: &random),
      gravity: gravity()
    )
    if Bool.random(using: &random) { options.limits.resultSide = side() }
    return options
  }

  private mutating func info() -> ImageInfo {
    let size = PixelSize(
      width: .random(in: 1...4000, using: &random),
      height: .random(in: 1...4000, using: &random)
    )
    var info = ImageInfo(format: .jpeg, size: size)
    info.orientation = Orientation.allCases.randomElement(using: &random) ?? .up
    return info
  }

  /// The layout, nil for one over the limits.
  private func layout(_ info: ImageInfo, _ options: ProcessingOptions) throws -> ResultLayout? {
    do throws(RenderError) { return try ResultPlan(info, options, as: .png).layout } catch {
      guard case .tooLarge = error else { throw error }
      return nil
    }
  }

  @Test mutating func everythingLiesInsideWhatItIsOf() throws {
    var made = 0
    for _ in 0..<Rounds.fewer(20_000) {
      let (info, options) = (info(), options(bounded: false))
      guard let layout = try layout(info, options) else { continue }
      made += 1
      #expect(layout.region.isInside(info.uprightSize), "\(options)")
      #expect(layout.decoded.isPositive && layout.canvas.longest <= 16_384, "\(options)")
      var kept = layout.decoded
      if case .box(let box) = layout.cut {
        #expect(box.isInside(kept), "\(options)")
        kept = box.size
      }
      let turned = Turn(layout.turn).size(kept)
      let picture = PixelRectangle(
        x: layout.x,
        y: layout.y,
        width: turned.width,
        height: turned.height
      )
      #expect(picture.isInside(layout.canvas), "\(options)")
    }
    #expect(made > 100)
  }

  @Test mutating func withoutLeastSidesNoResultIsLargerThanTheTarget() throws {
    for _ in 0..<Rounds.fewer(20_000) {
      let (info, options) = (info(), options(bounded: true))
      guard let canvas = try layout(info, options)?.canvas else { continue }
      let (width, height) = (options.resizing.width, options.resizing.height)
      #expect(width == 0 || canvas.width <= width, "\(options)")
      #expect(height == 0 || canvas.height <= height, "\(options)")
    }
  }

  @Test mutating func anUnenlargedResultHasNoMorePixelsThanTheSource() throws {
    for _ in 0..<Rounds.fewer(20_000) {
      let info = info()
      var options = options(bounded: true)
      options.resizing.enlarges = false
      let layout = try #require(try layout(info, options))
      #expect(layout.decoded.width <= layout.region.size.width, "\(options)")
      #expect(layout.decoded.height <= layout.region.size.height, "\(options)")
    }
  }
}
