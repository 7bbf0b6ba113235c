import IkranPixels

extension Framing.Trim {
  /// The part of a picture that is left without a border of one colour; all of it where nothing
  /// would be left.
  ///
  /// As libvips' `find_trim`: single dots do not count, as each pixel is the median of nine, and a
  /// pixel belongs to the picture when one of its channels differs from the border's by more than
  /// the threshold. Transparent pixels lie over FF00FF.
  ///
  /// - Parameters:
  ///   - picture: The upright picture, four bytes a pixel.
  ///   - toUpright: How it was turned: the corner and both axes are those of the stored one.
  ///   - workspace: Working memory.
  /// - Returns: The part, upright.
  /// - Throws: `BitmapError` when memory runs out.
  func area(
    of picture: Bitmap,
    _ toUpright: Turn,
    _ workspace: Workspace
  ) throws(BitmapError) -> PixelRectangle {
    let whole = PixelRectangle(x: 0, y: 0, width: picture.width, height: picture.height)
    let opaque = try picture.flattened(over: Color(red: 255, green: 0, blue: 255))
    let stored = toUpright.inverse.size(picture.size)
    let first = PixelRectangle(x: 0, y: 0, width: 1, height: 1)
    let corner = toUpright.rectangle(first, in: stored)
    let border = color ?? opaque.color(x: corner.x, y: corner.y) ?? .black
    let smooth = try opaque.medians(radius: 1, workspace: workspace)
    guard let found = smooth.part(unlike: border, by: threshold) else { return whole }
    return evened(found, in: picture.size, isTurned: toUpright.quarters % 2 == 1)
  }

  /// A part for which both sides are cut by the smaller amount, as far as the URL asks for it.
  private func evened(
    _ part: PixelRectangle,
    in whole: PixelSize,
    isTurned: Bool
  ) -> PixelRectangle {
    var (left, top) = (part.x, part.y)
    var right = whole.width - left - part.size.width
    var bottom = whole.height - top - part.size.height
    if isTurned ? isEqualVertically : isEqualHorizontally {
      (left, right) = (min(left, right), min(left, right))
    }
    if isTurned ? isEqualHorizontally : isEqualVertically {
      (top, bottom) = (min(top, bottom), min(top, bottom))
    }
    return PixelRectangle(
      x: left,
      y: top,
      width: whole.width - left - right,
      height: whole.height - top - bottom
    )
  }
}

extension Bitmap {
  /// The smallest rectangle around all pixels of another colour; nil for none.
  fileprivate func part(unlike color: Color, by threshold: Double) -> PixelRectangle? {
    let most = threshold.rounded(.down).pixels
    var (left, right, top, bottom) = (width, 0, height, 0)
    for y in 0..<height {
      let found = withRow(y) { $0.pixels(unlike: color, by: most) }
      guard let found else { continue }
      (left, right) = (min(left, found.lowerBound), max(right, found.upperBound))
      (top, bottom) = (min(top, y), y + 1)
    }
    guard left < right else { return nil }
    return PixelRectangle(x: left, y: top, width: right - left, height: bottom - top)
  }
}

extension Span<UInt8> {
  /// From the first to the last pixel of a row of which a channel differs by more than `most`.
  fileprivate func pixels(unlike color: Color, by most: Int) -> Range<Int>? {
    var (first, end) = (0, count / 4)
    while first < end, !isUnlike(color, at: first * 4, by: most) { first += 1 }
    while end > first, !isUnlike(color, at: (end - 1) * 4, by: most) { end -= 1 }
    return first < end ? first..<end : nil
  }

  private func isUnlike(_ color: Color, at place: Int, by most: Int) -> Bool {
    abs(Int(self[place]) - Int(color.blue)) > most
      || abs(Int(self[place + 1]) - Int(color.green)) > most
      || abs(Int(self[place + 2]) - Int(color.red)) > most
  }
}
