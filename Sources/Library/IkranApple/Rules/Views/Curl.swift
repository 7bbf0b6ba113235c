package import IkranPlayback

/// A curl of UIKit's as a transition; what does not draw curls fades by it.
package enum Curl: String, Sendable, CaseIterable {
  case up = "org.ikran.curl.up"
  case down = "org.ikran.curl.down"

  /// The curl of a transition; nil for one that is none.
  package init?(_ transition: Transition) {
    guard case .custom(let effect) = transition.effect else { return nil }
    self.init(rawValue: effect.id)
  }

  package func transition(_ duration: Duration) -> Transition {
    .custom(id: rawValue, duration) { progress in
      Transition.Moment(new: Transition.Placement(opacity: progress))
    }
  }
}
