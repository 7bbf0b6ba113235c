/// Draws a person, from the backdrop to the glasses.
struct Face {
  let traits: Traits
  var hasClosedEyes = false

  /// The head without ears and hair.
  var head: Shape {
    Shape.circle(0, -0.16, 0.405)
      .melted(.ellipse(0, 0.08, traits.jaw, traits.chin - 0.04), 0.22)
  }
  private var neck: Shape { .box(0, 0.48, halfWidth: 0.155, halfHeight: 0.32, radius: 0.1) }
  private var line: Tint {
    traits.skin.luma > 0.45 ? traits.skin.darker(0.62) : traits.skin.darker(0.75)
  }

  /// Draws everything over the backdrop.
  func draw(on painter: inout Painter) {
    let hair = Hairdo(traits: traits, head: head)
    hair.drawBack(on: &painter)
    Outfit(traits: traits).draw(on: &painter, neck: neck, underChin: head.moved(0, 0.075))
    drawHead(on: &painter)
    drawBeard(on: &painter)
    drawMouth(on: &painter)
    drawEyes(on: &painter)
    drawNose(on: &painter)
    hair.drawFront(on: &painter)
    drawBrows(on: &painter)
    drawGlasses(on: &painter)
  }

  private func drawHead(on painter: inout Painter) {
    let skin = traits.skin
    let ear = Shape.ellipse(0.405, 0.0, 0.07, 0.095)
    painter.fill(ear.mirrored(), Paint(skin.darker(0.07)))
    painter.fill(Shape.ellipse(0.408, 0.005, 0.035, 0.055).mirrored(), Paint(skin.darker(0.2)))
    if traits.hasEarrings {
      painter.fill(Shape.circle(0.415, 0.115, 0.028).mirrored(), Paint(traits.accent))
    }
    painter.fill(head, Paint(skin.lighter(0.1), skin.darker(0.07), -0.5...0.45))
    let cheek = Shape.circle(0.235, 0.115, 0.045).mirrored()
    painter.fill(cheek, Paint(Tint(0xF0566B), alpha: traits.blush), softness: 0.075)
    guard traits.hasFreckles else { return }
    for (x, y) in [(0.19, 0.075), (0.235, 0.055), (0.275, 0.085), (0.225, 0.11), (0.155, 0.105)] {
      painter.fill(Shape.circle(x, y, 0.011).mirrored(), Paint(skin.darker(0.4), alpha: 0.7))
    }
  }

  // MARK: - Features

  private func drawEyes(on painter: inout Painter) {
    let (x, y) = (0.165, -0.035)
    let closed = Shape.stroke(
      Point(x - 0.065, y + 0.02),
      Point(x, y - 0.07),
      Point(x + 0.065, y + 0.02),
      width: 0.03
    )
    let ink = Paint(Tint(0x241C22))
    if hasClosedEyes {
      let lid = Shape.stroke(
        Point(x - 0.06, y),
        Point(x, y + 0.045),
        Point(x + 0.06, y),
        width: 0.028
      )
      return painter.fill(lid.mirrored(), ink)
    }
    switch traits.eyes {
    case .smiling: painter.fill(closed.mirrored(), ink)
    case .wink:
      let other = Shape.stroke(
        Point(-x - 0.06, y),
        Point(-x, y + 0.045),
        Point(-x + 0.06, y),
        width: 0.028
      )
      painter.fill(traits.side > 0 ? other : mirror(other), ink)
      drawDot(on: &painter, x * traits.side, y)
    case .dots:
      drawDot(on: &painter, x, y)
      drawDot(on: &painter, -x, y)
    case .open: drawEyeball(on: &painter, x, y, 0.066, 0.062)
    case .wide: drawEyeball(on: &painter, x, y, 0.082, 0.084)
    }
  }

  private func mirror(_ shape: Shape) -> Shape {
    let bounds = shape.bounds
    let flipped = Shape.Bounds(
      left: -bounds.right,
      top: bounds.top,
      right: -bounds.left,
      bottom: bounds.bottom
    )
    return Shape(bounds: flipped) { shape.distance(Point(-$0.x, $0.y)) }
  }

  private func drawDot(on painter: inout Painter, _ x: Double, _ y: Double) {
    painter.fill(.ellipse(x, y, 0.04, 0.048), Paint(Tint(0x241C22)))
    painter.fill(.circle(x + 0.014, y - 0.018, 0.014), Paint(Tint(0xFFFFFF)))
  }

  private func drawEyeball(
    on painter: inout Painter,
    _ x: Double,
    _ y: Double,
    _ across: Double,
    _ down: Double
  ) {
    let ball = Shape.ellipse(x, y, across, down)
    let look = 0.012 * traits.side
    painter.fill(ball.mirrored(), Paint(Tint(0xDDDDE4), Tint(0xFFFFFF), y - down...y))
    for center in [x + look, -x + look] {
      let iris = Shape.circle(center, y + 0.006, down * 0.66)
      painter.fill(iris, Paint(traits.iris))
      painter.fill(.circle(center, y + 0.006, down * 0.36), Paint(Tint(0x15121A)))
      painter.fill(.circle(center + 0.016, y - 0.014, down * 0.19), Paint(Tint(0xFFFFFF)))
    }
    let lid = ball.grown(0.008).outline(0.018).intersection(.above(y - down * 0.25))
    painter.fill(lid.mirrored(), Paint(line.darker(0.3)))
  }

