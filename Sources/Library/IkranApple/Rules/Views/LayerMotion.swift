package import IkranPlayback

/// What Core Animation does for a transition.
package enum LayerMotion: Sendable, Hashable {
  /// One picture fades into the other.
  case fade
  /// The new picture pushes the old one out.
  case slide(from: Transition.Edge)
  /// A line moves over the old picture; the new one is behind the line.
  case wipe(from: Transition.Edge)
  /// The picture turns over.
  case flip(from: Transition.Edge)

  /// The motion of a transition.
  ///
  /// - Parameters:
  ///   - transition: What the options have; of a program's own there is the time alone.
  ///   - reducesMotion: Whether the user wants no motion.
  ///   - isAlone: Whether the layer shows nothing but the picture, so that it may be moved.
  package init(_ transition: Transition, reducesMotion: Bool, isAlone: Bool) {
    guard isAlone, !reducesMotion else {
      self = .fade
      return
    }
    switch transition.effect {
    case .fade, .custom: self = .fade
    case .slide(let edge): self = .slide(from: edge)
    case .wipe(let edge): self = .wipe(from: edge)
    case .flip(let edge): self = .flip(from: edge)
    }
  }

  /// Whether the old picture stays until a moment of the motion, from 0 to 1.
  package func showsOld(at progress: Double) -> Bool {
    switch self {
    case .fade, .slide: false
    case .wipe: true
    case .flip: progress < 0.5
    }
  }

  /// The two control points of a timing function: those of `Transition.eased(_:)` exactly, as
  /// x²(3 − 2x) is a cubic curve.
  package static func controlPoints(isEased: Bool) -> [Double] {
    isEased ? [1.0 / 3, 0, 2.0 / 3, 1] : [0, 0, 1, 1]
  }

  /// The angle of a card that turns, in radians, about the axis of its edge.
  ///
  /// In its second half it comes from the other side, so that its back is not seen mirrored.
  ///
  /// - Parameters:
  ///   - edge: The edge that comes nearer first.
  ///   - progress: From 0 to 1.
  ///   - isYDown: Whether larger numbers are further down, as in UIKit.
  /// - Returns: Between half a turn to either side.
  package static func angle(
    from edge: Transition.Edge,
    at progress: Double,
    isYDown: Bool
  ) -> Double {
    turned((progress < 0.5 ? progress : progress - 1) * .pi, from: edge, isYDown: isYDown)
  }

  /// The moments of a card that turns; angles change evenly from each to the next.
  ///
  /// Half-way there are two of them: the card is seen from its edge, and goes to the other side at
  /// once. Between angles a quarter turn to either side it would turn back through its face.
  ///
  /// - Parameters:
  ///   - edge: The edge that comes nearer first.
  ///   - isYDown: Whether larger numbers are further down, as in UIKit.
  /// - Returns: How far the transition is, from 0 to 1, and the angle of the card in radians.
  package static func flipMoments(
    from edge: Transition.Edge,
    isYDown: Bool
  ) -> [(progress: Double, angle: Double)] {
    let half = 8
    return [0, -half].flatMap { start in
      (0...half).map { step in
        let angle = Double(start + step) / Double(2 * half) * .pi
        let progress = Double(step - start) / Double(2 * half)
        return (progress, turned(angle, from: edge, isYDown: isYDown))
      }
    }
  }

  /// The angle about the axis of an edge.
  private static func turned(
    _ angle: Double,
    from edge: Transition.Edge,
    isYDown: Bool
  ) -> Double {
    switch edge {
    case .left: angle
    case .right: -angle
    case .top: isYDown ? -angle : angle
    case .bottom: isYDown ? angle : -angle
    }
  }

  /// From where a mask of the layer's size comes, in parts of its width and height.
  package static func offset(
    of edge: Transition.Edge,
    isYDown: Bool
  ) -> (x: Double, y: Double) {
    switch edge {
    case .left: (-1, 0)
    case .right: (1, 0)
    case .top: (0, isYDown ? -1 : 1)
    case .bottom: (0, isYDown ? 1 : -1)
    }
  }
}
