import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// Where nothing is resized, a crop has the pixels of the file.
@Suite(.timeLimit(.minutes(10)))
struct CropTests {
  private static let sizes = [(33, 32), (32, 33), (47, 10), (9, 64), (131, 128)]
    .map { PixelSize(width: $0.0, height: $0.1) }

  /// Stripes of one pixel across and down, black and white.
  private static func stripes(_ size: PixelSize) throws -> Bitmap {
    var canvas = try Canvas(size: size, format: .bgrx)
    let bytesPerRow = canvas.bytesPerRow
    canvas.withMutableBytes { bytes in
      for y in 0..<size.height {
        for x in 0..<size.width {
          for channel in 0..<3 where (x + (y / 3)) % 2 == 1 {
            bytes[y * bytesPerRow + x * 4 + channel] = 255
          }
        }
      }
    }
    return canvas.finish()
  }

  /// The crop to the square of the shorter side, from the middle or one pixel before it.
  private func middle(of whole: Bitmap) throws -> Bitmap {
    let side = min(whole.width, whole.height)
    let (x, y) = ((whole.width - side) / 2, (whole.height - side) / 2)
    return try whole.cropped(columns: x..<x + side, rows: y..<y + side)
  }

  private func square(of whole: Bitmap) -> Fitting {
    let side = min(whole.width, whole.height)
    return .cover(PixelSize(width: side, height: side))
  }

  @Test(arguments: [ImageEncoding.png, .webpLossless, .gif], sizes)
  func stripesStayStripesInEveryFormat(_ encoding: ImageEncoding, _ size: PixelSize) throws {
    let whole = try Self.stripes(size)
    let bytes = try whole.encoded(as: encoding)
    let crop = try outcome(of: bytes, square(of: whole)).get()
    #expect(crop.distance(to: try middle(of: whole)) == 0)
  }

  @Test(arguments: Orientation.allCases, sizes)
  func aTurnedPhotoIsCroppedAsItIsShown(_ orientation: Orientation, _ size: PixelSize) throws {
    for isProgressive in [false, true] {
      let sample = JPEGSample(
        width: size.width,
        height: size.height,
        sampling: .quarter,
        isProgressive: isProgressive
      )
      let bytes = Regions.bytes(sample.bytes(), turned: orientation)
      let whole = try outcome(of: bytes).get()
      let crop = try outcome(of: bytes, square(of: whole)).get()
      #expect(Regions.areSame(crop, try middle(of: whole)))
    }
  }

  @Test func anAnimationsFramesAreCroppedAtWholePixels() throws {
    let whole = try Self.stripes(PixelSize(width: 33, height: 32))
    let dark = try Canvas(size: whole.size, format: .bgrx).finish()
    let encoder = try AnimationEncoder(.gif, size: whole.size, plays: nil)
    try encoder.add(dark, duration: 40)
    try encoder.add(whole, duration: 40)
    let file = try encoder.finish()
    let source = try #require(try CodecList.standard.frames(of: file))
    let frame = try source.makeComposer()
      .compose(1, from: nil, fitting: square(of: whole), workspace: Workspace())
    #expect(frame.distance(to: try middle(of: whole)) == 0)
  }

  /// A reduced picture has at least twice the pixels of the result: it is always resized.
  @Test func noReducedPictureIsCroppedOnly() throws {
    for sampling in JPEGSample.Sampling.allCases {
      let sample = JPEGSample(width: 1_153, height: 1_152, sampling: sampling)
      let header = try JPEGHeader(sample.bytes().span)
      for side in stride(from: 16, through: 1_152, by: 16) {
        let fitting = Fitting.cover(PixelSize(width: side, height: side))
        let plan = RenderPlan(stored: header.info.size, orientation: .up, fitting: fitting)
        let reduction = JPEGReduction(plan, header)
        let ratio = reduction.plan.ratio
        #expect(reduction.eighths == 8 || ratio >= 2, "\(sampling) \(side)")
        #expect((reduction.plan.cut != nil) == (side == 1_152), "\(sampling) \(side)")
      }
    }
  }
}
