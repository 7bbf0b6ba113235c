import IkranCodecs
import IkranPixels
import Support
import Testing

@testable import IkranService

/// Results of random options, of pictures of a few pixels.
@Suite("Rendering of random options")
struct RandomRenderingTests {
  private var random = SeededGenerator(seed: 29_112_026)

  private mutating func number(_ range: ClosedRange<Int>) -> Int {
    .random(in: range, using: &random)
  }

  private mutating func chance() -> Bool { .random(using: &random) }

  private mutating func gravity(_ kinds: [Gravity.Kind]) -> Gravity {
    let kind = kinds.randomElement(using: &random) ?? .center
    let range = kind == .focusPoint ? 0.0...1 : -5.0...5
    let x = Double.random(in: range, using: &random)
    return Gravity(kind: kind, x: x, y: .random(in: range, using: &random))
  }

  private mutating func picture(_ size: PixelSize) throws -> Bitmap {
    let ground = Color(red: 200, green: 220, blue: 240, alpha: chance() ? 255 : 90)
    let part = PixelRectangle(
      x: number(0...size.width - 1),
      y: number(0...size.height - 1),
      width: number(1...size.width),
      height: number(1...size.height)
    )
    return try Samples.picture(size.width, size.height, ground, [(part, Samples.red)])
  }

  private mutating func framing() -> Framing {
    var framing = Framing()
    framing.gravity = gravity([.center, .smart, .southEast, .north, .focusPoint])
    if chance() {
      framing.crop = Framing.Crop(width: Double(number(0...20)), height: Double(number(0...9)) / 9)
      if chance() { framing.crop.gravity = gravity([.smart, .west]) }
    }
    if chance() {
      framing.trim = Framing.Trim(
        threshold: Double(number(0...300)),
        color: chance() ? .white : nil
      )
      framing.trim?.isEqualHorizontally = chance()
      framing.trim?.isEqualVertically = chance()
    }
    framing.extends = Framing.Extension(isOn: chance(), gravity: gravity([.center, .southWest]))
    framing.extendsAspect = Framing.Extension(isOn: chance(), gravity: gravity([.center, .east]))
    framing.padding = Framing.Padding(top: number(0...3), right: 0, bottom: 1, left: number(0...3))
    return framing
  }

  private mutating func effects() -> Effects {
    var effects = Effects()
    effects.turnsUpright = chance()
    effects.quarterTurns = number(0...3)
    effects.flip = Effects.Flip(horizontally: chance(), vertically: chance())
    effects.background = chance() ? Samples.green : nil
    if chance() { effects.blur = Double(number(0...30)) / 3 }
    if chance() { effects.sharpen = Double(number(0...30)) / 3 }
    if chance() { effects.pixelate = number(0...50) }
    effects.watermark.opacity = Double(number(0...2)) / 2
    let place = gravity([.center, .northWest, .southEast])
    effects.watermark.position = chance() ? nil : place.kind
    (effects.watermark.x, effects.watermark.y) = (place.x * 3, place.y)
    effects.watermark.scale = Double(number(0...4)) / 2
    return effects
  }

  @Test mutating func eachResultHasTheSizeOfItsLayout() throws {
    let mark = WatermarkPicture(bitmap: try Samples.picture(5, 3, Samples.blue))
    for _ in 0..<Rounds.fewer(6000) {
      var info = ImageInfo(
        format: .png,
        size: PixelSize(width: number(1...40), height: number(1...40))
      )
      info.orientation = Orientation.allCases.randomElement(using: &random) ?? .up
      var options = ProcessingOptions()
      let kinds: [Resizing.Kind] = [.fit, .fill, .force, .auto, .fillDown]
      options.resizing.kind = kinds.randomElement(using: &random) ?? .fit
      (options.resizing.width, options.resizing.height) = (number(0...50), number(0...50))
      options.resizing.dpr = Double(number(1...6)) / 2
      options.resizing.enlarges = chance()
      (options.framing, options.effects) = (framing(), effects())
      let source = try picture(info.uprightSize)
      let plan = try ResultPlan(info, options, as: chance() ? .jpeg : .webp)
      let result = try plan.render(source.resampled(plan.fitting), watermark: mark)
      if let layout = plan.layout { #expect(result.size == layout.canvas, "\(options)") }
      #expect(plan.ground == nil || !result.format.hasAlpha, "\(options)")
    }
  }
}