  private func drawBrows(on painter: inout Painter) {
    guard traits.hair != .scarf || traits.eyes != .wide else { return }
    let y = -0.165 - (traits.eyes == .wide ? 0.03 : 0)
    let tilt = traits.browTilt
    let brow = Shape.stroke(
      Point(0.085, y + 0.012 + tilt),
      Point(0.16, y - 0.045),
      Point(0.255, y + 0.02 - tilt),
      width: traits.browWidth
    )
    let tint =
      traits.hairTint.luma > 0.6 ? traits.hairTint.darker(0.35) : traits.hairTint.darker(0.15)
    painter.fill(brow.mirrored(), Paint(tint))
  }

  private func drawNose(on painter: inout Painter) {
    let reach = 0.045 * traits.noseSize
    let shade = Paint(traits.skin.darker(0.3), alpha: 0.85)
    let tip = Shape.stroke(
      Point(-reach, 0.085),
      Point(0, 0.085 + reach * 1.1),
      Point(reach, 0.085),
      width: 0.022
    )
    painter.fill(tip, shade)
    painter.fill(
      .circle(0, 0.05, 0.014 * traits.noseSize),
      Paint(traits.skin.lighter(0.5), alpha: 0.6),
      softness: 0.03
    )
  }

  private func drawMouth(on painter: inout Painter) {
    let lips = Paint(traits.skin.mixed(Tint(0xA8283A), 0.55).darker(0.12))
    let y = 0.205
    switch traits.mouth {
    case .smile:
      painter.fill(.stroke(Point(-0.11, y), Point(0, y + 0.1), Point(0.11, y), width: 0.026), lips)
    case .small:
      painter.fill(
        .stroke(Point(-0.05, y + 0.01), Point(0, y + 0.045), Point(0.05, y + 0.01), width: 0.03),
        lips
      )
    case .smirk:
      let s = traits.side
      painter.fill(
        .stroke(
          Point(-0.09 * s, y + 0.03),
          Point(0.03 * s, y + 0.05),
          Point(0.1 * s, y - 0.015),
          width: 0.026
        ),
        lips
      )
    case .grin, .laugh:
      let depth = traits.mouth == .laugh ? 0.105 : 0.072
      let open = Shape.ellipse(0, y - 0.012, 0.13, depth).intersection(.below(y - 0.012))
        .grown(0.008)
      painter.fill(open, Paint(Tint(0x5A1522)))
      painter.fill(open.grown(-0.008).intersection(.above(y + 0.02)), Paint(Tint(0xFFFFFF)))
      painter.fill(
        open.grown(-0.008).intersection(.ellipse(0, y + depth, 0.075, 0.05)),
        Paint(Tint(0xE2707E))
      )
    }
  }

  private func drawBeard(on painter: inout Painter) {
    let tint = traits.hairTint
    let moustache = Shape.stroke(
      Point(-0.13, 0.185),
      Point(-0.06, 0.125),
      Point(0, 0.16),
      width: 0.05
    )
    .mirrored()
    let lower = head.grown(0.014).intersection(.below(0.02))
      .minus(.ellipse(0, 0.0, 0.345, 0.155)).minus(.ellipse(0, 0.215, 0.135, 0.065))
    switch traits.beard {
    case .none: return
    case .stubble: painter.fill(lower.union(moustache), Paint(tint, alpha: 0.28), softness: 0.025)
    case .moustache: painter.fill(moustache, Paint(tint.lighter(0.06), tint, 0.1...0.2))
    case .goatee:
      painter.fill(moustache, Paint(tint))
      painter.fill(
        Shape.ellipse(0, 0.36, 0.115, 0.1).minus(.ellipse(0, 0.215, 0.135, 0.065)),
        Paint(tint)
      )
    case .full:
      painter.fill(lower, Paint(tint.lighter(0.06), tint.darker(0.12), 0...0.45))
      painter.fill(moustache, Paint(tint.lighter(0.04)))
    }
  }

  private func drawGlasses(on painter: inout Painter) {
    let lens: Shape
    switch traits.glasses {
    case .none: return
    case .round: lens = .circle(0.17, -0.03, 0.118)
    case .square, .shades:
      lens = .box(0.172, -0.025, halfWidth: 0.128, halfHeight: 0.095, radius: 0.045)
    }
    let isDark = traits.glasses == .shades
    let frame = isDark ? Tint(0x1D1B22) : traits.accent.luma > 0.7 ? Tint(0x3A2B2B) : traits.accent
    let glass = isDark ? Paint(Tint(0x2A2630)) : Paint(Tint(0xDDF1FF), alpha: 0.22)
    painter.fill(lens.mirrored(), glass)
    for offset in [-0.172, 0.172] {
      let shine = Shape.line(
        [Point(offset - 0.055, 0.02), Point(offset + 0.01, -0.09)],
        width: 0.028
      )
      painter.fill(shine, Paint(Tint(0xFFFFFF), alpha: isDark ? 0.22 : 0.35))
    }
    painter.fill(lens.outline(0.024).mirrored(), Paint(frame))
    painter.fill(
      .stroke(Point(-0.055, -0.035), Point(0, -0.07), Point(0.055, -0.035), width: 0.024),
      Paint(frame)
    )
    painter.fill(
      Shape.line([Point(0.29, -0.045), Point(0.39, -0.06)], width: 0.024).mirrored(),
      Paint(frame)
    )
  }
}
