#if !CLibraries
import IkranPixels

/// What libjpeg would decode, and this build refuses: our own decoders read whole files of baseline
/// and progressive JPEG.
enum JPEGHandle {
  static func render(
    _ bytes: Span<UInt8>,
    _ header: JPEGHeader,
    reduction: JPEGReduction,
    inks: ColorConversion? = nil,
    workspace: Workspace
  ) throws(DecodeError) -> Bitmap {
    throw .unsupported(
      .jpeg,
      feature: "damage or a coding for which it takes libjpeg, which this build is without"
    )
  }

  static func renderBeginning(
    _ bytes: Span<UInt8>,
    _ header: JPEGHeader,
    reduction: JPEGReduction,
    inks: ColorConversion?,
    workspace: Workspace
  ) throws(DecodeError) -> (picture: Bitmap, rows: Int)? { nil }
}
#endif
