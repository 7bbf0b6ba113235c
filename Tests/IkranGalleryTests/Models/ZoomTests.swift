import IkranPixels
import Testing

@testable import ikran_gallery

struct ZoomTests {
  private func zoom(_ width: Int, _ height: Int, scale: Double = 1) -> Zoom {
    Zoom(
      picture: PixelSize(width: width, height: height),
      room: PixelSize(width: 800, height: 600),
      scale: scale
    )
  }

  @Test func aLargePictureIsShownAsAWhole() {
    let zoom = zoom(8000, 3000)
    #expect(zoom.current == 0.1)
    #expect(zoom.size == (800, 300))
  }

  @Test func aSmallPictureIsNotEnlarged() { #expect(zoom(40, 30).size == (40, 30)) }

  @Test func onePixelForOneCountsThoseOfTheScreen() {
    var zoom = zoom(4000, 3000, scale: 2)
    #expect(zoom.size == (800, 600))
    zoom.set(1)
    #expect(zoom.size == (2000, 1500))
  }

  @Test func itIsNeverSmallerThanTheWholePicture() {
    var zoom = zoom(1600, 1200)
    zoom.step(1)
    #expect(zoom.factor != nil)
    zoom.step(-3)
    #expect(zoom.factor == nil)
    #expect(zoom.current == 0.5)
  }

  @Test func itEndsAtTheLargest() {
    var zoom = zoom(40, 30)
    zoom.step(100)
    #expect(zoom.factor == Zoom.largest)
  }

  @Test func stepsStopAtOnePixelForOne() {
    var zoom = zoom(1000, 700)
    zoom.step(1)
    #expect(zoom.factor == 1)
    zoom.step(2)
    #expect(abs(zoom.current - 1.8) < 0.001)
    zoom.step(-3)
    #expect(zoom.factor == 1)
  }

  @Test func aDoubleClickShowsOnePixelForOneAndTheWholeAgain() {
    var zoom = zoom(1600, 1200)
    zoom.toggle()
    #expect(zoom.factor == 1)
    zoom.toggle()
    #expect(zoom.factor == nil)
  }

  @Test func whatIsBelowTheMouseStaysThere() {
    // 250 of 1000 is 500 of 2000.
    let offset = Zoom.offset(keeping: 150, from: (1000, 100), to: 2000, in: 800)
    #expect(offset == 350)
  }

  @Test func whatTheWholePictureHasAtAPointStaysThere() {
    var zoom = zoom(1600, 1200)
    zoom.set(2)
    // 200 points right of the middle are 400 pixels at a half, and 100 at two.
    #expect(zoom.middle(keeping: (600, 300)) == (1100, 600))
    #expect(zoom.middle(keeping: nil) == (800, 600))
  }

  @Test func aPictureInTheMiddleIsEnlargedFromItsOwnPlace() {
    // It begins at 300: the point is its middle.
    #expect(Zoom.offset(keeping: 400, from: (200, 0), to: 1000, in: 800) == 100)
  }

  @Test func aFittedPictureIsDrawnAsLargeAsItsRoomIfAtAllSmaller() {
    #expect(Zoom.drawn((1600, 600), in: (800, 600), fills: false) == (800, 300))
    #expect(Zoom.drawn((40, 30), in: (800, 600), fills: false) == (40, 30))
  }

  @Test func aZoomedPictureIsDrawnAsLargeAsItsRoom() {
    #expect(Zoom.drawn((40, 30), in: (80, 60), fills: true) == (80, 60))
  }

  @Test func nothingIsScrolledBeyondTheEnds() {
    #expect(Zoom.offset(keeping: 0, from: (800, 0), to: 1600, in: 800) == 0)
    #expect(Zoom.offset(keeping: 800, from: (800, 0), to: 1600, in: 800) == 800)
    #expect(Zoom.offset(keeping: 400, from: (1600, 300), to: 500, in: 800) == 0)
  }
}
