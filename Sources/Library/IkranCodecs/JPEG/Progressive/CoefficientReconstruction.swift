import IkranPixels

/// Puts coefficients whose last bits were not decoded in the middle of the values they may have.
///
/// Afterwards they are multiplied by their quantisation steps, and
/// ``ProgressiveLayout/Plane/steps`` are all one.
struct CoefficientReconstruction {
  private let steps: [Int16]
  /// What is added to the magnitude of each coefficient; to the value of the first.
  private let offsets: [Int16]

  /// Takes over the steps of `plane`; nil when no bits are missing.
  init?(_ component: ScanPlan.Component, _ plane: ProgressiveLayout.Plane) {
    let needed = (0..<64).filter { component.needed & 1 << UInt64(63 - $0) != 0 }
    guard needed.contains(where: { component.lowBits[$0] > 0 }) else { return nil }
    steps = (0..<plane.stride).map { Int16(truncatingIfNeeded: plane.steps[$0]) }
    var offsets = [Int16](repeating: 0, count: plane.stride)
    for coefficient in needed {
      let index = Int(plane.order[coefficient + 1])
      let missing = (1 << component.lowBits[coefficient] - 1) * Int(plane.steps[index])
      // Small magnitudes are more frequent than large ones.
      offsets[index] = Int16(
        truncatingIfNeeded: coefficient == 0 ? (missing + 1) / 2 : missing * 2 / 5
      )
    }
    self.offsets = offsets
    plane.steps.update(repeating: 1, count: plane.stride)
  }

  /// Changes all blocks of `plane`.
  func restore(_ plane: ProgressiveLayout.Plane) {
    let (step, offset) = (steps[0], offsets[0])
    guard plane.stride > 1 else {
      for index in 0..<plane.blockCount {
        plane.coefficients[index] = plane.coefficients[index] &* step &+ offset
      }
      return
    }
    for block in 0..<plane.blockCount {
      let values = plane.coefficients + block * plane.stride
      let mean = values[0] &* step &+ offset
      for index in 0..<plane.stride {
        let value = values[index]
        values[index] = value &* steps[index] &+ value.signum() &* offsets[index]
      }
      values[0] = mean
    }
  }
}
