import CGTK
import IkranGTK
import IkranTesting
import Testing

extension GTKTests {
  /// What is on display is the image, pixel by pixel.
  @Suite @MainActor
  struct WidgetPixelTests {
    private let pipeline = ImagePipeline.deterministic(transport: FakeTransport())

    /// A picture with every alpha, in a format.
    private static func picture(_ format: PixelFormat, width: Int, height: Int) throws -> Bitmap {
      var canvas = try Canvas(size: PixelSize(width: width, height: height), format: .bgra)
      let bytesPerRow = canvas.bytesPerRow
      canvas.withMutableBytes { bytes in
        for y in 0..<height {
          for x in 0..<width {
            let alpha = format == .bgra ? (x * 255) / (width - 1) : 255
            let start = y * bytesPerRow + x * 4
            bytes[start] = UInt8((y * 37 + x * 11) % (alpha + 1))
            bytes[start + 1] = UInt8((y * 5 + x * 3) % (alpha + 1))
            bytes[start + 2] = UInt8((x * y) % (alpha + 1))
            bytes[start + 3] = UInt8(alpha)
          }
        }
      }
      return try canvas.finish().converted(to: format)
    }

    @Test(arguments: [PixelFormat.bgra, .bgrx, .bgr, .bgr555, .gray], [1, 2])
    func theWidgetShowsTheImagesOwnPixels(format: PixelFormat, scale: Int) throws {
      try Display.open()
      try Display.setScale(CInt(scale))
      defer { try? Display.setScale(1) }
      let window = try Window(width: 31, height: 17)
      let image = try Self.picture(format, width: 31 * scale, height: 17 * scale)
      var request = ImageRequest(TestURL.face(0), style: .rectangle(width: 31, height: 17))
      request.scale = Double(scale)
      pipeline.store(image, for: request)
      request.scale = nil
      ImageTarget(window.widget).setImage(request, from: pipeline)
      try window.drawFrames(2)
      let shown = try window.pixels(scale: scale)
      // Cairo mixes with 8 bits, and rounds once more.
      try expectPixels(shown, equal: image, tolerance: format == .bgra ? 1 : 0)
    }
  }
}
