import IkranCodecs
import IkranPixels

/// What is kept with an image of the file that it was made from.
struct DecodedFile: Sendable, Hashable {
  let format: ImageFormat
  let orientation: Orientation
  /// The width and height of the whole picture, upright.
  let size: PixelSize
  /// Whether it was resampled to fewer pixels.
  let isReduced: Bool

  /// A file with this header, of which these pixels were made.
  init(_ info: ImageInfo, _ fitting: Fitting) {
    (format, orientation, size) = (info.format, info.orientation, info.uprightSize)
    let plan = RenderPlan(stored: info.size, orientation: orientation, fitting: fitting)
    isReduced = plan.ratio > 1
  }
}
