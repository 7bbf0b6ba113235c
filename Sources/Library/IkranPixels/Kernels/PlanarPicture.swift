import CIkranKernels

/// A picture as lossy WebP stores it: luma, and chroma with half as many columns and rows, in
/// BT.601 of studio range; it owns uninitialised memory for both.
package struct PlanarPicture: ~Copyable {
  /// Width and height in pixels, each at least 1.
  package let size: PixelSize
  /// Luma: `size.height` rows of `size.width` bytes.
  package let luma: UnsafeMutableBufferPointer<UInt8>
  /// Blue's and red's differences: rows of ``chromaWidth`` bytes.
  package let blue, red: UnsafeMutableBufferPointer<UInt8>
  private let memory: ScratchMemory

  /// Half of the width, rounded up.
  package var chromaWidth: Int { (size.width + 1) / 2 }

  /// Allocates the planes.
  ///
  /// - Throws: ``BitmapError`` when the size is impossible or memory runs out.
  package init(_ size: PixelSize) throws(BitmapError) {
    guard size.isPositive, let pixels = size.pixelCount, pixels < .max / 4 else {
      throw .invalidSize(size)
    }
    let chroma = (size.width + 1) / 2 * ((size.height + 1) / 2)
    let memory = try ScratchMemory(byteCount: pixels + 2 * chroma)
    let start = memory.start.assumingMemoryBound(to: UInt8.self)
    luma = UnsafeMutableBufferPointer(start: start, count: pixels)
    blue = UnsafeMutableBufferPointer(start: start + pixels, count: chroma)
    red = UnsafeMutableBufferPointer(start: start + pixels + chroma, count: chroma)
    (self.size, self.memory) = (size, memory)
  }

  /// The picture with squares of `block` pixels made one, in ``PixelFormat/bgrx``; its sides are
  /// rounded up.
  ///
  /// Cost: one pass over the planes; only what is left becomes pixels.
  ///
  /// - Parameters:
  ///   - block: An even number, 2…256.
  ///   - workspace: Working memory.
  /// - Returns: A canvas with the pixels.
  /// - Throws: ``BitmapError`` when memory runs out.
  package func reduced(by block: Int, workspace: Workspace) throws(BitmapError) -> Canvas {
    precondition((2...256).contains(block) && block % 2 == 0, "A block holds whole chroma.")
    guard let y = luma.baseAddress, let u = blue.baseAddress, let v = red.baseAddress else {
      throw .invalidSize(size)
    }
    var planes = ikran_planar(
      y: y,
      u: u,
      v: v,
      yStride: size.width,
      chromaStride: chromaWidth,
      width: size.width,
      height: size.height
    )
    let reduced = PixelSize(
      width: (size.width + block - 1) / block,
      height: (size.height + block - 1) / block
    )
    var canvas = try Canvas(size: reduced, format: .bgrx, zeroed: false)
    let scratch = try workspace.takeScratch(byteCount: ikran_planar_memory(&planes, block))
    let (stride, simd) = (canvas.bytesPerRow, workspace.usesSIMD)
    canvas.withUnsafeMutableBytes { bytes in
      guard let out = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
      for row in 0..<reduced.height {
        ikran_planar_reduce(&planes, block, row, scratch.start, out + row * stride, simd)
      }
    }
    workspace.give(back: scratch)
    withExtendedLifetime(memory) {}
    return canvas
  }
}
