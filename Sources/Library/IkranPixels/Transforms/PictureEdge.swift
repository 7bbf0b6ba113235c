/// The edge of a picture, in pixels: round corners, and a ring that is painted or transparent.
struct PictureEdge {
  private let size: PixelSize
  private let radius: Double
  private let corners: RoundedShape.Corners
  private let width: Double
  private let color: Color?

  /// Lengths have been checked: none is negative or not a number.
  init(
    _ size: PixelSize,
    radius: Double,
    corners: RoundedShape.Corners = .all,
    width: Double,
    color: Color?
  ) {
    self.size = size
    self.corners = corners
    // Without a round corner the edge is as symmetric as with four.
    self.radius = corners.isEmpty ? 0 : radius
    self.width = width
    self.color = color
  }

  /// Draws it; pixels without another reference are changed in place.
  func draw(on bitmap: consuming Bitmap, workspace: Workspace) throws(BitmapError) -> Bitmap {
    if radius > 0, corners != .all { return try drawSome(on: consume bitmap) }
    guard let color else {
      let shape = EdgeShape(size, inset: width, radius: radius)
      if shape.isWhole { return bitmap }
      var canvas = try Canvas(changing: consume bitmap)
      canvas.clip(to: shape, workspace: workspace)
      return canvas.finish()
    }
    let outer = EdgeShape(size, inset: 0, radius: radius)
    // The ring's two arcs share their centre, so its width is constant.
    let inner = EdgeShape(size, inset: width, radius: outer.radius - width)
    var canvas = try Canvas(changing: consume bitmap)
    try canvas.paintRing(color, from: outer, to: inner, workspace: workspace)
    return canvas.finish()
  }

  /// Draws an edge of which only some corners are round.
  private func drawSome(on bitmap: consuming Bitmap) throws(BitmapError) -> Bitmap {
    let whole = RoundedShape(size, radius: radius, corners: corners)
    var canvas = try Canvas(changing: consume bitmap)
    if let color {
      canvas.paintRing(color, from: whole, to: whole.inside(line: width))
    } else {
      canvas.clip(to: whole.inset(by: width, radius: radius))
    }
    return canvas.finish()
  }
}

extension Bitmap {
  /// The picture with round corners, transparent outside of them.
  ///
  /// With a border's colour, a ring is painted along the inside of the edge. Without one the ring
  /// is transparent: the picture is inset, with the same radius.
  ///
  /// Four corners look as those of ``Style/rounded(width:height:cornerRadius:border:)``. Pixels
  /// without another reference are changed in place. Cost: one pass.
  ///
  /// - Parameters:
  ///   - radius: The corners' radius in pixels; over half of the shorter side it counts as that
  ///     half.
  ///   - corners: The corners that are round; the others stay square.
  ///   - borderWidth: The ring's width in pixels.
  ///   - borderColor: The ring's colour, or nil for a transparent one.
  ///   - workspace: Working memory; only one thread may use it at a time.
  /// - Returns: The picture in ``PixelFormat/bgra``, or unchanged when it has neither.
  /// - Throws: ``BitmapError/invalidEdge`` when a length is negative or not a finite number;
  ///   ``BitmapError/outOfMemory(bytes:)``.
  public consuming func rounded(
    radius: Double,
    corners: RoundedShape.Corners = .all,
    borderWidth: Double = 0,
    borderColor: Color? = nil,
    workspace: Workspace = Workspace()
  ) throws(BitmapError) -> Bitmap {
    guard radius.isFinite, borderWidth.isFinite, radius >= 0, borderWidth >= 0 else {
      throw .invalidEdge
    }
    let edge = PictureEdge(
      size,
      radius: radius,
      corners: corners,
      width: borderWidth,
      color: borderWidth > 0 ? borderColor : nil
    )
    return try edge.draw(on: self, workspace: workspace)
  }
}
