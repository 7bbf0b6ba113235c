import IkranPixels
import Testing

@Suite struct RenderPlanTests {
  @Test func theOriginalIsTheWholeImage() {
    let plan = RenderPlan(stored: PixelSize(30, 20), orientation: .right, fitting: .original)
    #expect(plan.isIdentity)
    #expect(plan.output == PixelSize(30, 20))
  }

  @Test func coveringCropsToTheCentreAndKeepsTheAspect() {
    let fitting = Fitting.cover(PixelSize(50, 50))
    let plan = RenderPlan(stored: PixelSize(400, 300), orientation: .up, fitting: fitting)
    #expect(plan.crop == PixelArea(x: 50, y: 0, width: 300, height: 300))
    #expect(plan.output == PixelSize(50, 50))
    #expect(!plan.isIdentity)
  }

  @Test func aTurnedImageIsPlannedOnItsStoredAxes() {
    let fitting = Fitting.cover(PixelSize(100, 50))
    let plan = RenderPlan(stored: PixelSize(300, 600), orientation: .left, fitting: fitting)
    #expect(plan.output == PixelSize(50, 100))
    #expect(plan.crop == PixelArea(PixelSize(300, 600)))
  }

  @Test(arguments: [
    (PixelSize(400, 300), PixelSize(100, 100), PixelSize(100, 75)),
    (PixelSize(300, 400), PixelSize(100, 100), PixelSize(75, 100)),
    (PixelSize(1000, 1), PixelSize(10, 10), PixelSize(10, 1)),
    (PixelSize(2, 1), PixelSize(64, 64), PixelSize(64, 32)),
    (PixelSize(7, 7), PixelSize(7, 9), PixelSize(7, 7)),
  ])
  func fittingInsideKeepsTheAspect(stored: PixelSize, box: PixelSize, expected: PixelSize) {
    let plan = RenderPlan(stored: stored, orientation: .up, fitting: .inside(box))
    #expect(plan.output == expected)
    #expect(plan.crop == PixelArea(stored))
    #expect(plan.isIdentity == (stored == expected))
  }

  @Test func aReducedDecodeKeepsTheOutputAndMovesTheCrop() {
    let fitting = Fitting.cover(PixelSize(50, 50))
    let plan = RenderPlan(stored: PixelSize(401, 301), orientation: .up, fitting: fitting)
    let stretched = plan.scaled(to: PixelSize(201, 151), from: PixelSize(401, 301))
    #expect(stretched.output == plan.output)
    #expect(abs(stretched.crop.height - 151) < 1e-9)
    // Half of 301 rows are 150.5; the last decoded row is half empty.
    let halved = plan.scaled(to: PixelSize(201, 151), numerator: 1, denominator: 2)
    #expect(halved.crop == PixelArea(x: 25, y: 0, width: 150.5, height: 150.5))
  }

  @Test(arguments: [PixelSize(0, 0), PixelSize(-5, 3), PixelSize(.max, .max), PixelSize(.min, 1)])
  func impossibleSizesPlanWithoutTrapping(size: PixelSize) {
    for other in [size, PixelSize(3, 4)] {
      for fitting in [Fitting.cover(other), .inside(other), .original] {
        let plan = RenderPlan(stored: size, orientation: .left, fitting: fitting)
        _ = plan.scaled(to: other, from: size).isIdentity
      }
    }
  }
}
