import CIkranKernels

// Decision 44: a Gaussian by decimation.
/// The weights of a Gaussian blur along one axis.
///
/// A narrow Gaussian is one pass over the pixels. A wide one is two: half of its variance makes a
/// picture of every `step`-th pixel, which reaches `margin` pixels past the edges, and the other
/// half fills in the pixels between. The two widths are at least 0.8 of the smaller picture's
/// pixels, so that what a wave of its finest frequency leaves there is below 0.3 of 255.
struct GaussianKernel {
  /// Pixels from one weighted mean to the next; 1 means a single pass.
  let step: Int
  /// Means before the first and after the last pixel's own, when the pass is not single.
  let margin: Int
  /// The first pass: `gather[j]` belongs to the pixel `k · step + origin + j` of mean k.
  let gather: [Double]
  let origin: Int
  /// The second pass: `spread[phase · taps + j]` belongs to mean j of the pixel's `taps` means.
  let spread: [Double]
  let taps: Int

  init(sigma: Double) {
    let step = max(1, Int(sigma / 2.0.squareRoot() / 0.8))
    let width = step == 1 ? sigma : sigma / 2.0.squareRoot()
    let reach = 3.5 * width
    let middle = Double(step - 1) / 2
    taps = step == 1 ? 0 : 2 * Int((reach / Double(step)).rounded(.up))
    margin = taps / 2
    let low = Int((middle - reach).rounded(.down))
    let high = Int((middle + reach).rounded(.up))
    origin = low - margin * step
    gather = Self.normalized((low...high).map { (Double($0) - middle) / width })
    var spread: [Double] = []
    if step > 1 {
      for phase in 0..<step {
        let center = Double(margin) + (Double(phase) + 0.5) / Double(step) - 0.5
        let first = phase < step / 2 ? 0 : 1
        let scale = Double(step) / width
        spread += Self.normalized((0..<taps).map { (Double($0 + first) - center) * scale })
      }
    }
    self.spread = spread
    self.step = step
  }

  /// The number of means that `length` pixels need.
  func count(_ length: Int) -> Int {
    step == 1 ? length : firstMean(of: length - 1) + taps
  }

  /// The first of the means that the second pass weighs for a pixel.
  func firstMean(of pixel: Int) -> Int { (pixel + step - step / 2) / step }

  private static func normalized(_ distances: [Double]) -> [Double] {
    let weights = distances.map { ikran_exp(-$0 * $0 / 2) }
    let total = weights.reduce(0, +)
    return weights.map { $0 / total }
  }
}

/// Weights as integers that sum to 2 to the power of `shift`, padded to an even number.
struct IntegerWeights {
  let values: [Int16]
  let shift: Int

  /// Takes as many fractional bits as fit, at most `limit`; below 14 bits never.
  init(_ weights: ArraySlice<Double>, limit: Int, peak: Double) {
    var shift = 14
    while shift < limit, peak * Double(2 << shift) < 32_000 { shift += 1 }
    let scale = Double(1 << shift)
    var values: [Int16] = []
    values.reserveCapacity(weights.count + 1)
    // Rounding the running sum makes the total exact and lets no error add up.
    var (sum, rounded) = (0.0, 0)
    for weight in weights {
      sum += weight
      let next = Int((sum * scale).rounded())
      values.append(Int16(next - rounded))
      rounded = next
    }
    if !values.count.isMultiple(of: 2) { values.append(0) }
    self.values = values
    self.shift = shift
  }
}
