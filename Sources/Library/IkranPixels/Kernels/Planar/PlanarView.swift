import CIkranKernels

/// Luma and chroma of eight bits in memory that outlives the view.
package struct PlanarView {
  /// The first byte of a plane, and the bytes from a row to the next.
  package struct Plane {
    package let start: UnsafePointer<UInt8>
    package let bytesPerRow: Int

    package init(start: UnsafePointer<UInt8>, bytesPerRow: Int) {
      (self.start, self.bytesPerRow) = (start, bytesPerRow)
    }
  }

  /// The share of a colour in luma, and the range of values (ITU-T H.273).
  package struct Matrix {
    package let red, blue: Double
    /// Whether luma is 0…255, not 16…235.
    package let isFullRange: Bool

    package init(red: Double, blue: Double, isFullRange: Bool) {
      (self.red, self.blue, self.isFullRange) = (red, blue, isFullRange)
    }

    /// BT.601 of studio range.
    package static let studio = Matrix(red: 0.299, blue: 0.114, isFullRange: false)

    fileprivate var colors: ikran_planar_colors {
      let (luma, chroma) = isFullRange ? (1.0, 1.0) : (255.0 / 219, 255.0 / 224)
      let green = 1 - red - blue
      return ikran_planar_colors(
        lumaScale: Float(luma),
        lumaOffset: isFullRange ? 0 : 16,
        blueByU: Float(2 * (1 - blue) * chroma),
        greenByU: Float(-2 * blue * (1 - blue) / green * chroma),
        greenByV: Float(-2 * red * (1 - red) / green * chroma),
        redByV: Float(2 * (1 - red) * chroma)
      )
    }
  }

  /// Width and height in pixels, each at least 1.
  package let size: PixelSize
  private let planes: ikran_planar

  /// Blue's and red's differences, with as many columns and rows as luma, or half as many, rounded
  /// up.
  package struct Chroma {
    package let blue, red: Plane
    package let halvesWidth, halvesHeight: Bool

    package init(blue: Plane, red: Plane, halvesWidth: Bool = true, halvesHeight: Bool = true) {
      (self.blue, self.red) = (blue, red)
      (self.halvesWidth, self.halvesHeight) = (halvesWidth, halvesHeight)
    }
  }

  /// A view of planes.
  ///
  /// - Parameters:
  ///   - size: The luma's width and height.
  ///   - luma: Rows of as many bytes.
  ///   - chroma: The differences; both planes have as many bytes from a row to the next.
  ///   - matrix: How they become colours.
  package init(_ size: PixelSize, luma: Plane, chroma: Chroma, matrix: Matrix = .studio) {
    self.size = size
    planes = ikran_planar(
      y: luma.start,
      u: chroma.blue.start,
      v: chroma.red.start,
      yStride: luma.bytesPerRow,
      chromaStride: chroma.blue.bytesPerRow,
      width: size.width,
      height: size.height,
      halvesWidth: chroma.halvesWidth,
      halvesHeight: chroma.halvesHeight,
      colors: matrix.colors
    )
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
    var planes = planes
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
    return canvas
  }
}
