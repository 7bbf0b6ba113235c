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
    let isDrawnOver = if case .custom = effect { true } else { false }
    var canvas = try Canvas(size: to.size, format: to.format, zeroed: isDrawnOver)
    switch effect {
    case .fade: canvas.mix(from, to, weight: Int((progress * 256).rounded()))
    case .slide(let edge): Self.slide(from, to, edge, progress, on: &canvas)
    case .wipe(let edge): Self.wipe(from, to, edge, progress, on: &canvas)
    case .flip(let edge):
      let turn = CardTurn(from: edge, progress: progress)
      try Self.draw(turn.showsBack ? to : from, turn, on: &canvas, workspace)
    case .custom(let effect):
      let moment = effect.moment(progress)
      let pictures = [(from, moment.old), (to, moment.new)]
      for (picture, place) in moment.isNewInFront ? pictures : pictures.reversed() {
        try Self.draw(picture, at: place, on: &canvas, workspace)
      }
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

  /// Draws a card that turns: squeezed as a whole, and then shorter where it is further away.
  private static func draw(
    _ card: Bitmap,
    _ turn: CardTurn,
    on canvas: inout Canvas,
    _ workspace: Workspace
  ) throws(BitmapError) {
    let side = turn.isHorizontal ? card.width : card.height
    let (start, end) = turn.extent
    let count = max(1, part((end - start) / 2, of: side))
    let size = PixelSize(
      width: turn.isHorizontal ? count : card.width,
      height: turn.isHorizontal ? card.height : count
    )
    let squeezed = try card.stretched(to: size, filter: .area, workspace: workspace)
    let strips = (0..<side).map { number -> Strip? in
      let place = (Double(number) + 0.5) / Double(side) * 2 - 1
      guard let point = turn.point(at: place) else { return nil }
      let source = min(Int((point + 1) / 2 * Double(count)), count - 1)
      return Strip(source: source, scale: turn.scale(at: point))
    }
    canvas.draw(squeezed, strips: strips, areColumns: turn.isHorizontal)
  }

  /// Draws a picture where a moment of a custom transition places it.
  private static func draw(
    _ picture: Bitmap,
    at place: Placement,
    on canvas: inout Canvas,
    _ workspace: Workspace
  ) throws(BitmapError) {
    guard let place = place.drawn, let clip = place.clip else { return }
    let (width, height) = (Double(canvas.size.width), Double(canvas.size.height))
    try canvas.draw(
      picture,
      stretchedTo: PixelArea(
        x: (place.x + (1 - place.scaleX) / 2) * width,
        y: (place.y + (1 - place.scaleY) / 2) * height,
        width: place.scaleX * width,
        height: place.scaleY * height
      ),
      within: PixelArea(
        x: clip.x * width,
        y: clip.y * height,
        width: clip.width * width,
        height: clip.height * height
      ),
      opacity: place.opacity,
      workspace: workspace
    )
  }

  /// A part from 0 to 1 of a side, in whole pixels.
  private static func part(_ progress: Double, of side: Int) -> Int {
    Int((progress * Double(side)).rounded())
  }
}
