/// The crop and size that a fitting needs from stored pixels, which are not yet turned upright.
///
/// A decoder resamples ``crop`` to ``output`` and turns the result by the image's orientation. It
/// decodes the rows and columns of the crop at the smallest scale that keeps full quality, as far
/// as its format permits that, and hands rows to the resampler as they come.
package struct RenderPlan: Sendable, Hashable {
  /// The part of the stored pixels that is kept, in their own axes.
  package let crop: PixelArea
  /// The size to resample to, in stored axes; turning upright may exchange its sides.
  package let output: PixelSize
  /// The size of the pixels that ``crop`` refers to.
  package let rows: PixelSize
  /// Whether the pixels outside ``crop`` do not matter, not even next to its edges.
  package let isIsolated: Bool
  /// Whether colours stay as they are stored instead of being multiplied by their alpha, for plans
  /// that only cut.
  package var keepsStraightColors = false

  /// Whether nothing needs resampling: every pixel is kept as it is.
  package var isIdentity: Bool { output == rows && crop == PixelArea(rows) }

  /// How many pixels of the source there are for each of the result, across or down: the smaller.
  package var ratio: Double {
    min(crop.width / Double(output.width), crop.height / Double(output.height))
  }

  /// The pixels to cut out where nothing needs resampling; nil where it does.
  package var cut: PixelRectangle? {
    guard crop.width == Double(output.width), crop.height == Double(output.height),
      // Comparisons with NaN are false, so it ends here too.
      (0...Double(rows.width)).contains(crop.x), (0...Double(rows.height)).contains(crop.y),
      crop.x == crop.x.rounded(), crop.y == crop.y.rounded()
    else { return nil }
    let (x, y) = (Int(crop.x), Int(crop.y))
    let part = PixelRectangle(x: x, y: y, width: output.width, height: output.height)
    return part.isInside(rows) ? part : nil
  }

  /// The whole pixels that an isolated crop has a share in.
  package var isolatedPart: PixelRectangle {
    let (left, top) = (crop.x.rounded(.down), crop.y.rounded(.down))
    return PixelRectangle(
      x: Int(left),
      y: Int(top),
      width: Int((crop.x + crop.width - left).rounded(.up)),
      height: Int((crop.y + crop.height - top).rounded(.up))
    )
  }

  private init(crop: PixelArea, output: PixelSize, rows: PixelSize, isIsolated: Bool = false) {
    self.crop = crop
    self.output = output
    self.rows = rows
    self.isIsolated = isIsolated && crop != PixelArea(rows)
  }

  /// Plans all stored pixels at exactly another size, which need not have their aspect.
  package init(stretching stored: PixelSize, to output: PixelSize) {
    self.init(crop: PixelArea(stored), output: output, rows: stored)
  }

  /// Plans a size that upright pixels cover; `share` says how much of what is cropped lies left of
  /// it or above it, 0…1.
  package init(covering output: PixelSize, by stored: PixelSize, croppingBefore share: Double) {
    let crop = Self.part(of: PixelArea(stored), shapedAs: output, croppingBefore: share)
    self.init(crop: crop.onWholePixels(for: output, .up), output: output, rows: stored)
  }

  /// Plans `fitting`, which describes upright pixels, for an image stored as `stored`.
  ///
  /// See ``Fitting/check(in:)`` for regions that are not inside the image.
  package init(stored: PixelSize, orientation: Orientation, fitting: Fitting) {
    let whole = PixelArea(stored)
    switch fitting {
    case .original:
      self.init(crop: whole, output: stored, rows: stored)
    case .cover(let upright):
      let box = orientation.uprightSize(of: upright)
      let crop = Self.part(of: whole, shapedAs: box).onWholePixels(for: box, orientation)
      self.init(crop: crop, output: box, rows: stored)
    case .inside(let upright, let enlarges):
      let box = orientation.uprightSize(of: upright)
      let isSmall = stored.width <= box.width && stored.height <= box.height
      let output = isSmall && !enlarges ? stored : Self.size(of: whole, inside: box)
      self.init(crop: whole, output: output, rows: stored)
    case .around(let upright, let enlarges):
      let box = orientation.uprightSize(of: upright)
      let isSmall = stored.width <= box.width || stored.height <= box.height
      let output = isSmall && !enlarges ? stored : Self.size(of: whole, around: box)
      self.init(crop: whole, output: output, rows: stored)
    case .region(let region, let size, let isIsolated):
      let area = orientation.storedArea(of: PixelArea(region), in: stored)
      let output = orientation.uprightSize(of: size)
      self.init(crop: area, output: output, rows: stored, isIsolated: isIsolated)
    }
  }

  /// The same plan for a reduced decode that shows the whole stored image.
  ///
  /// Use ``scaled(to:numerator:denominator:)`` when the decoder rounds its size up, as
  /// libjpeg-turbo does.
  package func scaled(to reduced: PixelSize, from stored: PixelSize) -> RenderPlan {
    scaled(
      to: reduced,
      x: Double(reduced.width) / Double(max(stored.width, 1)),
      y: Double(reduced.height) / Double(max(stored.height, 1))
    )
  }

  /// The same plan for a decode reduced by exactly `numerator / denominator` on both axes.
  ///
  /// `reduced` may be rounded up: the last column and row then reach past the stored image's edge.
  package func scaled(to reduced: PixelSize, numerator: Int, denominator: Int) -> RenderPlan {
    let factor = Double(numerator) / Double(max(denominator, 1))
    return scaled(to: reduced, x: factor, y: factor)
  }

  private func scaled(to reduced: PixelSize, x: Double, y: Double) -> RenderPlan {
    let left = min(crop.x * x, Double(reduced.width))
    let top = min(crop.y * y, Double(reduced.height))
    let crop = PixelArea(
      x: left,
      y: top,
      width: min(crop.width * x, Double(reduced.width) - left),
      height: min(crop.height * y, Double(reduced.height) - top)
    )
    return RenderPlan(crop: crop, output: output, rows: reduced, isIsolated: isIsolated)
  }

  /// Whether no square of `side` stored pixels per side has pixels of both the crop and what must
  /// not matter: then a decoder may make one pixel of each square.
  package func mayReduce(squaresOf side: Int) -> Bool {
    guard isIsolated else { return true }
    func isBorder(_ edge: Double, _ length: Int) -> Bool {
      edge == Double(length) || edge.truncatingRemainder(dividingBy: Double(side)) == 0
    }
    return isBorder(crop.x, rows.width) && isBorder(crop.x + crop.width, rows.width)
      && isBorder(crop.y, rows.height) && isBorder(crop.y + crop.height, rows.height)
  }

  /// The largest area of the box's aspect, in the centre or elsewhere.
  private static func part(
    of whole: PixelArea,
    shapedAs box: PixelSize,
    croppingBefore share: Double = 0.5
  ) -> PixelArea {
    // Cross products are exact where quotients are not: a matching aspect crops nothing.
    let wide = whole.width * Double(box.height)
    let tall = whole.height * Double(box.width)
    if wide > tall {
      let width = tall / Double(max(box.height, 1))
      return PixelArea(x: (whole.width - width) * share, y: 0, width: width, height: whole.height)
    }
    let height = wide / Double(max(box.width, 1))
    return PixelArea(x: 0, y: (whole.height - height) * share, width: whole.width, height: height)
  }

  /// The largest size of the image's aspect inside the box.
  private static func size(of whole: PixelArea, inside box: PixelSize) -> PixelSize {
    let wide = whole.width * Double(box.height)
    let tall = whole.height * Double(box.width)
    guard whole.width > 0, whole.height > 0, box.isPositive else { return box }
    return wide > tall
      ? PixelSize(width: box.width, height: side(tall / whole.width, atMost: box.height))
      : PixelSize(width: side(wide / whole.height, atMost: box.width), height: box.height)
  }

  /// The smallest size of the image's aspect around the box.
  private static func size(of whole: PixelArea, around box: PixelSize) -> PixelSize {
    let wide = whole.width * Double(box.height)
    let tall = whole.height * Double(box.width)
    guard whole.width > 0, whole.height > 0, box.isPositive else { return box }
    let limit = Style.longestSide
    let long = (wide > tall ? wide / whole.height : tall / whole.width).rounded()
    guard long <= Double(limit) else {
      return size(of: whole, inside: PixelSize(width: limit, height: limit))
    }
    return wide > tall
      ? PixelSize(width: Int(long), height: box.height)
      : PixelSize(width: box.width, height: Int(long))
  }

  /// Compares before converting: `Double` cannot represent the largest sides exactly.
  private static func side(_ length: Double, atMost limit: Int) -> Int {
    let rounded = length.rounded()
    return rounded >= Double(limit) ? limit : max(1, Int(rounded))
  }
}

extension PixelArea {
  /// The area where nothing is resized: moved to the next whole pixel, to the left and up in the
  /// upright picture.
  ///
  /// Others stay where they are.
  fileprivate func onWholePixels(for output: PixelSize, _ orientation: Orientation) -> PixelArea {
    guard width == Double(output.width), height == Double(output.height) else { return self }
    return PixelArea(
      x: x.rounded(orientation.isFromRight ? .up : .down),
      y: y.rounded(orientation.isFromBottom ? .up : .down),
      width: width,
      height: height
    )
  }
}
