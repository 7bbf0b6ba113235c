/// The inputs of one axis's weights; equal keys have equal weights.
struct AxisKey: Hashable {
  /// Pixels of the source along this axis.
  let length: Int
  /// The start and the length of the cropped part, in source pixels.
  let start, extent: Double
  /// Pixels of the result.
  let output: Int
  /// Source pixels averaged into one before they are weighted.
  let block: Int
  let filter: ResamplingFilter

  init(
    length: Int,
    start: Double,
    extent: Double,
    output: Int,
    filter: ResamplingFilter
  ) {
    self.length = length
    self.start = start
    self.extent = extent
    self.output = output
    self.filter = filter
    // Beyond 16:1, averaging blocks first leaves a ratio of 8…16: fewer rows and weights, no
    // visible difference. Their sums hold at most 256 rows.
    let ratio = extent / Double(output)
    block = ratio > 16 ? min(256, Int(ratio / 8)) : 1
  }
}

/// The source pixels of each result and their weights, with 14 fractional bits.
///
/// Indices count blocks of `key.block` source pixels, starting at `range.lowerBound`.
final class AxisWeights {
  /// The blocks that the results need.
  let range: Range<Int>
  /// The start of each result's weights, relative to `range.lowerBound`.
  let starts: [Int32]
  /// How many weights each result has, rounded up to a multiple of four.
  let counts: [Int16]
  /// The exclusive end of each result's weights, relative to `range.lowerBound`.
  let ends: [Int32]
  /// `stride` weights for each result; they sum to 16384.
  let weights: [Int16]
  let stride: Int
  /// How many consecutive blocks must be stored to compute the results in order.
  let capacity: Int

  var byteCount: Int { weights.count * 2 + starts.count * 10 }

  init(_ key: AxisKey) {
    var runs: [WeightRun] = []
    runs.reserveCapacity(key.output)
    // For a centred crop the weights are exactly symmetric, so flipping and resampling commute.
    let center = key.start * 2 + key.extent - Double(key.length)
    let isCentered = center.magnitude < 1e-9 && key.block == 1
    let computed = isCentered ? (key.output + 1) / 2 : key.output
    for index in 0..<computed { runs.append(WeightRun(key, index)) }
    for index in computed..<key.output {
      runs.append(runs[key.output - 1 - index].mirrored(length: key.length))
    }
    let lower = runs.reduce(Int.max) { min($0, $1.start) }
    let upper = runs.reduce(0) { max($0, $1.end) }
    let stride = runs.reduce(0) { max($0, ($1.weights.count + 3) & ~3) }
    range = lower..<upper
    self.stride = stride
    starts = runs.map { Int32($0.start - lower) }
    ends = runs.map { Int32($0.end - lower) }
    counts = runs.map { Int16(($0.weights.count + 3) & ~3) }
    var weights = [Int16](repeating: 0, count: stride * runs.count)
    for (index, run) in runs.enumerated() {
      for (tap, weight) in run.weights.enumerated() { weights[index * stride + tap] = weight }
    }
    self.weights = weights
    capacity = Self.capacity(of: runs)
  }

  /// The blocks that some results need.
  func blocks(of results: Range<Int>) -> Range<Int> {
    let first = results.reduce(Int32.max) { min($0, starts[$1]) }
    let last = results.reduce(0) { max($0, ends[$1]) }
    return range.lowerBound + Int(first)..<range.lowerBound + Int(last)
  }

  /// The results that depend on any of some pixels of the source; the first when none does.
  func results(of pixels: Range<Int>, _ block: Int) -> Range<Int> {
    let first = pixels.lowerBound / block - range.lowerBound
    let last = (pixels.upperBound - 1) / block - range.lowerBound
    let touched = starts.indices.filter { Int(starts[$0]) <= last && Int(ends[$0]) > first }
    return (touched.first ?? 0)..<(touched.last ?? 0) + 1
  }

  /// Rounding may trim one run more than the next, so starts do not always rise.
  private static func capacity(of runs: [WeightRun]) -> Int {
    var lowest = [Int](repeating: 0, count: runs.count)
    var start = Int.max
    for index in runs.indices.reversed() {
      start = min(start, runs[index].start)
      lowest[index] = start
    }
    var end = 0
    var capacity = 1
    for index in runs.indices {
      end = max(end, runs[index].end)
      capacity = max(capacity, end - lowest[index])
    }
    return capacity
  }
}

/// The weights of one result, zeros at both ends trimmed.
private struct WeightRun {
  private(set) var start: Int
  private(set) var weights: [Int16]

  var end: Int { start + weights.count }

  init(_ key: AxisKey, _ index: Int) {
    let step = key.extent / Double(key.output)
    let widening = max(step, 1)
    let center =
      2 * index + 1 == key.output
      ? key.start + key.extent / 2 : key.start + (Double(index) + 0.5) * step
    let reach = key.filter == .lanczos3 ? 3 * widening : step / 2
    let nearest = min(max(0, Int(center)), key.length - 1)
    let low = min(nearest, max(0, Int((center - reach).rounded(.down))))
    let high = max(nearest + 1, min(key.length, Int((center + reach).rounded(.up))))
    var folded = [Double](repeating: 0, count: (high - 1) / key.block - low / key.block + 1)
    var total = 0.0
    for pixel in low..<high {
      let weight =
        key.filter == .lanczos3
        ? lanczos3((Double(pixel) + 0.5 - center) / widening)
        : max(0, min(Double(pixel + 1), center + reach) - max(Double(pixel), center - reach))
      folded[pixel / key.block - low / key.block] += weight
      total += weight
    }
    if total <= 0 {
      folded[nearest / key.block - low / key.block] = 1
      total = 1
    }
    start = low / key.block
    weights = Self.quantized(folded, total: total)
    trim()
  }

  func mirrored(length: Int) -> WeightRun {
    var copy = self
    copy.start = length - end
    copy.weights.reverse()
    return copy
  }

  /// Rounds so that the sum is exactly 16384: a constant image does not change.
  private static func quantized(_ weights: [Double], total: Double) -> [Int16] {
    var rounded = weights.map { Int16(($0 / total * 16384).rounded()) }
    let left = rounded.reduce(16384) { $0 - Int($1) }
    var first = 0
    for index in rounded.indices where rounded[index] > rounded[first] { first = index }
    let last = rounded.lastIndex(of: rounded[first]) ?? first
    // The two peaks of a symmetric run share the remainder, so it stays symmetric.
    rounded[first] += Int16(left - left / 2)
    rounded[last] += Int16(left / 2)
    return rounded
  }

  private mutating func trim() {
    let first = weights.firstIndex { $0 != 0 } ?? 0
    let last = weights.lastIndex { $0 != 0 } ?? 0
    weights = Array(weights[first...last])
    start += first
  }
}

/// sinc(x) · sinc(x / 3) within three lobes; exactly zero at every other whole number.
private func lanczos3(_ x: Double) -> Double {
  if x == 0 { return 1 }
  if x.magnitude >= 3 { return 0 }
  let angle = Double.pi * x
  return 3 * sinPi(x) * sinPi(x / 3) / (angle * angle)
}

/// sin(π·x) for small x, accurate to a bit or two, without the C library: the same on every
/// machine.
func sinPi(_ x: Double) -> Double {
  let nearest = x.rounded()
  let angle = (x - nearest) * Double.pi
  let square = angle * angle
  var term = angle
  var sum = angle
  for step in 1...11 {
    term *= -square / Double(2 * step * (2 * step + 1))
    sum += term
  }
  return Int(nearest).isMultiple(of: 2) ? sum : -sum
}
