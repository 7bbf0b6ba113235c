import CIkranKernels

extension Canvas {
  /// Makes everything outside the shape transparent, with smooth edges.
  mutating func clip(to shape: EdgeShape, workspace: Workspace) {
    precondition(format == .bgra, "Only pixels with alpha have edges.")
    let mask = workspace.mask(for: shape)
    let (size, stride, simd) = (size, bytesPerRow, workspace.usesSIMD)
    withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
      for y in 0..<size.height {
        let row = base + y * stride
        mask.withRow(y) { run in
          guard let left = run.left, let right = run.right else { return }
          let inner = size.width - run.leftCount - run.rightCount
          ikran_mask_run(row, left, run.leftCount, simd)
          ikran_mask_fill(row + run.leftCount * 4, run.middle, inner)
          ikran_mask_run(row + (run.leftCount + inner) * 4, right, run.rightCount, simd)
        }
      }
    }
  }

  /// Paints a ring over the picture and makes everything outside its outer edge transparent.
  ///
  /// - Throws: ``BitmapError`` when working memory runs out.
  mutating func paintRing(
    _ color: Color,
    from outer: EdgeShape,
    to inner: EdgeShape,
    workspace: Workspace
  ) throws(BitmapError) {
    precondition(format == .bgra, "Only pixels with alpha have edges.")
    let outside = workspace.mask(for: outer)
    let inside = workspace.mask(for: inner)
    let (size, stride) = (size, bytesPerRow)
    let scratch = try workspace.takeScratch(byteCount: 2 * size.width)
    let outerRow = scratch.start.assumingMemoryBound(to: UInt8.self)
    let innerRow = outerRow + size.width
    var paint = (color.blue, color.green, color.red, color.alpha)
    withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
      withUnsafeBytes(of: &paint) { paint in
        guard let paint = paint.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        for y in 0..<size.height {
          outside.withRow(y) { $0.expand(into: outerRow) }
          inside.withRow(y) { $0.expand(into: innerRow) }
          ikran_ring_run(base + y * stride, outerRow, innerRow, paint, size.width)
        }
      }
    }
    workspace.give(back: scratch)
  }
}
