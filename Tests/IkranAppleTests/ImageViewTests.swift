import Ikran
import IkranApple
import IkranPlayback
import IkranViews
import Testing

#if canImport(UIKit)
import UIKit
typealias PlatformImageView = UIImageView
#else
import AppKit
typealias PlatformImageView = NSImageView
#endif

/// An image view as a cell of a list has it.
@MainActor
struct ImageViewTests {
  private let view = PlatformImageView(frame: CGRect(x: 0, y: 0, width: 16, height: 16))

  @Test func anImageInMemoryIsThereWhenTheCallReturns() throws {
    let pipeline = try Pictures.pipeline(with: 0..<1)
    ImageTarget(view).setImage(try Pictures.request(0), from: pipeline)
    #expect(view.image != nil)
    #expect(ImageTarget(view).image?.color(x: 8, y: 8) == Pictures.color(0))
  }

  @Test func aReusedCellShowsItsNewImage() throws {
    let pipeline = try Pictures.pipeline(with: 0..<2)
    ImageTarget(view).setImage(try Pictures.request(0), from: pipeline)
    let first = try #require(view.image)
    ImageTarget(view).setImage(try Pictures.request(1), from: pipeline)
    #expect(view.image !== first)
    #expect(ImageTarget(view).image?.color(x: 8, y: 8) == Pictures.color(1))
  }

  @Test func aReusedCellShowsNoOldImageWhileTheNewOneLoads() throws {
    let pipeline = try Pictures.pipeline(with: 0..<1)
    ImageTarget(view).setImage(try Pictures.request(0), from: pipeline)
    ImageTarget(view).setImage(try Pictures.request(7), from: pipeline)
    #expect(view.image == nil)
  }

  @Test func theSameImageIsNotSetAgain() throws {
    let pipeline = try Pictures.pipeline(with: 0..<1)
    ImageTarget(view).setImage(try Pictures.request(0), from: pipeline)
    let first = try #require(view.image)
    ImageTarget(view).setImage(try Pictures.request(0), from: pipeline)
    #expect(view.image === first)
  }

  @Test func anAnimationShowsItsFirstFrame() async throws {
    let animation = try Pictures.animation(1)
    _ = try await animation.decodedFrame(at: 0)
    ImageTarget(view).setImage(animation)
    #expect(ImageTarget(view).image?.color(x: 8, y: 8) == Pictures.color(1))
    #expect(ImageTarget(view).player?.animation.frameCount == animation.frameCount)
  }

  @Test func theViewsOfAnAnimationShareItsPlayer() async throws {
    let animation = try Pictures.animation(1)
    let other = PlatformImageView(frame: CGRect(x: 0, y: 0, width: 16, height: 16))
    ImageTarget(view).setImage(animation)
    ImageTarget(other).setImage(animation)
    #expect(ImageTarget(view).player === ImageTarget(other).player)
  }

  @Test func aClosureShowsTheImageOfAnyObject() throws {
    let pipeline = try Pictures.pipeline(with: 0..<1)
    let object = Shown()
    let target = ImageTarget(object) { [weak object] image in object?.widths.append(image?.width) }
    target.setImage(try Pictures.request(0), from: pipeline)
    #expect(object.widths == [16])
  }

  @Test func aNewClosureTakesThePlaceOfTheLastOne() throws {
    let pipeline = try Pictures.pipeline(with: 0..<1)
    let (object, other) = (Shown(), Shown())
    ImageTarget(object) { [weak object] image in object?.widths.append(image?.width) }
      .setImage(try Pictures.request(0), from: pipeline)
    ImageTarget(object) { [weak other] image in other?.widths.append(image?.width) }
      .setImage(try Pictures.request(0), from: pipeline)
    #expect(object.widths == [16])
    #expect(other.widths == [16])
  }

  @Test func anObjectWithoutASizeRefusesAnImageOfItsSize() throws {
    let object = Shown()
    let target = ImageTarget(object) { _ in }
    var request = try Pictures.request(0)
    request.style = .automatic
    target.setImage(request, from: try Pictures.pipeline(with: 0..<1))
    let hasFailed = if case .failed(.invalidRequest) = target.state { true } else { false }
    #expect(hasFailed)
  }

  @Test func viewsOfOnePictureShareItsImage() throws {
    let pipeline = try Pictures.pipeline(with: 0..<1)
    let other = PlatformImageView(frame: CGRect(x: 0, y: 0, width: 16, height: 16))
    for view in [view, other] {
      ImageTarget(view).setImage(try Pictures.request(0), from: pipeline)
    }
    #expect(view.image != nil && view.image === other.image)
  }
}

/// What a closure has shown.
@MainActor
private final class Shown {
  var widths: [Int?] = []
}
