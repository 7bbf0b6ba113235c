import IkranGTK
import Support
import Testing

private typealias Moment = Transition.Moment
private typealias Placement = Transition.Placement

extension GTKTests {
  /// A program's own transition as a widget draws it.
  @Suite @MainActor
  struct CustomTransitionDrawingTests {
    private static let green = Color(red: 0, green: 160, blue: 0)
    private let image = TestURL.color(1)

    init() throws { try Display.open() }

    /// What is seen of a moment between green and image 1, of 40 × 40 points.
    private func picture(_ moment: Moment, inCairo: Bool = true, at time: Int = 500) throws
      -> Bitmap
    {
      let transition = Transition.custom(id: "a test's", .seconds(1)) { _ in moment }
      return try DrawnTransition.picture(transition, at: time, inCairo: inCairo)
    }

    /// The largest difference of two pictures' bytes.
    private func difference(_ one: Bitmap, _ other: Bitmap) -> Int {
      var most = 0
      for y in 0..<one.height {
        one.withRow(y) { row in
          other.withRow(y) { below in
            for index in row.indices { most = max(most, abs(Int(row[index]) - Int(below[index]))) }
          }
        }
      }
      return most
    }

    @Test(arguments: [true, false]) func aMoveOfBothPicturesIsASlide(inCairo: Bool) throws {
      let moment = Moment(old: Placement(x: 0.25), new: Placement(x: -0.75))
      let moved = try picture(moment, inCairo: inCairo)
      let slide = Transition.slide(from: .left, .seconds(1))
      let slid = try DrawnTransition.picture(slide, at: 250, inCairo: inCairo)
      #expect(difference(moved, slid) == 0)
    }

    @Test(arguments: [true, false]) func aNewPictureThatAppearsIsAFade(inCairo: Bool) throws {
      let custom = try picture(Moment(new: Placement(opacity: 0.5)), inCairo: inCairo)
      let fade = Transition.fade(.seconds(1))
      let plain = try DrawnTransition.picture(fade, at: 500, inCairo: inCairo)
      #expect(difference(custom, plain) <= 2)
    }

    @Test(arguments: [true, false])
    func aSmallPictureStandsInTheMiddleOfTheOther(inCairo: Bool) throws {
      let picture = try picture(Moment(new: Placement(scale: 0.5)), inCairo: inCairo)
      for (place, color) in [(8, Self.green), (12, image), (28, image), (32, Self.green)] {
        #expect(picture.color(x: place, y: 20) == color, "\(place)")
        #expect(picture.color(x: 20, y: place) == color, "\(place)")
      }
    }

    @Test func aPictureBehindTheOtherIsCovered() throws {
      let picture = try picture(Moment(old: Placement(scale: 0.5), isNewInFront: false))
      #expect(picture.middle == Self.green)
      #expect(picture.color(x: 3, y: 3) == image)
    }

    @Test(arguments: [1, 0.5]) func aClipDoesNotMoveWithThePicture(opacity: Double) throws {
      let clip = Transition.Area(x: 0.5, width: 0.25)
      let place = Placement(opacity: opacity, x: 0.25, clip: clip)
      let picture = try picture(Moment(old: place, new: Placement(opacity: 0)))
      let alphas = picture.withRow(20) { row in (0..<40).map { row[$0 * 4 + 3] > 100 } }
      #expect(alphas == (0..<40).map { 20..<30 ~= $0 })
    }

    @Test func theFirstMomentIsTheOldPicture() throws {
      let picture = try picture(Moment(old: Placement(opacity: 0)), at: 0)
      #expect(picture.middle == Self.green)
    }

    @Test func theLastMomentIsTheNewPicture() throws {
      let picture = try picture(Moment(new: Placement(opacity: 0)), at: 1000)
      #expect(picture.middle == image)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, -1, 0, 1e-300, 1e18])
    func anyNumberIsDrawn(number: Double) throws {
      let changes: [(inout Placement) -> Void] = [
        { $0.opacity = number }, { $0.x = number }, { $0.y = number }, { $0.scaleX = number },
        { $0.scaleY = number }, { ($0.scaleX, $0.scaleY) = (number, number) },
        { $0.clip = Transition.Area(x: number, y: number) },
        { $0.clip = Transition.Area(width: number, height: number) },
      ]
      for (index, change) in changes.enumerated() {
        var place = Placement(opacity: 0.5)
        change(&place)
        let picture = try picture(Moment(old: place, new: place))
        let clear = Color(red: 0, green: 0, blue: 0, alpha: 0)
        #expect(number.isFinite || picture.middle == clear, "\(index)")
      }
    }
  }
}
