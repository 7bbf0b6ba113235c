import CIkranKernels

/// One axis of a picture that is stretched over a canvas: its pixels, and where they come from.
struct StretchedAxis {
  /// The canvas's pixels that are drawn, at least one.
  let covered: Range<Int>
  /// How many pixels the picture is to have along the axis: it is never enlarged beforehand.
  let count: Int
  /// Whether they are drawn as they are.
  let isExact: Bool
  private let start, length: Double

  /// An axis; nil where nothing is seen.
  ///
  /// - Parameters:
  ///   - side: The picture's pixels along it.
  ///   - start: Where the picture begins in the canvas.
  ///   - length: What it is stretched to.
  ///   - clip: The canvas's pixels that may be drawn.
  init?(_ side: Int, to start: Double, _ length: Double, within clip: Range<Int>) {
    // Within these bounds every place fits in 63 bits; none is met by a number that is not one.
    guard start.magnitude < 1e9, length < 1e9, length >= 1 / 1024 else { return nil }
    isExact = length == Double(side)
    self.start = isExact ? (start + 0.5).rounded(.down) : start
    self.length = length
    count = min(side, max(1, Int(length.rounded())))
    let first = max(clip.lowerBound, Int(self.start.rounded(.down)))
    let end = min(clip.upperBound, Int((self.start + length).rounded(.up)))
    guard first < end else { return nil }
    covered = first..<end
  }

  /// The first of the two of its lines that are mixed for one of the canvas's pixels, and how much
  /// the second counts, of 256.
  func lines(of pixel: Int) -> (first: Int, weight: Int) {
    let place = (place(of: pixel) + 0x80_0000) >> 24
    return (Int(place >> 8), Int(place & 255))
  }

  /// How much of one of the canvas's pixels the picture covers, from 0 to 1.
  func coverage(of pixel: Int) -> Double {
    let covered = min(Double(pixel) + 1, start + length) - max(Double(pixel), start)
    return min(max(covered, 0), 1)
  }

  /// The picture's place under the middle of one of the canvas's pixels, with 32 fractional bits; a
  /// whole number is a pixel's middle, and the edge goes on outside.
  func place(of pixel: Int) -> Int64 {
    let place = (Double(pixel) + 0.5 - start) * Double(count) / length - 0.5
    return Int64((min(max(place, 0), Double(count - 1)) * 0x1p32).rounded())
  }

  /// Writes a row of what is drawn along this axis.
  ///
  /// - Parameters:
  ///   - pixels: A row of the picture.
  ///   - row: As many pixels as are covered.
  func sample(_ pixels: UnsafePointer<UInt8>, into row: UnsafeMutablePointer<UInt8>) {
    let factor = length / Double(count)
    // Between the middles of its first and last pixel there is something to mix.
    let first = (start + 0.5 * factor - 0.5).rounded(.up)
    let last = (start + (Double(count) - 0.5) * factor - 0.5).rounded(.down)
    let low = min(max(Int(first), covered.lowerBound), covered.upperBound)
    let high = min(max(Int(last) + 1, low), covered.upperBound)
    let step = Int64((0x1p32 / factor).rounded())
    let parts = [
      (covered.lowerBound..<low, Int64(0)), (low..<high, step), (high..<covered.upperBound, 0),
    ]
    for (part, step) in parts where !part.isEmpty {
      let out = row + 4 * (part.lowerBound - covered.lowerBound)
      ikran_sample_row(pixels, count, place(of: part.lowerBound), step, out, part.count)
    }
    let (left, right) = (covered.lowerBound, covered.upperBound - 1)
    ikran_mask_fill(row, UInt8((coverage(of: left) * 255).rounded()), 1)
    guard right > left else { return }
    ikran_mask_fill(row + 4 * (right - left), UInt8((coverage(of: right) * 255).rounded()), 1)
  }
}
