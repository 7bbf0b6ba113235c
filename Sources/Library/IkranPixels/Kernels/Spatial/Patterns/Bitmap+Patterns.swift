import CIkranKernels

/// Filters that draw a pattern of the picture's colours; alpha stays.
extension Bitmap {
  /// Discs of the mean colour of square cells, on black; a cell of a pixel or less returns the
  /// bitmap itself.
  ///
  /// - Parameters:
  ///   - scale: The side of a cell, 1 for the picture's width.
  ///   - dotSize: The diameter, 1 for a cell.
  ///   - workspace: Working memory.
  /// - Returns: A picture of the same size and format.
  /// - Throws: ``BitmapError`` when memory runs out.
  func polkaDots(
    _ scale: Double,
    dotSize: Double,
    workspace: Workspace
  ) throws(BitmapError) -> Bitmap {
    let cell = scale * Double(width)
    guard cell > 1 else { return self }
    return try filtered(workspace, memory: 32 * width) { picture, memory, _ in
      ikran_polka(picture, cell, dotSize, memory)
    }
  }

  /// Black lines on white, in more layers where it is darker; a spacing of a pixel or less returns
  /// the bitmap itself.
  ///
  /// - Parameters:
  ///   - spacing: The distance of lines along a row, 1 for the picture's width.
  ///   - lineWidth: Their width, 1 for the picture's.
  ///   - workspace: Working memory.
  /// - Returns: A picture of the same size and format.
  /// - Throws: ``BitmapError`` when memory runs out.
  func crosshatched(
    spacing: Double,
    lineWidth: Double,
    workspace: Workspace
  ) throws(BitmapError) -> Bitmap {
    let (distance, thickness) = (spacing * Double(width), lineWidth * Double(width))
    guard distance > 1 else { return self }
    return try filtered(workspace) { picture, _, _ in
      ikran_crosshatch(picture, distance, thickness)
    }
  }

  /// The nearest of a few colours to the mean of each square cell, which has a pixel at least.
  ///
  /// - Parameters:
  ///   - colors: One or more; their alpha does not matter.
  ///   - scale: The side of a cell, 1 for the picture's width.
  ///   - workspace: Working memory.
  /// - Returns: A picture of the same size and format.
  /// - Throws: ``BitmapError`` when memory runs out.
  func reduced(
    to colors: [Color],
    scale: Double,
    workspace: Workspace
  ) throws(BitmapError) -> Bitmap {
    let cell = max(scale * Double(width), 1)
    let bytes = colors.flatMap { [$0.blue, $0.green, $0.red, $0.alpha] }
    return try filtered(workspace, memory: 32 * width) { picture, memory, _ in
      bytes.withPointer { ikran_reduce_colors(picture, cell, $0, Int32(colors.count), memory) }
    }
  }

  /// Canny's edges, white on black.
  ///
  /// Cost: the same for every picture of a size; 5 bytes of working memory a pixel.
  ///
  /// - Parameters:
  ///   - sigma: Of the blur before, in pixels.
  ///   - low: The gradient of pixels that go on an edge.
  ///   - high: The gradient of pixels with which an edge begins.
  ///   - workspace: Working memory.
  /// - Returns: A picture of the same size and format.
  /// - Throws: ``BitmapError`` when memory runs out.
  func cannyEdges(
    sigma: Double,
    low: Double,
    high: Double,
    workspace: Workspace
  ) throws(BitmapError) -> Bitmap {
    let bytes = 5 * width * height + 24 * (width + 2)
    let (least, enough) = (Float(low), Float(max(low, high)))
    let blurred = try gaussianBlurred(sigma: sigma, workspace: workspace)
    let edges = try blurred.filtered(workspace, memory: bytes) { picture, memory, simd in
      ikran_canny(picture, least, enough, memory, simd)
    }
    let draw = PointStep.blend(.normal, .picture(edges), share: 1, keepsAlpha: true)
    return try PointProgram([draw]).run(self, workspace: workspace)
  }
}
