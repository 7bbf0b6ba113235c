/// A card that turns half around an axis through its middle, as it is seen from a short distance.
///
/// Lengths are halves of the side that gets shorter: the card reaches from -1 to 1, at the left or
/// the top first. Its nearer edge stays in the plane of the pictures, so that nothing of it is
/// larger than they are.
package struct CardTurn {
  /// How far away it is seen from.
  private static let distance = 4.0

  /// Whether its left and right edges come nearer and go away; else the upper and lower ones do.
  package let isHorizontal: Bool
  /// Whether its back is seen, the new picture.
  package let showsBack: Bool
  /// The length of the side, and how much further away its far edge is than its near one.
  private let cosine: Double
  private let depth: Double
  /// -1 where its left or upper edge is nearer, else 1.
  private let nearEdge: Double

  /// A moment of the turn.
  ///
  /// - Parameters:
  ///   - edge: The edge that comes nearer first.
  ///   - progress: From 0 to 1.
  package init(from edge: Transition.Edge, progress: Double) {
    isHorizontal = edge == .left || edge == .right
    showsBack = progress >= 0.5
    let turn = min(progress, 1 - progress)
    cosine = Self.cosine(turn)
    depth = 2 * Self.cosine(0.5 - turn)
    // In the second half it is on the other side of the axis.
    nearEdge = (edge == .left || edge == .top) == showsBack ? 1 : -1
  }

  /// Where it begins and ends; the same number twice when only its edge could be seen.
  package var extent: (start: Double, end: Double) { (place(of: -1), place(of: 1)) }

  /// Where a point of the card is seen.
  private func place(of point: Double) -> Double { point * cosine * scale(at: point) }

  /// How large it is at one of its points: 1 at its near edge, less elsewhere.
  package func scale(at point: Double) -> Double {
    Self.distance / (Self.distance + depth * (1 - nearEdge * point) / 2)
  }

  /// The point of the card that is seen at a place; nil outside of it.
  package func point(at place: Double) -> Double? {
    let nearness = Self.distance * cosine + place * nearEdge * depth / 2
    let point = place * (Self.distance + depth / 2) / nearness
    return abs(point) <= 1 ? point : nil
  }

  /// The cosine of a part of half a turn, from 0 to 0.5, to within 0.002: Bhaskara's approximation.
  private static func cosine(_ turn: Double) -> Double {
    (1 - 4 * turn * turn) / (1 + turn * turn)
  }
}
