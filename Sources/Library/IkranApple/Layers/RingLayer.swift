#if canImport(QuartzCore) && !os(watchOS)
import CoreGraphics
import QuartzCore

/// The ring that shows that an image is on its way, in the middle of a layer.
@MainActor
struct RingLayer {
  /// Their names, by which they are found again.
  private static let names = (track: "org.ikran.ring.track", arc: "org.ikran.ring.arc")

  /// Shows a part of a ring, in turns clockwise from the top; nil removes it.
  static func show(
    _ ring: (start: Double, length: Double)?,
    in layer: CALayer,
    isYDown: Bool
  ) {
    let (width, height) = (Double(layer.bounds.size.width), Double(layer.bounds.size.height))
    let radius = min(16, min(width, height) / 4)
    guard let ring, radius >= 2 else {
      for old in [names.track, names.arc] { find(old, in: layer)?.removeFromSuperlayer() }
      return
    }
    // It changes at each frame, and not between them.
    CATransaction.begin()
    CATransaction.setDisableActions(true)
    defer { CATransaction.commit() }
    // A gray that is seen on dark windows and on light ones.
    for (name, opacity) in [(names.track, 0.3), (names.arc, 0.9)] {
      let shape = find(name, in: layer) ?? make(name, in: layer)
      let side = CGFloat(2 * radius)
      shape.bounds = CGRect(x: 0, y: 0, width: side, height: side)
      shape.position = CGPoint(x: CGFloat(width / 2), y: CGFloat(height / 2))
      shape.path = CGPath(ellipseIn: shape.bounds, transform: nil)
      shape.lineWidth = CGFloat(max(2, radius / 5))
      shape.strokeColor = CGColor(gray: 0.5, alpha: CGFloat(opacity))
    }
    guard let arc = find(names.arc, in: layer) else { return }
    arc.strokeEnd = CGFloat(ring.length)
    // A path begins at the right.
    let angle = (ring.start - 0.25) * 2 * .pi
    let turned = CATransform3DMakeRotation(CGFloat(angle), 0, 0, 1)
    // Where y goes up, clockwise would go the other way.
    arc.transform =
      isYDown ? turned : CATransform3DConcat(turned, CATransform3DMakeScale(1, -1, 1))
  }

  private static func find(_ name: String, in layer: CALayer) -> CAShapeLayer? {
    layer.sublayers?.lazy.compactMap { $0 as? CAShapeLayer }.first { $0.name == name }
  }

  private static func make(_ name: String, in layer: CALayer) -> CAShapeLayer {
    let shape = CAShapeLayer()
    shape.name = name
    shape.fillColor = nil
    layer.addSublayer(shape)
    return shape
  }
}
#endif
