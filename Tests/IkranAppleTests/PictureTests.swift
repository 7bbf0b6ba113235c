import CoreGraphics
import Ikran
import IkranApple
import IkranPlayback
import Testing

/// Bitmaps and images of Core Graphics.
struct PictureTests {
  /// What five bits of a channel leave of eight.
  private static let fewestLevels = 8

  @Test func thePixelsOfAnImageAreThoseOfTheBitmap() throws {
    for format in [PixelFormat.bgra, .bgrx, .bgr, .gray] {
      let bitmap = try Pictures.bitmap(3).converted(to: format)
      let image = try #require(bitmap.cgImage)
      #expect(image.width == 16)
      #expect(image.height == 16)
      let drawn = try Bitmap(drawing: image)
      for place in 0..<16 {
        #expect(drawn.color(x: place, y: 15 - place) == bitmap.color(x: place, y: 15 - place))
      }
    }
  }

  @Test func anImageOfFifteenBitsHasTheColoursOfTheBitmap() throws {
    let bitmap = try Pictures.bitmap(3).converted(to: .bgr555)
    let drawn = try Bitmap(drawing: try #require(bitmap.cgImage))
    let expected = try #require(bitmap.color(x: 8, y: 8))
    let color = try #require(drawn.color(x: 8, y: 8))
    for (one, other) in [(color.red, expected.red), (color.green, expected.green)] {
      #expect(abs(Int(one) - Int(other)) <= Self.fewestLevels)
    }
  }

  @Test func transparentPixelsStayTransparent() throws {
    let clear = Color(red: 200, green: 100, blue: 50, alpha: 0)
    let size = PixelSize(width: 16, height: 16)
    let bitmap = try Placeholder.color(clear).bitmap(size: size).converted(to: .bgra)
    let drawn = try Bitmap(drawing: try #require(bitmap.cgImage))
    #expect(drawn.color(x: 8, y: 8)?.alpha == 0)
  }

  @Test func allFramesOfAnAnimationHaveAnImage() async throws {
    let animation = try Pictures.animation(1)
    for number in 0..<animation.frameCount {
      let frame = try await animation.decodedFrame(at: number)
      let drawn = try Bitmap(drawing: try #require(frame.cgImage))
      #expect(drawn.color(x: 8, y: 8) == frame.color(x: 8, y: 8))
    }
    let last = try await animation.decodedFrame(at: animation.frameCount - 1)
    #expect(last.color(x: 8, y: 8) == Pictures.color(2))
  }
}
