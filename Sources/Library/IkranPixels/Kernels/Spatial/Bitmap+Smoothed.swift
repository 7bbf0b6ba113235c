import CIkranKernels

extension Bitmap {
  /// Smooths what differs little in colour and keeps edges; alpha stays.
  ///
  /// Every colour is a mean of the straight colours around it, weighted by a Gaussian of the
  /// distance in pixels, one of the distance of colours, and alpha. A radius or a sigma of 0
  /// returns the bitmap itself. Cost: grows with the square of the radius.
  ///
  /// - Parameters:
  ///   - spatialSigma: The standard deviation of the distance, in pixels.
  ///   - colorSigma: The standard deviation of the colours' distance, 1 for a full channel.
  ///   - radius: The pixels on each side of the middle one that count, at most 32.
  ///   - workspace: Working memory.
  /// - Returns: A picture of the same size and format.
  /// - Throws: ``BitmapError`` when memory runs out.
  package func bilateralBlurred(
    spatialSigma: Double,
    colorSigma: Double,
    radius: Int,
    workspace: Workspace
  ) throws(BitmapError) -> Bitmap {
    guard radius > 0, spatialSigma > 0, colorSigma > 0 else { return self }
    // The loop takes 16 pixels of a row at once.
    guard width >= 16 || height <= width else {
      return try oriented(.leftMirrored)
        .bilateralBlurred(
          spatialSigma: spatialSigma,
          colorSigma: colorSigma,
          radius: radius,
          workspace: workspace
        )
        .oriented(.leftMirrored)
    }
    let radius = min(radius, 32)
    let side = 2 * radius + 1
    let memory = (side + (width + side + 16) * side * 4) * 4
    return try filtered(workspace, memory: memory) { picture, memory, simd in
      let (near, alike) = (max(spatialSigma, 0.001), max(colorSigma, 0.001))
      let spatial = 1 / (2 * near * near)
      let color = 1 / (2 * alike * alike)
      ikran_bilateral(picture, radius, spatial, color, memory, simd)
    }
  }

  /// Paints every pixel with the mean of that of four squares around it whose colours vary least.
  ///
  /// The pixel is a corner of each square, whose side is `radius + 1` pixels; a radius above 32
  /// counts as 32. Pixels count as much as their alpha, which stays. A radius of 0 returns the
  /// bitmap itself. Cost: the same for every radius.
  ///
  /// - Throws: ``BitmapError`` when memory runs out.
  package func kuwahara(radius: Int, workspace: Workspace) throws(BitmapError) -> Bitmap {
    guard radius > 0 else { return self }
    let radius = min(radius, 32)
    let memory = (width + radius) * 16 * (radius + 1) + width * 20
    return try filtered(workspace, memory: memory) { picture, memory, simd in
      ikran_kuwahara(picture, radius, memory, simd)
    }
  }

  /// Paints every pixel with the mean colour of the most frequent brightness around it.
  ///
  /// Pixels count as much as their alpha, which stays. A radius or an intensity of 0 returns the
  /// bitmap itself. Cost: grows with the radius and the number of levels.
  ///
  /// - Parameters:
  ///   - radius: The pixels on each side of the middle one that count, at most 32.
  ///   - levels: How many brightnesses are distinguished, 1…256.
  ///   - intensity: The share of the painting, 0…1.
  ///   - workspace: Working memory.
  /// - Returns: A picture of the same size and format.
  /// - Throws: ``BitmapError`` when memory runs out.
  package func oilPainted(
    radius: Int,
    levels: Int,
    intensity: Double,
    workspace: Workspace
  ) throws(BitmapError) -> Bitmap {
    guard radius > 0, intensity > 0 else { return self }
    let (radius, levels) = (min(radius, 32), min(max(levels, 1), 256))
    return try filtered(workspace, memory: width * height) { picture, memory, simd in
      ikran_oil(picture, radius, Int32(levels), intensity, memory, simd)
    }
  }
}
