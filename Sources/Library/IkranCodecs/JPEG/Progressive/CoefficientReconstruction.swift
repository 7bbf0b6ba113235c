import IkranPixels

/// Puts coefficients whose last bits were not decoded in the middle of the values they may have.
///
/// Afterwards they are multiplied by their quantisation steps, and
/// ``ProgressiveLayout/Plane/quantization`` are all one.
struct CoefficientReconstruction {
  private let quantization: [Int16]
  /// What is added to the magnitude of each coefficient; to the value of the first.
  private let offsets: [Int16]

  /// Takes over the steps of `plane`; nil when no bits are missing.
  init?(_ component: ScanPlan.Component, _ plane: ProgressiveLayout.Plane) {
    let needed = (0..<64).filter { component.needed & 1 << UInt64(63 - $0) != 0 }
    guard needed.contains(where: { component.lowBits[$0] > 0 }) else { return nil }
    quantization = (0..<plane.stride).map { Int16(truncatingIfNeeded: plane.quantization[$0]) }
    var offsets = [Int16](repeating: 0, count: plane.stride)
    for coefficient in needed {
      let index = Int(plane.order[coefficient + 1])
      let missing = (1 << component.lowBits[coefficient] - 1) * Int(plane.quantization[index])
      // Small magnitudes are more frequent than large ones.
      offsets[index] = Int16(
        truncatingIfNeeded: coefficient == 0 ? (missing + 1) / 2 : missing * 2 / 5
      )
    }
    self.offsets = offsets
    plane.quantization.update(repeating: 1, count: plane.stride)
  }

  /// Changes all blocks of `plane`.
  func restore(_ plane: ProgressiveLayout.Plane) {
    let (step, offset) = (quantization[0], offsets[0])
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
        values[index] = value &* quantization[index] &+ value.signum() &* offsets[index]
      }
      values[0] = mean
    }
  }
}
