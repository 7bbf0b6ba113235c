import IkranPixels

extension ResultPlan {
  /// Makes the result of the pixels that ``style`` brings.
  ///
  /// The order of the steps is imgproxy's: what is kept is cut and turned, then come filters, what
  /// is put around, the colour below, the format's longest side, and the watermark.
  ///
  /// - Parameters:
  ///   - bitmap: The decoded picture, upright.
  ///   - watermark: The service's picture to put over it; nil where there is none.
  ///   - workspace: Memory to reuse from picture to picture.
  /// - Returns: The result, to be encoded.
  /// - Throws: ``RenderError``.
  func render(
    _ bitmap: Bitmap,
    watermark: WatermarkPicture? = nil,
    workspace: Workspace = Workspace()
  ) throws(RenderError) -> Bitmap {
    var picture = bitmap
    let layout: ResultLayout
    if let known = self.layout {
      layout = known
      picture = try RenderError.pixels { () throws(BitmapError) in
        try bitmap.inFourBytes().stretched(to: known.decoded, workspace: workspace)
      }
    } else {
      (picture, layout) = try scaledPart(of: bitmap, workspace)
    }
    try workspace.checkIsWanted()
    picture = try RenderError.pixels { () throws(BitmapError) in
      let kept = try picture.cut(layout.cut, workspace).oriented(layout.turn)
      return try kept.filtered(by: options.effects, workspace)
    }
    try workspace.checkIsWanted()
    picture = try RenderError.pixels { () throws(BitmapError) in
      try picture.placed(in: layout, over: ground)
        .stretched(to: format.limited(layout.canvas), workspace: workspace)
    }
    guard let watermark else { return picture }
    let mark = WatermarkDrawing(watermark, options.effects.watermark, dpr: layout.dpr)
    return try mark.draw(over: picture, limits: limits, workspace: workspace)
  }

  /// What is used of a whole picture, at its size before ``ResultLayout/cut``.
  private func scaledPart(
    of bitmap: Bitmap,
    _ workspace: Workspace
  ) throws(RenderError) -> (Bitmap, ResultLayout) {
    let used: Bitmap
    do throws(BitmapError) {
      let whole = try bitmap.inFourBytes()
      var area = PixelRectangle(x: 0, y: 0, width: whole.width, height: whole.height)
      if let trim = options.framing.trim {
        area = try trim.area(of: whole, frame.toUpright, workspace)
      }
      let rest = try whole.cropped(to: area)
      let size = frame.cropSize(options.framing.crop, of: area.size)
      if options.framing.cropGravity.kind == .smart {
        used = try rest.cut(.smart(size), workspace)
      } else {
        let inside = PixelRectangle(x: 0, y: 0, width: rest.width, height: rest.height)
        used = try rest.cropped(to: frame.cropped(options.framing, in: inside))
      }
    } catch { throw .bitmap(error) }
    let part = PixelRectangle(x: 0, y: 0, width: used.width, height: used.height)
    let layout = try ResultLayout(part, of: frame, options, limits: limits)
    do throws(BitmapError) {
      let fitting = Fitting.region(layout.region, layout.decoded)
      return (try used.resampled(fitting, workspace: workspace), layout)
    } catch { throw .bitmap(error) }
  }
}

extension Workspace {
  /// Whether the picture that is made in it is still waited for.
  var isWanted: Bool { !(cancellation?.isCancelled ?? false) }

  /// Ends a picture that is no longer waited for.
  ///
  /// - Throws: ``RenderError/cancelled``.
  func checkIsWanted() throws(RenderError) { if !isWanted { throw .cancelled } }
}

extension Bitmap {
  /// The picture with four bytes a pixel, which all steps take.
  func inFourBytes() throws(BitmapError) -> Bitmap {
    format.bytesPerPixel == 4 ? self : try converted(to: .bgrx)
  }

  func cropped(to part: PixelRectangle) throws(BitmapError) -> Bitmap {
    guard part.isInside(size) else { throw .outside(part, of: size) }
    return try cropped(
      columns: part.x..<part.x + part.size.width,
      rows: part.y..<part.y + part.size.height
    )
  }

  fileprivate func cut(
    _ cut: ResultLayout.Cut,
    _ workspace: Workspace
  ) throws(BitmapError) -> Bitmap {
    switch cut {
    case .nothing: return self
    case .box(let box): return try cropped(to: box)
    case .smart(let part):
      if part == size { return self }
      return try cropped(to: Attention(self, workspace).box(of: part, in: size))
    }
  }

  /// The picture on its canvas, over a colour if there is one.
  fileprivate func placed(
    in layout: ResultLayout,
    over ground: Color?
  ) throws(BitmapError) -> Bitmap {
    guard layout.canvas != size else {
      guard let ground else { return self }
      return try flattened(over: ground)
    }
    var canvas = try Canvas(size: layout.canvas, format: ground == nil ? .bgra : .bgrx)
    canvas.profile = profile
    if let ground {
      let opaque = Color(red: ground.red, green: ground.green, blue: ground.blue)
      canvas.fill(RoundedShape(layout.canvas), with: opaque)
    }
    canvas.draw(self, x: layout.x, y: layout.y)
    return canvas.finish()
  }
}
