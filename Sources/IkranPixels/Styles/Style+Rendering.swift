extension Style {
  /// The pixels this style needs before its edges are drawn, at `scale` pixels per point.
  ///
  /// - Throws: ``StyleError`` when a length or a filter is invalid or a side is over 16,384 pixels.
  public func fitting(scale: Double) throws(StyleError) -> Fitting {
    if !filters.isEmpty {
      do { _ = try FilterGraph(filters, scale: scale) } catch { throw .filter(error) }
    }
    switch shape {
    case .original, .freeform: return .original
    case .rectangle(let width, let height), .fill(let width, let height):
      return .cover(try pixels(width, height, scale))
    case .fit(let width, let height):
      return .inside(try pixels(width, height, scale))
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

  /// Whether ``finish(_:scale:workspace:)`` has anything to do.
  package var needsFinish: Bool { !filters.isEmpty || hasEdges }

  private var hasEdges: Bool {
    switch shape {
    case .original, .rectangle, .fit, .fill: false
    case .freeform, .rounded, .circle: true
    }
  }

  /// Runs the style's filters on pixels of its fitting, then draws its edges and border or runs its
  /// transform.
  ///
  /// Styles without any of these return `bitmap` unchanged. Pixels without another reference are changed
  /// in place, so pass the last reference where possible.
  ///
  /// - Throws: ``StyleError`` when a length is invalid, memory runs out or the transform
  ///   throws.
  public func finish(
    _ bitmap: consuming Bitmap,
    scale: Double,
    workspace: Workspace
  ) throws(StyleError) -> Bitmap {
    guard !filters.isEmpty else {
      return try drawEdges(on: consume bitmap, scale: scale, workspace: workspace)
    }
    let filtered: Bitmap
    do {
      let graph = try FilterGraph(filters, scale: scale)
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
    case .original, .rectangle, .fit, .fill: return bitmap
    case .freeform(let transform):
      do { return try transform.run(bitmap) } catch {
        throw .transformFailed(name: transform.name, reason: String(describing: error))
      }
    case .rounded(_, _, let radius, let border):
      _ = try fitting(scale: scale)
      let edge = StyleEdge(bitmap.size, radius: radius.value * scale, border, scale)
      return try edge.draw(on: consume bitmap, workspace: workspace)
    case .circle(_, let border):
      _ = try fitting(scale: scale)
      // Half of the pixels, not of the points: a rounded-up side still gives a full circle.
      let radius = Double(min(bitmap.width, bitmap.height)) / 2
      let edge = StyleEdge(bitmap.size, radius: radius, border, scale)
      return try edge.draw(on: consume bitmap, workspace: workspace)
    }
  }

  private func pixels(
    _ width: Points,
    _ height: Points,
    _ scale: Double
  ) throws(StyleError) -> PixelSize {
    let across = (width.value * scale).rounded()
    let down = (height.value * scale).rounded()
    // Comparisons with NaN are false, so it throws too.
    guard width.isPositive, height.isPositive, scale > 0, across <= 16384, down <= 16384 else {
      throw .invalidSize(style: key, scale: scale)
    }
    return PixelSize(width: max(1, Int(across)), height: max(1, Int(down)))
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
    return try style.finish(consume sized, scale: scale, workspace: workspace)
  }
}

/// A style's edge in pixels.
private struct StyleEdge {
  private let outer: EdgeShape
  private let ring: (inner: EdgeShape, color: Color)?

  init(_ size: PixelSize, radius: Double, _ border: Style.Border?, _ scale: Double) {
    let width = (border?.width ?? 0) * scale
    if let color = border?.color {
      outer = EdgeShape(size, inset: 0, radius: radius)
      // The ring's two arcs share their centre, so its width is constant.
      ring = (EdgeShape(size, inset: width, radius: outer.radius - width), color)
    } else {
      outer = EdgeShape(size, inset: width, radius: radius)
      ring = nil
    }
  }

  func draw(
    on bitmap: consuming Bitmap,
    workspace: Workspace
  ) throws(StyleError) -> Bitmap {
    if ring == nil, outer.isWhole { return bitmap }
    do {
      var canvas = try Canvas(changing: consume bitmap)
      if let ring {
        try canvas.paintRing(ring.color, from: outer, to: ring.inner, workspace: workspace)
      } else {
        canvas.clip(to: outer, workspace: workspace)
      }
      return canvas.finish()
    } catch { throw .bitmap(error) }
  }
}
