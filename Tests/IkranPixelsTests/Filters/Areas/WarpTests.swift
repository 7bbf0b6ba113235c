import IkranPixels
import TestBasics
import Testing

/// Bent and mirrored pictures against their formulas.
@Suite(.timeLimit(.minutes(10)))
struct WarpTests {
  /// A picture whose pixels come from a multiple of their distance to a centre.
  private func bent(
    _ exact: ExactPicture,
    x: Double,
    y: Double,
    reach: @escaping (_ distance: Double) -> Double
  ) -> ExactPicture {
    let (middleX, middleY) = (x * Double(exact.width), y * Double(exact.height))
    return ExactPicture(like: exact) { x, y in
      let (dx, dy) = (Double(x) + 0.5 - middleX, Double(y) + 0.5 - middleY)
      let reach = reach((dx * dx + dy * dy).squareRoot())
      return exact.bilinear(middleX + dx * reach, middleY + dy * reach)
    }
  }

  @Test(arguments: [-1, -0.4, 0.5, 1]) func aBulgeGoesByTheSquareOfTheNearness(
    amount: Double
  ) throws {
    try expectSpatialFormula(seed: 71) {
      try $0.filtered([.bulge(amount, radius: 0.4, x: 0.3, y: 0.6)], workspace: $1)
    } formula: { exact in
      let radius = 0.4 * Double(min(exact.width, exact.height))
      return bent(exact, x: 0.3, y: 0.6) { distance in
        let factor = 1 - (1 - distance / radius) * amount
        return distance < radius ? factor * factor : 1
      }
    }
  }

  @Test(arguments: [-2, -0.4, 0.5, 2]) func aPinchGoesByTheNearness(amount: Double) throws {
    try expectSpatialFormula(seed: 72) {
      try $0.filtered([.pinch(amount, radius: 0.7)], workspace: $1)
    } formula: { exact in
      let radius = 0.7 * Double(min(exact.width, exact.height))
      return bent(exact, x: 0.5, y: 0.5) { distance in
        distance < radius ? 1 + (1 - distance / radius) * amount : 1
      }
    }
  }

  @Test(arguments: [(3, 12, 0), (9, 5, 0.3)]) func aRippleIsASineOfTheDistance(
    amplitude: Double,
    wavelength: Double,
    phase: Double
  ) throws {
    let filter = Filter.ripple(amplitude: amplitude, wavelength: wavelength, phase: phase)
    try expectSpatialFormula(seed: 73) {
      try $0.filtered([filter], workspace: $1)
    } formula: { exact in
      bent(exact, x: 0.5, y: 0.5) { distance in
        let angle = 2 * Double.pi * (distance / wavelength + phase)
        return distance > 0 ? 1 + amplitude * sine(angle) / distance : 1
      }
    }
  }

  @Test(arguments: Filter.MirrorHalf.allCases) func aMirrorShowsOneHalfTwice(
    half: Filter.MirrorHalf
  ) throws {
    try expectSpatialFormula(seed: 74, tolerance: 0) {
      try $0.filtered([.mirror(half)], workspace: $1)
    } formula: { exact in
      ExactPicture(like: exact) { x, y in
        let (right, bottom) = (exact.width - 1 - x, exact.height - 1 - y)
        return switch half {
        case .left: exact.at(min(x, right), y)
        case .right: exact.at(max(x, right), y)
        case .top: exact.at(x, min(y, bottom))
        case .bottom: exact.at(x, max(y, bottom))
        }
      }
    }
  }
}
