#if !CLibraries
import IkranPixels

/// What libpng would decode, and this build refuses: our own decoder reads whole files that are not
/// interlaced.
enum PNGHandle {
  private static let refusal = DecodeError.unsupported(
    .png,
    feature: "data that is damaged or interlaced, which only libpng reads; this build is without it"
  )

  static func render(
    _ bytes: Span<UInt8>,
    _ plan: RenderPlan,
    of info: ImageInfo,
    workspace: Workspace,
    reduction: PNGReduction? = nil
  ) throws(DecodeError) -> Bitmap { throw refusal }

  static func picture(
    _ bytes: Span<UInt8>,
    _ plan: RenderPlan,
    of info: ImageInfo,
    workspace: Workspace,
    reduction: PNGReduction? = nil
  ) throws(DecodeError) -> DecodedPicture { throw refusal }

  static func deliver(
    _ bytes: Span<UInt8>,
    _ info: ImageInfo,
    to sink: inout some RowSink & ~Copyable
  ) throws(DecodeError) { throw refusal }

  static func renderPasses(
    _ bytes: Span<UInt8>,
    _ plan: RenderPlan,
    of info: ImageInfo,
    workspace: Workspace
  ) throws(DecodeError) -> Bitmap? { nil }

  static func renderBeginning(
    _ bytes: Span<UInt8>,
    plan: RenderPlan,
    info: ImageInfo,
    workspace: Workspace
  ) throws(DecodeError) -> (picture: Bitmap, rows: Int)? { nil }
}

/// Refuses the frames of an animated PNG, which libpng would read: the file is a still, its default
/// picture.
final class PNGPainter: FramePainter {
  /// Whether this build draws frames at all.
  static let isAvailable = false

  let notes: [DecodeNote] = []

  init(_ bytes: [UInt8], _ list: PNGFrameList) {}

  func paint(_ frame: Int, on canvas: inout AnimationCanvas) throws(DecodeError) -> Bool {
    throw .unsupported(.png, feature: "frames, which only libpng reads; this build is without it")
  }
}
#endif
