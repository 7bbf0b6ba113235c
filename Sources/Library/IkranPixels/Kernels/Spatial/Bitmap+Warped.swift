import CIkranKernels

/// How pixels move to or from a centre, which is a part of the width and of the height.
struct Warp: Sendable {
  enum Kind: Sendable {
    case pinch(Double)
    case bulge(Double)
    /// In pixels; the phase is in waves.
    case ripple(Double, wavelength: Double, phase: Double)
  }

  let kind: Kind
  let x, y: Double
}

/// Filters that bend or mirror the picture; the edge pixel is repeated outside.
extension Bitmap {
  /// Moves pixels inside a circle, or all of them for a ripple; a radius of 0 returns the bitmap
  /// itself.
  ///
  /// - Parameters:
  ///   - warp: How they move.
  ///   - radius: The circle's, in pixels.
  ///   - workspace: Working memory.
  /// - Returns: A picture of the same size and format.
  /// - Throws: ``BitmapError`` when memory runs out.
  func warped(
    _ warp: Warp,
    radius: Double,
    workspace: Workspace
  ) throws(BitmapError) -> Bitmap {
    guard radius > 0 else { return self }
    var shape = ikran_warp_shape()
    shape.x = warp.x * Double(width) - 0.5
    shape.y = warp.y * Double(height) - 0.5
    shape.radius = radius
    switch warp.kind {
    case .pinch(let amount): (shape.kind, shape.amount) = (ikran_warp_pinch, amount)
    case .bulge(let amount): (shape.kind, shape.amount) = (ikran_warp_bulge, amount)
    case .ripple(let amplitude, let wavelength, let phase):
      (shape.kind, shape.amount) = (ikran_warp_ripple, amplitude)
      (shape.rate, shape.phase) = (2 * .pi / wavelength, 2 * .pi * phase)
    }
    return try filtered(workspace) { picture, _, simd in ikran_warp(picture, shape, simd) }
  }

  /// A ball of glass; a radius of 0 returns the bitmap itself.
  ///
  /// - Parameters:
  ///   - ratio: The index of air over that of the glass, 0…0.99.
  ///   - radius: The ball's, 1 for the shorter side.
  ///   - x: The centre, 1 for the width.
  ///   - y: The centre, 1 for the height.
  ///   - workspace: Working memory.
  /// - Returns: A picture of the same size and format.
  /// - Throws: ``BitmapError`` when memory runs out.
  func glassSphere(
    _ ratio: Double,
    radius: Double,
    x: Double,
    y: Double,
    workspace: Workspace
  ) throws(BitmapError) -> Bitmap {
    guard radius > 0 else { return self }
    let sphere = ikran_sphere(
      x: x * Double(width) - 0.5,
      y: y * Double(height) - 0.5,
      radius: radius * Double(min(width, height)),
      ratio: ratio
    )
    return try filtered(workspace) { picture, _, simd in ikran_glass_sphere(picture, sphere, simd) }
  }

  /// One half and its mirror image.
  ///
  /// - Throws: ``BitmapError`` when memory runs out.
  func mirrored(
    _ half: Filter.MirrorHalf,
    workspace: Workspace
  ) throws(BitmapError) -> Bitmap {
    func places(
      _ length: Int,
      first: Filter.MirrorHalf,
      last: Filter.MirrorHalf
    ) -> [Int32] {
      (0..<length).map { place in
        let other = length - 1 - place
        let chosen = half == first ? min(place, other) : half == last ? max(place, other) : place
        return Int32(chosen)
      }
    }
    let (columns, rows) = (
      places(width, first: .left, last: .right), places(height, first: .top, last: .bottom)
    )
    return try filtered(workspace) { picture, _, _ in
      columns.withPointer { columns in
        rows.withPointer { rows in ikran_pick(picture, columns, rows) }
      }
    }
  }
}
