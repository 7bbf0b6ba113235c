import Ikran
import IkranApple
import IkranViews
import QuartzCore
import Testing

/// Layers of Core Animation.
@MainActor
struct LayerTests {
  private let layer = CALayer()

  @Test func aLayerHasItsImageAsContents() throws {
    let pipeline = try Pictures.pipeline(with: 0..<1)
    layer.imageTarget.setImage(try Pictures.request(0), from: pipeline)
    #expect(layer.contents != nil)
    #expect(layer.contentsGravity == .resizeAspect)
    #expect(layer.imageTarget.image?.color(x: 8, y: 8) == Pictures.color(0))
  }

  @Test func aLayerShowsNothingWhileItsNextImageLoads() throws {
    let pipeline = try Pictures.pipeline(with: 0..<1)
    layer.imageTarget.setImage(try Pictures.request(0), from: pipeline)
    layer.imageTarget.setImage(try Pictures.request(7), from: pipeline)
    #expect(layer.contents == nil)
  }

  @Test func aClearedLayerHasNoContents() throws {
    let pipeline = try Pictures.pipeline(with: 0..<1)
    layer.imageTarget.setImage(try Pictures.request(0), from: pipeline)
    layer.imageTarget.clearImage()
    #expect(layer.contents == nil)
  }
}
