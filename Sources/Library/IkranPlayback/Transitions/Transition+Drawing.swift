import IkranPixels

extension Transition {
  /// Draws a moment between two pictures.
  ///
  /// - Parameters:
  ///   - from: The old picture.
  ///   - to: The new picture, of the same size and format.
  ///   - progress: From 0, where only the old picture is seen, to 1.
  ///   - workspace: Memory to reuse.
  /// - Returns: A picture of their size and format.
  /// - Throws: ``BitmapError`` when memory runs out.
  func picture(
    from: Bitmap,
    to: Bitmap,
    progress: Double,
    workspace: Workspace
  ) throws(BitmapError) -> Bitmap {
    if progress <= 0 { return from }
    if progress >= 1 { return to }
    let isFlip = if case .flip = effect { true } else { false }
    var canvas = try Canvas(size: to.size, format: to.format, zeroed: isFlip)
    switch effect {
    case .fade: canvas.mix(from, to, weight: Int((progress * 256).rounded()))
    case .slide(let edge): Self.slide(from, to, edge, progress, on: &canvas)
    case .wipe(let edge): Self.wipe(from, to, edge, progress, on: &canvas)
    case .flip(let isVertical):
      let side = progress < 0.5 ? from : to
      try Self.draw(side, Self.shownWidth(at: progress), isVertical, on: &canvas, workspace)
    }
    return canvas.finish()
  }

  private static func slide(
    _ from: Bitmap,
    _ to: Bitmap,
    _ edge: Edge,
    _ progress: Double,
    on canvas: inout Canvas
  ) {
    let (width, height) = (to.width, to.height)
    let across = part(progress, of: width)
    let down = part(progress, of: height)
    switch edge {
    case .left:
      canvas.draw(from, left: across, top: 0)
      canvas.draw(to, left: across - width, top: 0)
    case .right:
      canvas.draw(from, left: -across, top: 0)
      canvas.draw(to, left: width - across, top: 0)
    case .top:
      canvas.draw(from, left: 0, top: down)
      canvas.draw(to, left: 0, top: down - height)
    case .bottom:
      canvas.draw(from, left: 0, top: -down)
      canvas.draw(to, left: 0, top: height - down)
    }
  }

  private static func wipe(
    _ from: Bitmap,
    _ to: Bitmap,
    _ edge: Edge,
    _ progress: Double,
    on canvas: inout Canvas
  ) {
    let (width, height) = (to.width, to.height)
    let across = part(progress, of: width)
    let down = part(progress, of: height)
    canvas.draw(from, left: 0, top: 0)
    switch edge {
    case .left: canvas.draw(to, left: 0, top: 0, columns: 0..<across)
    case .right: canvas.draw(to, left: 0, top: 0, columns: width - across..<width)
    case .top: canvas.draw(to, left: 0, top: 0, rows: 0..<down)
    case .bottom: canvas.draw(to, left: 0, top: 0, rows: height - down..<height)
    }
  }

  /// Draws a card that is squeezed to a part of its width or height, at least one pixel.
  private static func draw(
    _ card: Bitmap,
    _ shown: Double,
    _ isVertical: Bool,
    on canvas: inout Canvas,
    _ workspace: Workspace
  ) throws(BitmapError) {
    let width = isVertical ? card.width : max(1, part(shown, of: card.width))
    let height = isVertical ? max(1, part(shown, of: card.height)) : card.height
    let size = PixelSize(width: width, height: height)
    let squeezed = try card.stretched(to: size, workspace: workspace)
    canvas.draw(
      squeezed,
      left: (card.width - width) / 2,
      top: (card.height - height) / 2
    )
  }

  /// How wide a card looks, from 0 to 1, that has gone a part of half a turn.
  ///
  /// This is the cosine of the angle, to within 0.002, by Bhaskara's approximation.
  private static func shownWidth(at progress: Double) -> Double {
    let turn = min(progress, 1 - progress)
    return (1 - 4 * turn * turn) / (1 + turn * turn)
  }

  /// A part from 0 to 1 of a side, in whole pixels.
  private static func part(_ progress: Double, of side: Int) -> Int {
    Int((progress * Double(side)).rounded())
  }
}
