/// Draws the background.
struct Backdrop {
  let traits: Traits

  /// Fills the whole picture.
  func draw(on painter: inout Painter) {
    let frame = painter.frame
    let tint = traits.backdropTint
    painter.fill(Paint(tint.lighter(0.18), tint.darker(0.06), frame.top...frame.bottom))
    let light = Paint(tint.lighter(0.4), alpha: 0.55)
    switch traits.backdrop {
    case .plain: painter.fill(.circle(0, -0.1, 0.5), light, softness: 0.45)
    case .halo:
      painter.fill(.circle(0, -0.08, 0.82), Paint(tint.lighter(0.28)))
      painter.fill(Shape.circle(0, -0.08, 0.92).outline(0.02), light)
    case .stripes:
      for offset in stride(from: frame.left - 1.4, to: frame.right + 1.4, by: 0.36) {
        let ends = [Point(offset - 1.2, frame.bottom + 1), Point(offset + 1.2, frame.top - 1)]
        painter.fill(.line(ends, width: 0.13), light)
      }
    case .dots:
      for (row, y) in stride(from: frame.top + 0.1, through: frame.bottom, by: 0.22).enumerated() {
        let shift = row % 2 == 0 ? 0 : 0.13
        for x in stride(from: frame.left + 0.06 + shift, through: frame.right, by: 0.26) {
          painter.fill(.circle(x, y, 0.045), light)
        }
      }
    case .rays:
      for ray in 0..<12 {
        let (sine, cosine) = Circle.sineAndCosine(Double(ray) / 12)
        let (sine2, cosine2) = Circle.sineAndCosine((Double(ray) + 0.5) / 12)
        let corners = [
          Point(0, 0), Point(cosine * 4, sine * 4), Point(cosine2 * 4, sine2 * 4),
        ]
        painter.fill(.polygon(corners), light)
      }
    case .hills:
      painter.fill(.circle(0.55 * traits.side, -0.55, 0.2), Paint(tint.lighter(0.75)))
      painter.fill(.ellipse(-0.7, 1.1, 1.3, 0.85), Paint(tint.darker(0.12)))
      painter.fill(.ellipse(0.9, 1.2, 1.3, 0.8), Paint(tint.darker(0.2)))
    }
  }

  /// Fills a disc and leaves the corners transparent.
  func drawDisc(on painter: inout Painter) {
    let tint = traits.backdropTint
    painter.fill(.circle(0, 0.04, 0.93), Paint(tint.lighter(0.25), tint.darker(0.08), -0.9...0.9))
  }
}
