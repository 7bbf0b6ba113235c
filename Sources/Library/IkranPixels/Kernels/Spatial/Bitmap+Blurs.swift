import CIkranKernels

extension Bitmap {
  /// Every pixel as the mean of the square around it, edge pixels repeated outside.
  ///
  /// A side has `2 · radius + 1` pixels, of which the two outermost count with the fraction of the
  /// radius. A radius of 0 returns the bitmap itself. Cost: the same for every radius.
  ///
  /// - Throws: ``BitmapError`` when memory runs out.
  package func meanBlurred(
    radius: Double,
    workspace: Workspace
  ) throws(BitmapError) -> Bitmap {
    guard radius > 0 else { return self }
    return try filtered(workspace, memory: width * 24) { picture, memory, simd in
      ikran_mean_blur(picture, min(radius, 30_000), memory, simd)
    }
  }

  /// Every pixel as the mean of a line through it, edge pixels repeated outside.
  ///
  /// Pixels 0, 1, 2, 3 and 4 steps away, either way, count with .18, .15, .12, .09 and .05. Longer
  /// steps than a pixel are filled with a pixel each, at most 64 either way, and weights between
  /// those. A step of 0 returns the bitmap itself. Cost: grows with the step, up to 16 pixels;
  /// memory for the rows that the line crosses, at most three pictures.
  ///
  /// - Parameters:
  ///   - step: The length of a step in pixels, at most 10000.
  ///   - degrees: The line's direction; 0 is to the right, 90 is down.
  ///   - workspace: Working memory.
  /// - Returns: A picture of the same size and format.
  /// - Throws: ``BitmapError`` when memory runs out.
  package func motionBlurred(
    step: Double,
    degrees: Double,
    workspace: Workspace
  ) throws(BitmapError) -> Bitmap {
    guard step > 0 else { return self }
    let line = LineTaps(step: min(step, 10_000), degrees: degrees, in: size)
    let weights = IntegerWeights(line.weights[...], limit: 23, peak: line.weights.max() ?? 1)
    let padded = (width + 2 * line.reach.x) * 4
    let count = weights.values.count
    // A ring of rows, of which each row of the result needs all.
    let rows = min(height, 2 * line.reach.y + 1)
    let rowStart = (padded * rows + 63) & ~63
    let pointerStart = rowStart + (width * 8 + 63) & ~63
    return try filtered(workspace, memory: pointerStart + count * 8) { picture, memory, simd in
      let wide = memory.assumingMemoryBound(to: UInt8.self)
      let row = (memory + rowStart).assumingMemoryBound(to: Int16.self)
      let pointers = (memory + pointerStart).assumingMemoryBound(to: UnsafePointer<UInt8>.self)
      var copied = 0
      weights.values.withPointer { values in
        for y in 0..<height {
          while copied < min(y + line.reach.y + 1, height) {
            copy(picture, row: copied, into: wide + copied % rows * padded, padding: line.reach.x)
            copied += 1
          }
          for tap in 0..<count {
            // An odd number of taps is padded with a weight of zero, for any pixel.
            let (dx, dy) = line.offsets[min(tap, line.offsets.count - 1)]
            let source = min(max(y + dy, 0), height - 1) % rows
            pointers[tap] = UnsafePointer(wide + source * padded + (dx + line.reach.x) * 4)
          }
          let shift = Int32(weights.shift - 7)
          ikran_blur_rows(pointers, values, count, wide, 0, wide, 0, shift, width * 4, row, simd)
          ikran_blur_round(row, width * 4, picture.out + y * picture.outStride, simd)
        }
      }
    }
  }

  /// Every pixel as the mean of a line towards the centre and away from it.
  ///
  /// A step is `step` hundredths of the distance to the centre; steps count as in
  /// ``motionBlurred(step:degrees:workspace:)``. A step of 0 returns the bitmap itself.
  ///
  /// - Parameters:
  ///   - step: Hundredths of the distance, at most 100.
  ///   - centerX: The centre, 0…1 of the width.
  ///   - centerY: The centre, 0…1 of the height.
  ///   - workspace: Working memory.
  /// - Returns: A picture of the same size and format.
  /// - Throws: ``BitmapError`` when memory runs out.
  package func zoomBlurred(
    step: Double,
    centerX: Double,
    centerY: Double,
    workspace: Workspace
  ) throws(BitmapError) -> Bitmap {
    guard step > 0 else { return self }
    return try filtered(workspace) { picture, _, simd in
      let (x, y) = (centerX * Double(width), centerY * Double(height))
      ikran_zoom_blur(picture, min(step, 100) / 100, x, y, simd)
    }
  }

  /// Copies a row, its first and its last pixel repeated `padding` times.
  private func copy(
    _ picture: ikran_pass,
    row: Int,
    into wide: UnsafeMutablePointer<UInt8>,
    padding: Int
  ) {
    let pixels = picture.in + row * picture.inStride
    (wide + padding * 4).update(from: pixels, count: width * 4)
    for x in 0..<padding {
      (wide + x * 4).update(from: pixels, count: 4)
      (wide + (padding + width + x) * 4).update(from: pixels + (width - 1) * 4, count: 4)
    }
  }
}

/// The pixels of a motion blur and their weights, relative to the pixel in the middle.
///
/// Points between pixels share their weight among the four around them.
private struct LineTaps {
  private(set) var offsets: [(x: Int, y: Int)] = []
  private(set) var weights: [Double] = []
  /// The farthest column and row.
  private(set) var reach = (x: 0, y: 0)

  /// What lies a whole picture away is the edge's pixel, wherever the middle is.
  init(step: Double, degrees: Double, in size: PixelSize) {
    let turn = degrees / 180
    let (across, down) = (sinPi(turn + 0.5) * step, sinPi(turn) * step)
    let count = min(64, max(4, Int((4 * step).rounded(.down))))
    // One pixel a tap while that fits; a step below a pixel has one tap.
    let spacing = step > 1 && count < 64 ? 1 / step : 4 / Double(count)
    var shares: [[Int]: Double] = [:]
    for tap in -count...count {
      let at = Double(tap) * spacing
      let (x, y) = (at * across, at * down)
      let (left, top) = (x.rounded(.down), y.rounded(.down))
      for (dx, shareX) in [(0, 1 - (x - left)), (1, x - left)] {
        for (dy, shareY) in [(0, 1 - (y - top)), (1, y - top)] {
          let share = shareX * shareY * Self.weight(at.magnitude)
          if share > 0 { shares[[Int(top) + dy, Int(left) + dx], default: 0] += share }
        }
      }
    }
    // A sum depends on its order.
    let sorted = shares.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    let total = sorted.reduce(0) { $0 + $1.value }
    for (place, share) in sorted {
      let x = min(max(place[1], 1 - size.width), size.width - 1)
      let y = min(max(place[0], 1 - size.height), size.height - 1)
      offsets.append((x, y))
      weights.append(share / total)
      reach = (max(reach.x, abs(x)), max(reach.y, abs(y)))
    }
  }

  /// The weight between whole steps lies between theirs.
  private static func weight(_ steps: Double) -> Double {
    let table = [0.18, 0.15, 0.12, 0.09, 0.05, 0.05]
    let low = min(4, Int(steps))
    return table[low] + (steps - Double(low)) * (table[low + 1] - table[low])
  }
}
