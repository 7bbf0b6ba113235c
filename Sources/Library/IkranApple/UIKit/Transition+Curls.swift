#if canImport(UIKit) && !os(watchOS)
import IkranPlayback
import IkranViews
import UIKit

extension Transition {
  /// The old picture curls up from the bottom like a page, and the new one is beneath it.
  ///
  /// UIKit draws it, on the image of a `UIImageView`. Other views fade, and so do all of them for
  /// users who want less motion.
  ///
  /// - Parameter duration: How long it takes.
  /// - Returns: The transition.
  public static func curlUp(_ duration: Duration = .milliseconds(500)) -> Transition {
    Curl.up.transition(duration)
  }

  /// The new picture curls down over the old one like a page.
  ///
  /// UIKit draws it, on the image of a `UIImageView`. Other views fade, and so do all of them for
  /// users who want less motion.
  ///
  /// - Parameter duration: How long it takes.
  /// - Returns: The transition.
  public static func curlDown(_ duration: Duration = .milliseconds(500)) -> Transition {
    Curl.down.transition(duration)
  }
}

/// Where the image of a `UIImageView` curls; any other transition is the layer's.
@MainActor
struct CurlStage: PictureStage {
  let view: UIImageView
  let layer: LayerStage

  func begin(
    _ change: (from: LayerContent.Drawn?, transition: Transition, progress: Double),
    to picture: ShownPicture?,
    reducesMotion: Bool
  ) -> any RunningTransition {
    guard !reducesMotion, let curl = Curl(change.transition) else {
      return layer.begin(change, to: picture, reducesMotion: reducesMotion)
    }
    let seconds = change.transition.duration / .seconds(1)
    return CurlTransition(curl, of: view, to: picture, seconds)
  }

  func showRing(_ ring: (start: Double, length: Double)?) { layer.showRing(ring) }
}

/// A curl that UIKit draws.
@MainActor
private final class CurlTransition: RunningTransition {
  private weak var view: UIImageView?
  /// The names that UIKit gave its animations.
  private var keys: Set<String> = []

  init(_ curl: Curl, of view: UIImageView, to picture: ShownPicture?, _ seconds: Double) {
    self.view = view
    let kind: UIView.AnimationOptions =
      switch curl {
      case .up: .transitionCurlUp
      case .down: .transitionCurlDown
      }
    let before = Set(view.layer.animationKeys() ?? [])
    UIView.transition(with: view, duration: seconds, options: [kind, .allowUserInteraction]) {
      view.image = picture?.native
    }
    keys = Set(view.layer.animationKeys() ?? []).subtracting(before)
  }

  func showsOld(at progress: Double) -> Bool { false }

  func end() {
    for key in keys { view?.layer.removeAnimation(forKey: key) }
    view = nil
  }
}
#endif
