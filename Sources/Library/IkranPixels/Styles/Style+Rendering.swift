extension Style {
  /// The longest side of a result, in pixels.
  static let longestSide = 16_384

  /// The pixels this style needs before its edges are drawn, at `scale` pixels per point.
  ///
  /// - Throws: ``StyleError`` when a length or a filter is invalid or a side is over 16,384 pixels.
  public func fitting(scale: Double) throws(StyleError) -> Fitting {
    do { try FilterGraph.check(filters, scale: scale) } catch { throw .filter(error) }
    switch shape {
    case .automatic, .original, .freeform: return .original
    case .rectangle(let width, let height), .fill(let width, let height):
      return .cover(try pixels(width, height, scale))
    case .fit(let box):
      let size = try pixels(box.width, box.height, scale)
      return box.isCovered
        ? .around(size, enlarges: box.enlarges) : .inside(size, enlarges: box.enlarges)
    case .region(let region, let width, let height, let isIsolated):
      return .region(region, try pixels(width, height, scale), isolated: isIsolated)
    case .rounded(let width, let height, let radius, let border):
      guard radius.isLength, border?.thickness.isLength ?? true else {
        throw .invalidEdge(style: key)
      }
      return .cover(try pixels(width, height, scale))
    case .circle(let diameter, let border):
      guard border?.thickness.isLength ?? true else { throw .invalidEdge(style: key) }
      return .cover(try pixels(diameter, diameter, scale))
    }
  }

  /// The pixels of every image in this style before its filters; nil where they depend on the
  /// image.
  package func fixedSize(scale: Double) -> PixelSize? {
    // A style that is invalid has no size; `fitting` says why.
    (try? fitting(scale: scale))?.fixedSize
  }

  /// Whether ``applyFiltersAndEdges(_:scale:workspace:)`` has anything to do.
  package var hasFiltersOrEdges: Bool { !filters.isEmpty || hasEdges }

  private var hasEdges: Bool {
    switch shape {
    case .automatic, .original, .rectangle, .fit, .fill, .region: false
    case .freeform, .rounded, .circle: true
    }
  }

  /// Runs the style's filters on pixels of its fitting, then draws its edges and border or runs its
  /// transform.
  ///
  /// Styles without any of these return `bitmap` unchanged. Pixels without another reference are
  /// changed in place, so pass the last reference where possible.
  ///
  /// - Throws: ``StyleError`` when a length is invalid, memory runs out or the transform
  ///   throws.
  public func applyFiltersAndEdges(
    _ bitmap: consuming Bitmap,
    scale: Double,
    workspace: Workspace
  ) throws(StyleError) -> Bitmap {
    guard !filters.isEmpty else {
      return try drawEdges(on: consume bitmap, scale: scale, workspace: workspace)
    }
    let filtered: Bitmap
    do {
      let graph = try workspace.graph(for: filters, scale: scale)
      filtered = try graph.run(consume bitmap, workspace: workspace)
    } catch { throw .filter(error) }
    return try drawEdges(on: consume filtered, scale: scale, workspace: workspace)
  }

  private func drawEdges(
    on bitmap: consuming Bitmap,
    scale: Double,
    workspace: Workspace
  ) throws(StyleError) -> Bitmap {
    switch shape {
    case .automatic, .original, .rectangle, .fit, .fill, .region: return bitmap
    case .freeform(let transform):
      do { return try transform.run(bitmap) } catch {
        throw .transformFailed(name: transform.name, reason: String(describing: error))
      }
    case .rounded(_, _, let radius, let border):
      _ = try fitting(scale: scale)
      let edge = border.edge(of: bitmap.size, radius: radius.value * scale, scale: scale)
      return try edge.drawn(on: consume bitmap, workspace: workspace)
    case .circle(_, let border):
      _ = try fitting(scale: scale)
      // Half of the pixels, not of the points: a rounded-up side still gives a full circle.
      let radius = Double(min(bitmap.width, bitmap.height)) / 2
      let edge = border.edge(of: bitmap.size, radius: radius, scale: scale)
      return try edge.drawn(on: consume bitmap, workspace: workspace)
    }
  }

  /// The pixels of two sides, of which one may be open.
  private func pixels(
    _ width: Points?,
    _ height: Points?,
    _ scale: Double
  ) throws(StyleError) -> PixelSize {
    PixelSize(width: try pixels(width, scale), height: try pixels(height, scale))
  }

  private func pixels(_ side: Points?, _ scale: Double) throws(StyleError) -> Int {
    // An open side ends somewhere: a picture of one column could take any memory.
    guard let side else { return Self.longestSide }
    let pixels = (side.value * scale).rounded()
    // Comparisons with NaN are false, so it throws too.
    guard side.isPositive, scale > 0, pixels <= Double(Self.longestSide) else {
      throw .invalidSize(style: key, scale: scale)
    }
    return max(1, Int(pixels))
  }
}

extension Bitmap {
  /// The picture in a style, at `scale` pixels per point.
  ///
  /// - Throws: ``StyleError`` when a length is invalid, memory runs out or a freeform
  ///   style's transform throws.
  public func styled(
    _ style: Style,
    scale: Double = 1,
    workspace: Workspace = Workspace()
  ) throws(StyleError) -> Bitmap {
    let fitting = try style.fitting(scale: scale)
    let sized: Bitmap
    do { sized = try resampled(fitting, workspace: workspace) } catch { throw .bitmap(error) }
    return try style.applyFiltersAndEdges(consume sized, scale: scale, workspace: workspace)
  }
}

extension Style.Border? {
  /// The edge of a picture with this border or none.
  fileprivate func edge(of size: PixelSize, radius: Double, scale: Double) -> PictureEdge {
    let width = (self?.width ?? 0) * scale
    return PictureEdge(size, radius: radius, width: width, color: self?.color)
  }
}

extension PictureEdge {
  fileprivate func drawn(
    on bitmap: consuming Bitmap,
    workspace: Workspace
  ) throws(StyleError) -> Bitmap {
    do { return try draw(on: bitmap, workspace: workspace) } catch { throw .bitmap(error) }
  }
}
