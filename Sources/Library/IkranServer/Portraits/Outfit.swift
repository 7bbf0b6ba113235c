/// Draws shoulders, neck and clothes.
struct Outfit {
  let traits: Traits

  private var tint: Tint { traits.clothTint }
  private var shoulders: Shape {
    Shape.box(0, 1.62, halfWidth: 0.74, halfHeight: 1.02, radius: 0.36)
  }

  func draw(on painter: inout Painter, neck: Shape, underChin: Shape) {
    let body = shoulders
    painter.fill(body, Paint(tint.lighter(0.1), tint.darker(0.12), 0.55...1.2))
    if traits.clothes == .hoodie { drawHood(on: &painter) }
    if traits.clothes == .stripes {
      for y in [0.8, 0.94, 1.08, 1.22, 1.36] {
        let stripe = Shape.box(0, y, halfWidth: 1, halfHeight: 0.032)
        painter.fill(stripe.intersection(body), Paint(contrast))
      }
    }
    let neckline = Shape.ellipse(0, 0.6, 0.215, 0.16)
    if [.crew, .stripes, .vest].contains(traits.clothes) {
      painter.fill(neckline.grown(0.035).intersection(body), Paint(tint.darker(0.22)))
    }
    painter.fill(
      neck.union(neckline.intersection(body.grown(0.02))),
      Paint(traits.skin.darker(0.06))
    )
    painter.fill(neck.intersection(underChin), Paint(traits.skin.darker(0.24)))
    drawFront(on: &painter, body: body)
  }

  private var contrast: Tint { tint.luma > 0.6 ? tint.darker(0.5) : tint.lighter(0.75) }

  private func drawFront(on painter: inout Painter, body: Shape) {
    switch traits.clothes {
    case .crew, .stripes: return
    case .collar: drawCollar(on: &painter)
    case .hoodie:
      for x in [-0.12, 0.12] {
        painter.fill(.line([Point(x, 0.74), Point(x * 1.15, 0.97)], width: 0.026), Paint(contrast))
      }
    case .vest:
      let lapel = Shape.polygon(
        [Point(0.17, 0.55), Point(0.44, 0.62), Point(0.36, 0.9), Point(0.03, 1.4)],
        radius: 0.02
      )
      painter.fill(lapel.mirrored().intersection(body), Paint(tint.darker(0.3)))
    case .turtleneck:
      let roll = Shape.box(0, 0.555, halfWidth: 0.205, halfHeight: 0.115, radius: 0.06)
      painter.fill(roll, Paint(tint.lighter(0.16), tint, 0.45...0.68))
      painter.fill(
        .stroke(Point(-0.19, 0.56), Point(0, 0.6), Point(0.19, 0.56), width: 0.014),
        Paint(tint.darker(0.3), alpha: 0.6)
      )
    }
  }

  private func drawCollar(on painter: inout Painter) {
    let skin = Shape.polygon([Point(-0.15, 0.58), Point(0.15, 0.58), Point(0, 0.86)], radius: 0.02)
    painter.fill(skin, Paint(traits.skin.darker(0.06)))
    let wing = Shape.polygon(
      [Point(0.13, 0.52), Point(0.25, 0.6), Point(0.2, 0.86), Point(0.0, 0.83)],
      radius: 0.012
    )
    painter.fill(wing.mirrored(), Paint(tint.lighter(0.3)))
    painter.fill(wing.outline(0.012).mirrored(), Paint(tint.darker(0.25), alpha: 0.6))
    for y in [0.95, 1.1, 1.25] { painter.fill(.circle(0, y, 0.022), Paint(contrast)) }
  }

  private func drawHood(on painter: inout Painter) {
    let hood = Shape.ellipse(0, 0.58, 0.4, 0.2)
    painter.fill(hood, Paint(tint.darker(0.2)))
    painter.fill(.ellipse(0, 0.62, 0.29, 0.15), Paint(tint.darker(0.42)))
  }
}
