import IkranPixels

/// The service's own picture that is put over others.
struct WatermarkPicture: Sendable {
  var bitmap: Bitmap
  /// Multiplies the opacity that a URL asks for, 0…1.
  var opacity = 1.0
}

/// A watermark as a URL asks for it.
struct WatermarkDrawing {
  private let mark: WatermarkPicture
  private let options: Effects.Watermark
  private let dpr: Double

  init(_ mark: WatermarkPicture, _ options: Effects.Watermark, dpr: Double) {
    (self.mark, self.options, self.dpr) = (mark, options, dpr)
  }

  private var opacity: Double { min(options.opacity * mark.opacity, 1) }

  /// Draws the watermark over a picture, or returns it as it is where nothing is to be seen.
  ///
  /// - Throws: ``RenderError/tooLarge(_:)`` for a watermark that would be over the limits;
  ///   ``RenderError/bitmap(_:)``.
  func draw(
    over picture: Bitmap,
    limits: ResultLimits,
    workspace: Workspace
  ) throws(RenderError) -> Bitmap {
    guard opacity > 0 else { return picture }
    let wanted = size(on: picture.size)
    try limits.check(wanted)
    let visible = try faded(wanted, workspace)
    return try RenderError.pixels { () throws(BitmapError) in
      var canvas = try Canvas(recoloring: picture)
      if let position = options.position {
        let gravity = Gravity(kind: position, x: options.x, y: options.y)
        let place = gravity.position(of: wanted, in: picture.size, scale: dpr, overhangs: true)
        canvas.draw(visible, x: place.x, y: place.y)
      } else {
        try tile(visible, on: &canvas)
      }
      return canvas.finish()
    }
  }

  /// The mark at its size and opacity.
  private func faded(_ size: PixelSize, _ workspace: Workspace) throws(RenderError) -> Bitmap {
    let sized = try RenderError.pixels { () throws(BitmapError) in
      try mark.bitmap.inFourBytes().stretched(to: size, workspace: workspace).converted(to: .bgra)
    }
    do { return try sized.filtered([.opacity(opacity)], workspace: workspace) } catch {
      throw .filter(error)
    }
  }

  /// Its own size, or the largest inside its share of a picture.
  private func size(on picture: PixelSize) -> PixelSize {
    guard options.scale > 0 else { return mark.bitmap.size }
    let (width, height) = (Double(mark.bitmap.width), Double(mark.bitmap.height))
    func side(_ side: Int) -> Double {
      Double(max(1, (Double(side) * options.scale).evenPixels))
    }
    let shrink = max(width / side(picture.width), height / side(picture.height))
    return PixelSize(
      width: max(1, (width / shrink).pixels),
      height: max(1, (height / shrink).pixels)
    )
  }

  /// Repeats a mark over all of the canvas, with one tile in the middle.
  private func tile(_ mark: Bitmap, on canvas: inout Canvas) throws(BitmapError) {
    let across = Tiles(mark.width, canvas.size.width, offset: options.x, dpr: dpr)
    let down = Tiles(mark.height, canvas.size.height, offset: options.y, dpr: dpr)
    let part = try mark.cropped(columns: across.kept, rows: down.kept)
    // A row of marks first: as many draws as there are columns and rows, not tiles.
    let size = PixelSize(width: canvas.size.width, height: part.height)
    var row = try Canvas(size: size, format: .bgra)
    for x in across.starts { row.draw(part, x: x, y: 0) }
    let marks = row.finish()
    for y in down.starts { canvas.draw(marks, x: 0, y: y) }
  }

  /// The tiles along one axis.
  private struct Tiles {
    /// What is seen of a mark: less than all where tiles overlap.
    let kept: Range<Int>
    /// Where marks begin.
    let starts: [Int]

    init(_ mark: Int, _ side: Int, offset: Double, dpr: Double) {
      let space = Gravity.offset(offset, of: side, scale: dpr)
      let tile = max(1, mark + space)
      let before = space / 2
      let first = max(0, min(-before, mark - 1))
      kept = first..<max(first + 1, min(mark, first + tile))
      // An odd number of tiles, the middle one in the middle.
      let count = ((side - 1) / tile + 1) | 1
      let start = (side - count * tile) / 2 + max(0, before)
      starts = (0..<count).map { start + $0 * tile }
    }
  }
}
