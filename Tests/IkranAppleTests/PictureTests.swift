import CoreGraphics
import Foundation
import Ikran
import IkranApple
import Testing

/// Bitmaps and images of Core Graphics.
struct PictureTests {
  @Test func thePixelsOfAnImageAreThoseOfTheBitmap() throws {
    for format in [PixelFormat.bgra, .bgrx, .bgr, .gray] {
      let bitmap = try Pictures.bitmap(3).converted(to: format)
      let image = try #require(bitmap.cgImage)
      let drawn = try Bitmap(drawing: image)
      for place in 0..<16 {
        #expect(drawn.color(x: place, y: 15 - place) == bitmap.color(x: place, y: 15 - place))
      }
    }
  }

  @Test func aTablesPictureIsThereAfterThePipelineWasSuspended() async throws {
    let folder = NSTemporaryDirectory() + "ikran-\(UInt64.random(in: 0 ... .max))"
    let options = PipelineOptions(disk: DiskOptions(directory: folder), tables: TableOptions())
    let pipeline = ImagePipeline(options: options)
    let request = try Pictures.request(5)
    pipeline.store(try Pictures.bitmap(5), for: request)
    await pipeline.finishWriting()
    await pipeline.suspend()
    pipeline.resume()
    pipeline.trimMemory(toBytes: 0)
    let shown = try #require(pipeline.cached(for: request))
    #expect(shown.color(x: 8, y: 8) == Pictures.color(5))
    await pipeline.removeAll()
  }
}
