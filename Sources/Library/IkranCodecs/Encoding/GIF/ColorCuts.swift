/// Divides counted colours into boxes whose colours differ little: the box with the largest squared
/// error is cut next, across the channel that varies most, at its mean.
struct ColorCuts {
  private struct Entry {
    /// Red, green, blue; and 1, so that sums of products are weights.
    var color: SIMD4<Double>
    var weight: Double
  }

  private struct Box {
    var entries: Range<Int>
    var mean = SIMD4<Double>.zero
    /// For each channel the sum of squared differences to the mean.
    var errors = SIMD4<Double>.zero

    var error: Double { errors.x + errors.y + errors.z }
  }

  private var entries: [Entry] = []
  private var boxes: [Box] = []

  /// Takes sums of red, green and blue, and the number of colours summed up.
  init(_ bins: [SIMD4<UInt64>]) {
    for bin in bins where bin.w > 0 {
      let weight = Double(bin.w)
      let sums = SIMD4<Double>(Double(bin.x), Double(bin.y), Double(bin.z), weight)
      entries.append(Entry(color: sums / weight, weight: weight))
    }
  }

  /// The mean squared difference of a colour's channel to the colour of its box.
  var channelVariance: Double {
    let weight = entries.reduce(0) { $0 + $1.weight }
    return weight > 0 ? boxes.reduce(0) { $0 + $1.error } / weight / 3 : 0
  }

  /// Cuts until there are `count` boxes, or each has one colour.
  ///
  /// - Returns: The means, as words of red, green, blue and 255 (little-endian).
  mutating func colors(_ count: Int) -> [UInt32] {
    boxes = [box(entries.indices)]
    while boxes.count < count {
      guard let widest = boxes.indices.max(by: { boxes[$0].error < boxes[$1].error }),
        boxes[widest].error > 0
      else { break }
      let box = boxes[widest]
      let middle = cut(box)
      guard middle > box.entries.lowerBound, middle < box.entries.upperBound else {
        // The colours are equal but for rounding.
        boxes[widest].errors = .zero
        continue
      }
      boxes[widest] = self.box(box.entries.lowerBound..<middle)
      boxes.append(self.box(middle..<box.entries.upperBound))
    }
    return boxes.map { box in
      let mean = box.mean.clamped(lowerBound: .zero, upperBound: SIMD4(repeating: 255))
      let color = SIMD4<UInt32>(mean.rounded(.toNearestOrAwayFromZero))
      return color.x | color.y << 8 | color.z << 16 | 0xFF00_0000
    }
  }

  private func box(_ range: Range<Int>) -> Box {
    var (sum, squares) = (SIMD4<Double>.zero, SIMD4<Double>.zero)
    for entry in entries[range] {
      let weighted = entry.color * entry.weight
      sum += weighted
      squares += weighted * entry.color
    }
    guard sum.w > 0 else { return Box(entries: range) }
    let mean = sum / sum.w
    var errors = squares - sum * mean
    errors.replace(with: 0, where: errors .< 0)
    return Box(entries: range, mean: mean, errors: errors)
  }

  /// Moves the entries below the mean to the front; returns the first of the others.
  private mutating func cut(_ box: Box) -> Int {
    let errors = box.errors
    let channel = errors.y >= errors.x && errors.y >= errors.z ? 1 : errors.x >= errors.z ? 0 : 2
    let mean = box.mean[channel]
    var middle = box.entries.lowerBound
    for place in box.entries where entries[place].color[channel] < mean {
      entries.swapAt(place, middle)
      middle += 1
    }
    return middle
  }
}
