import IkranPixels

extension Bitmap {
  /// The picture blurred, then sharpened, then in blocks, as far as the URL asks for it.
  ///
  /// Blurs are true Gaussians: a little wider than libvips', whose kernels end at a fifth of their
  /// peak.
  func filtered(by effects: Effects, _ workspace: Workspace) throws(BitmapError) -> Bitmap {
    // A blur that wide leaves one colour; the kernel takes no wider one.
    let sigma = min(effects.blur, 1000)
    return try gaussianBlurred(sigma: sigma, workspace: workspace)
      .unsharpMasked(sigma: min(effects.sharpen, 1000), workspace)
      .inBlocks(of: effects.pixelate)
  }

  /// The picture sharpened by its difference from a blurred one, as libvips' `sharpen` does.
  ///
  /// Differences of lightness below 2 of 100 stay, as noise has them; what is over that is added
  /// three times, and makes a pixel no more than 10 lighter or 20 darker. libvips computes this of
  /// L in CIELAB; here it is the luma, which is near to it and keeps the hue as well: channels get
  /// the same amount. Alpha stays.
  func unsharpMasked(sigma: Double, _ workspace: Workspace) throws(BitmapError) -> Bitmap {
    guard sigma > 0 else { return self }
    let soft = try gaussianBlurred(sigma: sigma, workspace: workspace)
    var canvas = try Canvas(size: size, format: format, zeroed: false)
    canvas.profile = profile
    let stride = canvas.bytesPerRow
    canvas.withMutableBytes { target in
      for y in 0..<height {
        let amounts = luma(y, minus: soft).map(Self.sharpening)
        withRow(y) { row in
          for (x, amount) in amounts.enumerated() {
            // Premultiplied: no colour is over its alpha.
            let most = Int(row[x * 4 + 3])
            let share = amount * most / 255
            for channel in x * 4..<x * 4 + 3 {
              let value = max(0, min(Int(row[channel]) + share, most))
              target[y * stride + channel] = UInt8(value)
            }
            target[y * stride + x * 4 + 3] = row[x * 4 + 3]
          }
        }
      }
    }
    return canvas.finish()
  }

  /// How much lighter the pixels of a row are than those of another picture, in thousandths.
  private func luma(_ y: Int, minus other: Bitmap) -> [Int] {
    let mine = withRow(y) { row in (0..<width).map { row.luma(at: $0 * 4) } }
    return other.withRow(y) { row in
      mine.enumerated().map { x, luma in luma - row.luma(at: x * 4) }
    }
  }

  /// What is added to a pixel's channels that is so much lighter than its surroundings, in
  /// thousandths.
  private static func sharpening(_ difference: Int) -> Int {
    // Hundredths of the lightness in levels of a channel.
    let level = 2.55
    let excess = Double(difference.magnitude) / 1000 - 2 * level
    guard excess > 0 else { return 0 }
    let amount = min(3 * excess, (difference > 0 ? 10 : 20) * level)
    return Int((difference > 0 ? amount : -amount).rounded())
  }

  /// The picture in squares of one colour each, the mean of their pixels, from the top left.
  ///
  /// A side of 1 or less returns the bitmap itself.
  func inBlocks(of side: Int) throws(BitmapError) -> Bitmap {
    guard side > 1 else { return self }
    var canvas = try Canvas(size: size, format: format, zeroed: false)
    canvas.profile = profile
    let stride = canvas.bytesPerRow
    canvas.withMutableBytes { target in
      for top in Swift.stride(from: 0, to: height, by: side) {
        let rows = top..<min(top + min(side, height), height)
        let colors = means(of: rows, side: side)
        for y in rows {
          for x in 0..<width {
            let mean = colors[x / side]
            for channel in 0..<4 {
              target[y * stride + x * 4 + channel] = UInt8(mean[channel])
            }
          }
        }
      }
    }
    return canvas.finish()
  }

  private func means(of rows: Range<Int>, side: Int) -> [SIMD4<Int>] {
    let blocks = (width - 1) / side + 1
    var sums = [SIMD4<Int>](repeating: .zero, count: blocks)
    for y in rows {
      withRow(y) { row in
        for x in 0..<width {
          let place = x * 4
          sums[x / side] &+= SIMD4(
            Int(row[place]),
            Int(row[place + 1]),
            Int(row[place + 2]),
            Int(row[place + 3])
          )
        }
      }
    }
    return sums.indices.map { block in
      let count = (min(width, (block + 1) * min(side, width)) - block * side) * rows.count
      return (sums[block] &+ count / 2) / count
    }
  }
}

extension Span<UInt8> {
  /// The luma of a pixel of four bytes, in thousandths (BT.601).
  func luma(at place: Int) -> Int {
    114 * Int(self[place]) + 587 * Int(self[place + 1]) + 299 * Int(self[place + 2])
  }
}
