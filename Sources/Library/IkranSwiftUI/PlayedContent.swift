import CoreGraphics
import IkranApple
import IkranPlayback
import IkranViews
import SwiftUI

/// The content of an image, with the frame that is shown of an animation.
///
/// A view of its own, so that a frame runs this body alone, and neither looks for a request nor for
/// its image.
struct PlayedContent<Content: View>: View {
  /// What of an animation another load would play.
  private struct PlayID: Hashable {
    let animation: ObjectIdentifier
    let options: PlaybackOptions
  }

  let phase: IkranImagePhase
  /// nil for a still.
  let animation: IkranPlayback.Animation?
  let options: PlaybackOptions
  /// Pixels per point.
  let scale: CGFloat
  let content: (IkranImagePhase) -> Content

  @State private var frame: (animation: ObjectIdentifier, image: CGImage)?

  var body: some View {
    content(playedPhase).task(id: id) { await play() }
  }

  private var id: PlayID? { animation.map { PlayID(animation: $0.id, options: options) } }

  private var playedPhase: IkranImagePhase {
    guard case .shown(_, let source) = phase, let frame, frame.animation == animation?.id
    else { return phase }
    return .shown(Image(decorative: frame.image, scale: scale), source)
  }

  /// Shows the frames that all views of the image show, until SwiftUI takes the view away.
  private func play() async {
    guard let animation else { return frame = nil }
    let object = FrameObject()
    let target = ImageTarget(object) { image in
      // Without one, the first frame stays.
      if let image { frame = (animation.id, image) }
    }
    var display = DisplayOptions()
    display.playback = options
    target.setImage(animation, options: display)
    let (end, source) = AsyncStream<Never>.makeStream()
    // Only a cancellation ends it.
    for await _ in end {}
    source.finish()
    // The frames end with the object.
    withExtendedLifetime(object) { target.clearImage() }
  }
}

/// What the frames of a view of SwiftUI hang on.
private final class FrameObject {}
