import IkranCodecs
import IkranPixels

/// What is done to every composed frame of an animation.
struct FrameStyle: Sendable {
  let style: Style
  let scale: Double
  private let fitting: Fitting

  init(_ style: Style, scale: Double) throws(StyleError) {
    self.style = style
    self.scale = scale
    fitting = try style.fitting(scale: scale)
  }

  /// Whether frames are pictures of the whole canvas, from which others can be composed.
  var keepsFrames: Bool { style == .original }

  /// The size of a frame, before filters that change the shape and a freeform style's transform.
  func size(of info: AnimationInfo) -> PixelSize {
    let plan = RenderPlan(stored: info.size, orientation: info.orientation, fitting: fitting)
    return info.orientation.uprightSize(of: plan.output)
  }

  /// The bytes that a frame is expected to take, at most `Int.max`.
  func byteCount(of info: AnimationInfo) -> Int {
    Self.byteCount(of: size(of: info))
  }

  /// The bytes of a picture of four bytes per pixel, at most `Int.max`.
  static func byteCount(of size: PixelSize) -> Int {
    guard let row = PixelFormat.bgra.bytesPerRow(width: size.width) else { return .max }
    let (bytes, overflow) = row.multipliedReportingOverflow(by: size.height)
    return overflow ? .max : bytes
  }

  /// Composes a frame and applies the style.
  func compose(
    _ frame: Int,
    of info: AnimationInfo,
    with composer: any FrameComposer,
    from seed: (number: Int, bitmap: Bitmap)?,
    workspace: Workspace
  ) -> Result<Bitmap, PlaybackError> {
    do throws(DecodeError) {
      let bitmap = try composer.compose(frame, from: seed, fitting: fitting, workspace: workspace)
      do throws(StyleError) {
        return .success(
          try style.applyFiltersAndEdges(consume bitmap, scale: scale, workspace: workspace)
        )
      } catch { return .failure(.style(error)) }
    } catch { return .failure(.decode(error)) }
  }
}
