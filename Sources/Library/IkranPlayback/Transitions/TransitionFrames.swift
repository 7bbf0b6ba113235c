import IkranCodecs
import IkranPixels

/// Frames between two pictures, computed when they are needed.
///
/// The canvas has the size of the new picture. An old one of another size is scaled to fit into it,
/// in the middle; around it the canvas is clear.
struct TransitionFrames: FrameSource {
  /// The name of the format in ``info``: there is no file.
  static let format = ImageFormat(rawValue: "transition")

  let info: AnimationInfo
  let from: Bitmap
  let to: Bitmap
  let transition: Transition

  init(from: Bitmap, to: Bitmap, _ transition: Transition) {
    let isCovered =
      RenderPlan(stored: from.size, orientation: .up, fitting: .inside(to.size))
      .output == to.size
    info = AnimationInfo(
      format: Self.format,
      size: to.size,
      hasAlpha: from.format.hasAlpha || to.format.hasAlpha || !isCovered
        || transition.effect.uncovers,
      frames: transition.frameDurations.map {
        AnimationInfo.Frame(duration: $0, isKey: true, isBase: false)
      },
      plays: 1
    )
    (self.from, self.to, self.transition) = (from, to, transition)
  }

  func makeComposer() -> sending any FrameComposer { TransitionComposer(self) }
}

/// Draws the frames of a transition; between two frames it keeps both pictures as they are wanted.
private final class TransitionComposer: FrameComposer {
  private struct Pair {
    let fitting: Fitting
    let from: Bitmap
    let to: Bitmap
  }

  private let frames: TransitionFrames
  private var pair: Pair?

  init(_ frames: TransitionFrames) { self.frames = frames }

  func compose(
    _ frame: Int,
    from kept: (number: Int, bitmap: Bitmap)?,
    fitting: Fitting,
    workspace: Workspace
  ) throws(DecodeError) -> Bitmap {
    let transition = frames.transition
    guard (0..<transition.frameCount).contains(frame) else {
      throw .malformed(
        TransitionFrames.format,
        offset: 0,
        reason: "it has \(transition.frameCount) frames, none with the number \(frame)"
      )
    }
    do throws(BitmapError) {
      let pair = try pair(fitting, workspace)
      return try transition.picture(
        from: pair.from,
        to: pair.to,
        progress: transition.progress(at: frame),
        workspace: workspace
      )
    } catch { throw .bitmap(error) }
  }

  /// Both pictures in the canvas's shape, scaled to `fitting`.
  private func pair(_ fitting: Fitting, _ workspace: Workspace) throws(BitmapError) -> Pair {
    if let pair, pair.fitting == fitting { return pair }
    let format: PixelFormat = frames.info.hasAlpha ? .bgra : .bgrx
    var from = try frames.from.converted(to: format)
    if from.size != frames.info.size {
      var canvas = try Canvas(size: frames.info.size, format: format)
      try canvas.draw(from, fitting: .fit, workspace: workspace)
      from = canvas.finish()
    }
    let new = Pair(
      fitting: fitting,
      from: try from.resampled(fitting, workspace: workspace),
      to: try frames.to.converted(to: format).resampled(fitting, workspace: workspace)
    )
    pair = new
    return new
  }
}
