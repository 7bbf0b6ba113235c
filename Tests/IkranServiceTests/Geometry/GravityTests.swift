import IkranPixels
import Testing

@testable import IkranService

/// Where gravities put a box of 25 × 20 in one of 100 × 81.
@Suite("Gravities")
struct GravityTests {
  struct Case: Sendable {
    let gravity: Gravity
    let x, y: Int
    var scale = 1.0
    var overhangs = false
  }

  // The rests are 75 and 61: the middle is at rhe(76 / 2) = 38 and rhe(62 / 2) = 31.
  static let places = [
    Case(gravity: Gravity(), x: 38, y: 31),
    Case(gravity: Gravity(kind: .north), x: 38, y: 0),
    Case(gravity: Gravity(kind: .south), x: 38, y: 61),
    Case(gravity: Gravity(kind: .east), x: 75, y: 31),
    Case(gravity: Gravity(kind: .west), x: 0, y: 31),
    Case(gravity: Gravity(kind: .northEast), x: 75, y: 0),
    Case(gravity: Gravity(kind: .northWest), x: 0, y: 0),
    Case(gravity: Gravity(kind: .southEast), x: 75, y: 61),
    Case(gravity: Gravity(kind: .southWest), x: 0, y: 61),
  ]

  static let offsets = [
    // Inward from the named edge, right and down in the middle.
    Case(gravity: Gravity(kind: .southEast, x: 5, y: 6), x: 70, y: 55),
    Case(gravity: Gravity(kind: .north, x: 5, y: 6), x: 43, y: 6),
    Case(gravity: Gravity(kind: .center, x: -5, y: -6), x: 33, y: 25),
    // Shares of 100 and 81, with 40.5 rounded to the even 40.
    Case(gravity: Gravity(kind: .northWest, x: 0.1, y: 0.5), x: 10, y: 40),
    // Only pixels grow with the density: 2.5 · 5 to the even 12.
    Case(gravity: Gravity(kind: .northWest, x: 5, y: 0.5), x: 12, y: 40, scale: 2.5),
    // The box stays inside, or overhangs but for one pixel.
    Case(gravity: Gravity(kind: .east, x: 1000, y: -1000), x: 0, y: 0),
    Case(gravity: Gravity(kind: .east, x: 1000, y: -1000), x: -24, y: -19, overhangs: true),
    Case(gravity: Gravity(kind: .northWest, x: 1e300, y: -1e300), x: 99, y: -19, overhangs: true),
    // rhe(100 · 0.5) − 12, rhe(81 · 0.5) − 10; then what is bounded.
    Case(gravity: Gravity(kind: .focusPoint, x: 0.5, y: 0.5), x: 38, y: 30),
    Case(gravity: Gravity(kind: .focusPoint, x: 0, y: 1), x: 0, y: 61),
  ]

  @Test(arguments: places + offsets)
  func aBoxLiesWhereTheGravitySays(_ test: Case) {
    let place = test.gravity.position(
      of: PixelSize(width: 25, height: 20),
      in: PixelSize(width: 100, height: 81),
      scale: test.scale,
      overhangs: test.overhangs
    )
    #expect(place == (test.x, test.y))
  }

  @Test func theMiddleOfAnEvenRestIsRoundedToTheEvenPixel() {
    let inner = PixelSize(width: 4, height: 4)
    // 3.5 and 4.5.
    let place = Gravity().position(of: inner, in: PixelSize(width: 10, height: 12), scale: 1)
    #expect(place == (4, 4))
  }

  static let turns = Orientation.allCases.map(Turn.init)

  @Test(arguments: turns)
  func aTurnIsTheOrientationThatItWasMadeOf(_ turn: Turn) {
    #expect(Turn(turn.orientation) == turn)
    #expect(turn.then(turn.inverse) == Turn())
  }

  @Test(arguments: turns)
  func twoTurnsMoveAPartAsTheirSumDoes(_ first: Turn) {
    let whole = PixelSize(width: 9, height: 7)
    let part = PixelRectangle(x: 1, y: 2, width: 3, height: 4)
    for second in Self.turns {
      let step = second.rectangle(first.rectangle(part, in: whole), in: first.size(whole))
      #expect(first.then(second).rectangle(part, in: whole) == step)
    }
  }

  @Test(arguments: turns)
  func bitmapsAreTurnedAsPartsAre(_ turn: Turn) throws {
    var canvas = try Canvas(size: PixelSize(width: 3, height: 2), format: .bgrx)
    let dot = try Bitmap(.white, size: PixelSize(width: 1, height: 1))
    canvas.draw(dot, x: 2, y: 0)
    let turned = try canvas.finish().oriented(turn.orientation)
    let part = PixelRectangle(x: 2, y: 0, width: 1, height: 1)
    let place = turn.rectangle(part, in: PixelSize(width: 3, height: 2))
    #expect(turned.color(x: place.x, y: place.y) == .white)
  }

  @Test(arguments: turns)
  func aTurnedGravityKeepsThePartThatWasMeant(_ turn: Turn) {
    let outer = PixelSize(width: 101, height: 81)
    let inner = PixelSize(width: 21, height: 11)
    for kind in [Gravity.Kind.north, .east, .southWest, .center, .focusPoint] {
      let isPoint = kind == .focusPoint
      let gravity = Gravity(kind: kind, x: isPoint ? 0.25 : 7, y: isPoint ? 0.75 : 3)
      let place = gravity.position(of: inner, in: outer, scale: 1)
      let box = PixelRectangle(x: place.x, y: place.y, width: 21, height: 11)
      let moved = turn.rectangle(box, in: outer)
      let turned = turn.gravity(gravity)
      let other = turned.position(of: turn.size(inner), in: turn.size(outer), scale: 1)
      // The middle is rounded, which moves each by a pixel at most.
      #expect(abs(other.x - moved.x) <= 2 && abs(other.y - moved.y) <= 2)
    }
  }
}
