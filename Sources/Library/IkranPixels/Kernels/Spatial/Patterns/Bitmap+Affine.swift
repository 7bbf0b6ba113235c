import CIkranKernels

/// A map of places to places: (a x + b y + right, c x + d y + down).
struct AffineMap: Sendable {
  let a, b, right, c, d, down: Double

  /// What leads back, for places whose origin is `center`; nil where all places become one line or
  /// point.
  fileprivate func inverse(around center: (x: Double, y: Double)) -> ikran_affine? {
    // The factors have four decimals: as whole numbers they are exact.
    let (wholeA, wholeB) = (Int((a * 1e4).rounded()), Int((b * 1e4).rounded()))
    let (wholeC, wholeD) = (Int((c * 1e4).rounded()), Int((d * 1e4).rounded()))
    let whole = wholeA * wholeD - wholeB * wholeC
    guard whole != 0 else { return nil }
    let determinant = Double(whole) * 1e-8
    let (xx, xy) = (d / determinant, -b / determinant)
    let (yx, yy) = (-c / determinant, a / determinant)
    let (x, y) = (center.x + right, center.y + down)
    return ikran_affine(
      xx: xx,
      xy: xy,
      left: center.x - xx * x - xy * y,
      yx: yx,
      yy: yy,
      top: center.y - yx * x - yy * y
    )
  }
}

extension Bitmap {
  /// Moves every place as `map` says, from the picture's centre; clear where nothing comes from.
  ///
  /// - Parameters:
  ///   - map: Its lengths are in pixels.
  ///   - workspace: Working memory.
  /// - Returns: A picture of the same size, with alpha.
  /// - Throws: ``BitmapError`` when memory runs out.
  func transformed(_ map: AffineMap, workspace: Workspace) throws(BitmapError) -> Bitmap {
    let center = (x: Double(width - 1) / 2, y: Double(height - 1) / 2)
    guard let matrix = map.inverse(around: center) else {
      return try Canvas(size: size, format: .bgra).finish()
    }
    return try converted(to: .bgra).filtered(workspace) { picture, _, simd in
      ikran_transform(picture, matrix, simd)
    }
  }
}
