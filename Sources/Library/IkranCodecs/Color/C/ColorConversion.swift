import CIkranKernels
import IkranPixels

// Decision 67: colours go through tables that LittleCMS fills.
/// A way from the colours of a file to sRGB; it costs a look-up or an interpolation for each pixel.
struct ColorConversion: Sendable {
  enum Method: Sendable {
    /// A pixel for each gray.
    case curve([UInt32])
    /// What `ikran_color_matrix_row` takes.
    case matrix([Int32])
    /// A grid of red, green and blue.
    case grid(ColorGrid)
    /// A grid of four inks.
    case inks(ColorGrid)
  }

  let method: Method

  /// How many levels of light the kernels tell apart, by which they index ``SRGBLevels/bytes``.
  static let levelCount = Int(IKRAN_COLOR_LEVELS)
  /// The bits of a light below one level.
  static let levelShift = Int(IKRAN_COLOR_SHIFT)

  /// Converts pixels in place, with alpha or without; not those of four inks.
  func convert(_ canvas: inout Canvas, usesSIMD: Bool) {
    let (size, stride, isOpaque) = (canvas.size, canvas.bytesPerRow, !canvas.format.hasAlpha)
    precondition(canvas.format.bytesPerPixel == 4, "Pixels of four bytes are converted.")
    canvas.withUnsafeMutableBytes { bytes in
      guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
      convert(start, size, stride: stride, isOpaque: isOpaque, usesSIMD: usesSIMD)
    }
  }

  /// The picture in sRGB; pixels without another reference are changed in place.
  func convert(
    _ bitmap: consuming Bitmap,
    workspace: Workspace
  ) throws(BitmapError) -> Bitmap {
    var canvas = try Canvas(recoloring: consume bitmap)
    convert(&canvas, usesSIMD: workspace.usesSIMD)
    return canvas.finish()
  }

  /// Opaque pixels after conversion.
  func converted(_ pixels: [UInt8]) -> [UInt8] {
    var pixels = pixels
    pixels.withUnsafeMutableBytes { convertRow($0, usesSIMD: false) }
    return pixels
  }

  /// Converts a row of opaque pixels in place: bytes of blue, green, red and 255.
  func convertRow(_ row: UnsafeMutableRawBufferPointer, usesSIMD: Bool) {
    guard let start = row.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
    let size = PixelSize(width: row.count / 4, height: 1)
    convert(start, size, stride: 0, isOpaque: true, usesSIMD: usesSIMD)
  }

  /// Converts a row of four inks in place, 255 for full ink or, when it is inverted as in Adobe's
  /// JPEG files, 0, to blue, green, red and 255.
  func convertInks(_ row: UnsafeMutableRawBufferPointer, inverted: Bool, usesSIMD: Bool) {
    guard case .inks(let grid) = method,
      let start = row.baseAddress?.assumingMemoryBound(to: UInt8.self)
    else { return }
    grid.withKernelGrid { kernel in
      let complement: UInt8 = inverted ? 255 : 0
      ikran_color_inks_row(&kernel, start, complement, start, row.count / 4, usesSIMD)
    }
  }

  private func convert(
    _ start: UnsafeMutablePointer<UInt8>,
    _ size: PixelSize,
    stride: Int,
    isOpaque: Bool,
    usesSIMD simd: Bool
  ) {
    let rows = (0..<size.height).lazy.map { start + $0 * stride }
    switch method {
    case .curve(let colors):
      for row in rows { ikran_color_gray_row(colors, row, size.width, isOpaque, simd) }
    case .matrix(let light):
      let levels = SRGBLevels.bytes
      for row in rows { ikran_color_matrix_row(light, levels, row, size.width, isOpaque, simd) }
    case .grid(let grid):
      grid.withKernelGrid { kernel in
        for row in rows { ikran_color_grid_row(&kernel, row, size.width, isOpaque, simd) }
      }
    case .inks: preconditionFailure("Rows of inks are converted by convertInks.")
    }
  }
}

/// Colours of sRGB at nodes, and between which of them each byte lies.
struct ColorGrid: Sendable {
  private let nodes: [Int16]
  private let places: [UInt32]
  /// How many nodes there are in each dimension.
  let side: Int
  let dimensions: Int

  /// A grid of red, green and blue in sRGB for each node, those of the first dimension next to each
  /// other; `positions` has where each byte lies in each dimension, 0…1, in the order of a pixel's
  /// bytes.
  init(_ colors: [Float], side: Int, positions: [[Double]]) {
    (self.side, dimensions) = (side, positions.count)
    nodes = (0..<colors.count / 3).flatMap { node in
      [2, 1, 0].map { Self.number(colors[node * 3 + $0]) } + [0]
    }
    var step = 1
    var found: [UInt32] = []
    for dimension in positions {
      for position in dimension {
        let place = min(max(position, 0), 1) * Double(side - 1)
        let node = min(Int(place), side - 2)
        let part = ((place - Double(node)) * 16384).rounded()
        found.append(UInt32(node * step * Int(IKRAN_COLOR_NODE)) + UInt32(part))
      }
      step *= side
    }
    places = found
  }

  private static func number(_ color: Float) -> Int16 {
    color > 0 ? Int16((min(color, 1) * 32640).rounded()) : 0
  }

  /// Calls `body` with the grid as the kernels want it; valid inside `body` only.
  fileprivate func withKernelGrid(_ body: (inout ikran_color_grid) -> Void) {
    nodes.withUnsafeBufferPointer { nodes in
      places.withUnsafeBufferPointer { places in
        guard let nodes = nodes.baseAddress, let places = places.baseAddress else { return }
        let step = Int32(side)
        let last = dimensions > 3 ? step * step * step : 0
        var grid = ikran_color_grid(
          nodes: nodes,
          places: places,
          steps: (1, step, step * step, last)
        )
        body(&grid)
      }
    }
  }
}
