import CIkranKernels

extension Canvas {
  /// Draws a picture over what is there, stretched to an area that may reach beyond the canvas.
  ///
  /// Both have four bytes per pixel and alpha. Along an axis that keeps its length the area begins
  /// at the nearest whole pixel, and nothing is mixed. Cost: one pass over the pixels that are
  /// seen; a picture that gets smaller is resampled before.
  ///
  /// - Parameters:
  ///   - picture: The pixels.
  ///   - area: Where they are drawn; one with a number that is not finite is nowhere.
  ///   - clip: What is drawn of it, to the nearest whole pixels.
  ///   - opacity: From 0 to 1.
  ///   - workspace: Memory to reuse.
  /// - Throws: ``BitmapError`` when working memory runs out.
  package mutating func draw(
    _ picture: Bitmap,
    stretchedTo area: PixelArea,
    within clip: PixelArea,
    opacity: Double,
    workspace: Workspace
  ) throws(BitmapError) {
    precondition(format == .bgra && picture.format == .bgra, "Both pictures have alpha.")
    let columns = Self.pixels(from: clip.x, clip.width, of: size.width)
    let rows = Self.pixels(from: clip.y, clip.height, of: size.height)
    guard opacity > 0,
      let across = StretchedAxis(picture.width, to: area.x, area.width, within: columns),
      let down = StretchedAxis(picture.height, to: area.y, area.height, within: rows)
    else { return }
    let count = PixelSize(width: across.count, height: down.count)
    let picture = try picture.stretched(to: count, filter: .area, workspace: workspace)
    let scratch = try workspace.takeScratch(byteCount: 4 * (count.width + across.covered.count))
    let mixed = scratch.start.assumingMemoryBound(to: UInt8.self)
    let row = mixed + 4 * count.width
    let (first, width) = (across.covered.lowerBound, across.covered.count)
    let (stride, simd) = (bytesPerRow, workspace.usesSIMD)
    withUnsafeMutableBytes { target in
      picture.withUnsafeBytes { source in
        guard let from = source.baseAddress?.assumingMemoryBound(to: UInt8.self),
          let to = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
        else { return }
        for y in down.covered {
          let weight = UInt32((min(opacity, 1) * down.coverage(of: y) * 256).rounded())
          let (line, part) = down.lines(of: y)
          var over = from + line * picture.bytesPerRow
          if part > 0 {
            let below = over + picture.bytesPerRow
            ikran_mix(over, below, mixed, 4 * count.width, UInt16(part))
            over = UnsafePointer(mixed)
          }
          if across.isExact {
            over += 4 * across.lines(of: first).first
          } else {
            across.sample(over, into: row)
            over = UnsafePointer(row)
          }
          ikran_fade_over(over, to + y * stride + 4 * first, width, weight, simd)
        }
      }
    }
    workspace.give(back: scratch)
  }

  /// The pixels of a side that a part of it covers, its ends being rounded.
  private static func pixels(from start: Double, _ length: Double, of side: Int) -> Range<Int> {
    guard start.isFinite, length.isFinite else { return 0..<0 }
    let ends = [start, start + length].map { end in
      Int(min(max((end + 0.5).rounded(.down), 0), Double(side)))
    }
    return ends[0]..<max(ends[0], ends[1])
  }
}
