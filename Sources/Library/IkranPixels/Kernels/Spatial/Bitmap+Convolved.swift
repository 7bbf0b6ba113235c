import CIkranKernels

/// Filters of three by three pixels, on straight colours; alpha stays.
///
/// A neighbour counts as drawn over the pixel's own colour, so clear neighbours change nothing.
extension Bitmap {
  /// `(1 + 4 · amount)` times a pixel minus `amount` times its four neighbours; 0 returns the
  /// bitmap itself, negative amounts soften.
  ///
  /// - Throws: ``BitmapError`` when memory runs out.
  package func sharpened(_ amount: Double, workspace: Workspace) throws(BitmapError) -> Bitmap {
    let s = Float(amount)
    return try convolved([0, -s, 0, -s, 1 + 4 * s, -s, 0, -s, 0], workspace: workspace)
  }

  /// The sum of each pixel and its eight neighbours, times nine weights.
  ///
  /// The weights of a picture that stays return the bitmap itself.
  ///
  /// - Parameters:
  ///   - weights: From the top left neighbour, row by row; they are not normalised.
  ///   - workspace: Working memory.
  /// - Returns: A picture of the same size and format.
  /// - Throws: ``BitmapError`` when memory runs out.
  package func convolved(
    _ weights: [Float],
    workspace: Workspace
  ) throws(BitmapError) -> Bitmap {
    precondition(weights.count == 9, "A convolution has nine weights.")
    if weights == [0, 0, 0, 0, 1, 0, 0, 0, 0] { return self }
    return try filtered(workspace, memory: (width + 2) * 64) { picture, memory, simd in
      weights.withPointer { ikran_convolve(picture, $0, memory, simd) }
    }
  }

  /// The strength of edges as a gray: `amount` times the length of Sobel's gradient of the luma.
  ///
  /// - Throws: ``BitmapError`` when memory runs out.
  package func sobel(_ amount: Double, workspace: Workspace) throws(BitmapError) -> Bitmap {
    try filtered(workspace, memory: (width + 2) * 64) { picture, memory, simd in
      ikran_sobel(picture, 0, Float(amount), memory, simd)
    }
  }

  /// A pencil drawing: white, less `amount` times the strength of edges.
  ///
  /// - Throws: ``BitmapError`` when memory runs out.
  package func sketch(_ amount: Double, workspace: Workspace) throws(BitmapError) -> Bitmap {
    try filtered(workspace, memory: (width + 2) * 64) { picture, memory, simd in
      ikran_sobel(picture, 1, -Float(amount), memory, simd)
    }
  }

  /// A comic: black where the strength of edges is at least `threshold`, few colours elsewhere.
  ///
  /// - Parameters:
  ///   - levels: Each channel is rounded to a multiple of 1 / levels; 1…255.
  ///   - threshold: The strength of an edge; a step from black to white has 4.
  ///   - workspace: Working memory.
  /// - Returns: A picture of the same size and format.
  /// - Throws: ``BitmapError`` when memory runs out.
  package func toon(
    levels: Double,
    threshold: Double,
    workspace: Workspace
  ) throws(BitmapError) -> Bitmap {
    try filtered(workspace, memory: (width + 2) * 64) { picture, memory, simd in
      ikran_toon(picture, Float(min(max(levels, 1), 255)), Float(threshold), memory, simd)
    }
  }
}
