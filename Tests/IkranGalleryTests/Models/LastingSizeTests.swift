import IkranPixels
import Testing

@testable import ikran_gallery

struct LastingSizeTests {
  private let small = PixelSize(width: 100, height: 100)
  private let middle = PixelSize(width: 150, height: 100)
  private let large = PixelSize(width: 200, height: 100)

  /// What the size says of each of several frames.
  private func seen(_ sizes: PixelSize..., by size: inout LastingSize) -> [Bool] {
    sizes.map { size.see($0) }
  }

  @Test func aSizeThatLastsIsLoadedOnce() {
    var size = LastingSize()
    size.load(small)
    let first = seen(large, large, by: &size)
    let lasts = size.lasts(large)
    let later = seen(large, by: &size)
    #expect(first == [true, false])
    #expect(lasts)
    #expect(size.loaded == large)
    #expect(later == [false])
  }

  @Test func sizesOnTheWayAreNotLoaded() {
    var size = LastingSize()
    size.load(small)
    let frames = seen(middle, large, by: &size)
    let lasts = [middle, large].map { size.lasts($0) }
    #expect(frames == [true, true])
    #expect(lasts == [false, true])
  }

  @Test func theSizeThatIsLoadedIsNotLoadedAgain() {
    var size = LastingSize()
    size.load(small)
    let frames = seen(large, small, by: &size)
    let lasts = size.lasts(large)
    #expect(frames == [true, false])
    #expect(!lasts)
    #expect(size.awaited == nil)
  }
}
