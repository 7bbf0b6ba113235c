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

  /// The picture with squares of `block` pixels made one.
  ///
  /// See ``PlanarView/reduced(by:workspace:)``.
  package func reduced(by block: Int, workspace: Workspace) throws(BitmapError) -> Canvas {
    guard let y = luma.baseAddress, let u = blue.baseAddress, let v = red.baseAddress else {
      throw .invalidSize(size)
    }
    let view = PlanarView(
      size,
      luma: PlanarView.Plane(start: y, bytesPerRow: size.width),
      chroma: PlanarView.Chroma(
        blue: PlanarView.Plane(start: u, bytesPerRow: chromaWidth),
        red: PlanarView.Plane(start: v, bytesPerRow: chromaWidth)
      )
    )
    let canvas = try view.reduced(by: block, workspace: workspace)
    withExtendedLifetime(memory) {}
    return canvas
  }
}
