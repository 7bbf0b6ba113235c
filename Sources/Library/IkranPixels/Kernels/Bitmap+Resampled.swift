import CIkranKernels

extension Bitmap {
  /// The image at another size, in the same pixel format, with a Lanczos filter.
  ///
  /// An image that already has the size is returned unchanged. Cost: two passes for the cropped
  /// pixels.
  ///
  /// - Throws: ``BitmapError`` when the size is impossible or memory runs out.
  public func resampled(
    _ fitting: Fitting,
    workspace: Workspace = Workspace()
  ) throws(BitmapError) -> Bitmap {
    try resampled(fitting, filter: .lanczos3, workspace: workspace)
  }

  package func resampled(
    _ fitting: Fitting,
    filter: ResamplingFilter,
    workspace: Workspace = Workspace()
  ) throws(BitmapError) -> Bitmap {
    try fitting.check(in: size)
    let plan = RenderPlan(stored: size, orientation: .up, fitting: fitting)
    if let cut = plan.cut {
      return try cropped(
        columns: cut.x..<cut.x + cut.size.width,
        rows: cut.y..<cut.y + cut.size.height
      )
    }
    if case .region(let region, let size, true) = fitting {
      let part = try cropped(
        columns: region.x..<region.x + region.size.width,
        rows: region.y..<region.y + region.size.height
      )
      return try part.stretched(to: size, filter: filter, workspace: workspace)
    }
    return try resampled(plan, filter: filter, workspace: workspace)
  }

  /// The whole image at exactly this size, whatever that does to its aspect.
  ///
  /// - Throws: ``BitmapError`` when the size is impossible or memory runs out.
  package func stretched(
    to size: PixelSize,
    filter: ResamplingFilter = .lanczos3,
    workspace: Workspace
  ) throws(BitmapError) -> Bitmap {
    if size == self.size { return self }
    let plan = RenderPlan(stretching: self.size, to: size)
    return try resampled(plan, filter: filter, workspace: workspace)
  }

  package func resampled(
    _ plan: RenderPlan,
    filter: ResamplingFilter = .lanczos3,
    workspace: Workspace
  ) throws(BitmapError) -> Bitmap {
    var resampler = try Resampler(
      rows: size,
      crop: plan.crop,
      output: plan.output,
      format: format.hasAlpha ? .bgra : .bgrx,
      filter: filter,
      workspace: workspace
    )
    if format.bytesPerPixel == 4 { return try resampler.render(self).described(by: profile) }
    withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      for row in resampler.neededRows {
        let pixels = base + row * bytesPerRow
        resampler.nextRow { wide in convertRow(pixels, format, wide.baseAddress, .bgrx, width) }
      }
    }
    return try resampler.finish().converted(to: format).described(by: profile)
  }

  /// The bitmap with another profile.
  private consuming func described(by profile: ColorProfile?) -> Bitmap {
    self.profile = profile
    return self
  }
}
