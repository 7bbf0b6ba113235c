#if canImport(QuartzCore) && !os(watchOS)
import CoreGraphics
import Foundation
import IkranPlayback
import IkranViews
import QuartzCore

/// A layer in which one picture gives way to another.
@MainActor
struct LayerStage: PictureStage {
  let layer: CALayer
  /// Whether it shows nothing but the picture, so that it may move.
  let isAlone: Bool
  /// Whether larger numbers are further down, as in UIKit.
  let isYDown: Bool

  func begin(
    _ change: (from: LayerContent.Drawn?, transition: Transition, progress: Double),
    to picture: ShownPicture?,
    reducesMotion: Bool
  ) -> any RunningTransition {
    let transition = change.transition
    let motion = LayerMotion(transition, reducesMotion: reducesMotion, isAlone: isAlone)
    let running = LayerTransition(motion, on: self)
    let points = LayerMotion.controlPoints(isEased: transition.isEased).map { Float($0) }
    let timing = CAMediaTimingFunction(controlPoints: points[0], points[1], points[2], points[3])
    running.begin(to: picture, (transition.duration / .seconds(1), timing))
    return running
  }

  func showRing(_ ring: (start: Double, length: Double)?) {
    RingLayer.show(ring, in: layer, isYDown: isYDown)
  }
}

/// A transition that Core Animation draws.
@MainActor
final class LayerTransition: RunningTransition {
  private typealias Pace = (seconds: Double, timing: CAMediaTimingFunction)

  /// The name of its animation in the layer.
  private static let key = "org.ikran.transition"

  private let motion: LayerMotion
  private let stage: LayerStage
  /// The new picture over the old one.
  private var cover: CALayer?

  init(_ motion: LayerMotion, on stage: LayerStage) { (self.motion, self.stage) = (motion, stage) }

  func showsOld(at progress: Double) -> Bool { motion.showsOld(at: progress) }

  /// Whether a `CATransition` does it: a layer has one at most, by a name of Core Animation's own,
  /// whatever name it was added with.
  private var isTransition: Bool {
    switch motion {
    case .fade, .slide: true
    case .wipe, .flip: false
    }
  }

  fileprivate func begin(
    to picture: ShownPicture?,
    _ pace: (seconds: Double, timing: CAMediaTimingFunction)
  ) {
    switch motion {
    case .fade: add(CATransition.fading(), pace)
    case .slide(let edge): add(CATransition.pushing(from: edge, isYDown: stage.isYDown), pace)
    case .wipe(let edge): wipe(to: picture, from: edge, pace)
    case .flip(let edge): add(flip(from: edge), pace)
    }
  }

  func end() {
    stage.layer.removeAnimation(forKey: isTransition ? kCATransition : Self.key)
    cover?.removeFromSuperlayer()
    cover = nil
  }

  private func add(_ animation: CAAnimation, to layer: CALayer? = nil, _ pace: Pace) {
    animation.duration = pace.seconds
    animation.timingFunction = pace.timing
    (layer ?? stage.layer).add(animation, forKey: isTransition ? kCATransition : Self.key)
  }

  /// The new picture lies over the old one, and a mask of their size moves over it.
  private func wipe(to picture: ShownPicture?, from edge: Transition.Edge, _ pace: Pace) {
    let bounds = stage.layer.bounds
    let (cover, mask) = (CALayer(), CALayer())
    (cover.frame, mask.frame) = (bounds, CGRect(origin: .zero, size: bounds.size))
    if let picture {
      let image = CALayer()
      image.frame = picture.frame(in: bounds.size, isYDown: stage.isYDown)
      image.contents = picture.image.cgImage
      cover.addSublayer(image)
    }
    cover.masksToBounds = true
    mask.backgroundColor = CGColor(gray: 0, alpha: 1)
    cover.mask = mask
    stage.layer.addSublayer(cover)
    self.cover = cover
    let offset = LayerMotion.offset(of: edge, isYDown: stage.isYDown)
    let isHorizontal = offset.x != 0
    let moved = CABasicAnimation(keyPath: isHorizontal ? "position.x" : "position.y")
    let end = Double(isHorizontal ? mask.position.x : mask.position.y)
    let side = Double(isHorizontal ? bounds.size.width : bounds.size.height)
    moved.fromValue = end + (isHorizontal ? offset.x : offset.y) * side
    moved.toValue = end
    add(moved, to: mask, pace)
  }

  /// The layer turns about its middle, wherever its anchor is.
  private func flip(from edge: Transition.Edge) -> CAAnimation {
    let turned = CAKeyframeAnimation(keyPath: "transform")
    let moments = LayerMotion.flipMoments(from: edge, isYDown: stage.isYDown)
    let isHorizontal = edge == .left || edge == .right
    turned.keyTimes = moments.map { NSNumber(value: $0.progress) }
    turned.values = moments.map {
      NSValue(caTransform3D: stage.turned(by: $0.angle, isHorizontal: isHorizontal))
    }
    return turned
  }
}

extension LayerStage {
  /// How far away a card is seen from, in its widths.
  private static let distance = 4.0

  /// The layer turned about its middle, as it is seen from a short distance.
  fileprivate func turned(by angle: Double, isHorizontal: Bool) -> CATransform3D {
    let (size, anchor) = (layer.bounds.size, layer.anchorPoint)
    let x = (0.5 - Double(anchor.x)) * Double(size.width)
    let y = (0.5 - Double(anchor.y)) * Double(size.height)
    let side = Double(isHorizontal ? size.width : size.height)
    var seen = CATransform3DIdentity
    seen.m34 = CGFloat(-1 / max(1, side * Self.distance))
    let (across, up): (CGFloat, CGFloat) = isHorizontal ? (0, 1) : (1, 0)
    seen = CATransform3DRotate(seen, CGFloat(angle), across, up, 0)
    seen = CATransform3DConcat(CATransform3DMakeTranslation(CGFloat(-x), CGFloat(-y), 0), seen)
    return CATransform3DConcat(seen, CATransform3DMakeTranslation(CGFloat(x), CGFloat(y), 0))
  }
}

extension ShownPicture {
  /// Where it lies in a layer, in points.
  fileprivate func frame(in size: CGSize, isYDown: Bool) -> CGRect {
    let area = Rectangle(x: 0, y: 0, width: Double(size.width), height: Double(size.height))
    let own = (Double(image.cgImage.width) / scale, Double(image.cgImage.height) / scale)
    let lying = mode.contentMode.rectangle(width: own.0, height: own.1, in: area)
    let place = isStretched ? area : lying
    let top = isYDown ? place.y : area.height - place.y - place.height
    return CGRect(
      x: CGFloat(place.x),
      y: CGFloat(top),
      width: CGFloat(place.width),
      height: CGFloat(place.height)
    )
  }
}

extension CATransition {
  fileprivate static func fading() -> CATransition {
    let transition = CATransition()
    transition.type = .fade
    return transition
  }

  fileprivate static func pushing(from edge: Transition.Edge, isYDown: Bool) -> CATransition {
    let transition = CATransition()
    transition.type = .push
    // Core Animation's top is where numbers are largest.
    transition.subtype =
      switch edge {
      case .left: .fromLeft
      case .right: .fromRight
      case .top: isYDown ? .fromBottom : .fromTop
      case .bottom: isYDown ? .fromTop : .fromBottom
      }
    return transition
  }
}
#endif
