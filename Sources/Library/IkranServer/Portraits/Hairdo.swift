/// Draws hair, scarf or cap: one part is drawn before the head, one after it.
struct Hairdo {
  let traits: Traits
  let head: Shape

  private var tint: Tint { traits.hairTint }
  private var paint: Paint { Paint(tint.lighter(0.13), tint.darker(0.1), -0.7...0.3) }
  private var shadow: Paint { Paint(tint.darker(0.22), tint.darker(0.36), -0.5...0.7) }
  private var cloth: Paint { Paint(traits.clothTint.lighter(0.12), traits.clothTint, -0.6...0.5) }

  /// The head's top with a margin, down to a height at the temples.
  private func cap(_ margin: Double, to y: Double) -> Shape {
    head.grown(margin).intersection(.above(y))
  }

  /// Circles along an arc of the skull, in units of 2π clockwise from the right.
  private func curls(
    _ center: Point,
    _ reach: Double,
    _ radius: Double,
    _ turns: ClosedRange<Double>,
    _ count: Int
  ) -> Shape {
    .any(
      (0..<count).map { index in
        let share = Double(index) / Double(max(1, count - 1))
        let turn = turns.lowerBound + (turns.upperBound - turns.lowerBound) * share
        let (sine, cosine) = Circle.sineAndCosine(turn)
        return .circle(
          center.x + cosine * reach,
          center.y + sine * reach,
          radius * (index % 2 == 0 ? 1 : 0.86)
        )
      }
    )
  }

  // MARK: - Behind

  func drawBack(on painter: inout Painter) {
    switch traits.hair {
    case .bald, .buzz, .crop, .sidePart, .quiff, .beanie: return
    case .bob: painter.fill(.box(0, -0.1, halfWidth: 0.5, halfHeight: 0.5, radius: 0.4), shadow)
    case .long: painter.fill(.box(0, 0.14, halfWidth: 0.51, halfHeight: 0.76, radius: 0.36), shadow)
    case .waves:
      let locks = [
        (0.4, -0.15, 0.2), (0.44, 0.08, 0.17), (0.42, 0.3, 0.17), (0.47, 0.5, 0.15),
        (0.36, 0.62, 0.13),
      ].map { Shape.circle($0.0, $0.1, $0.2) }
      painter.fill(Shape.any(locks).mirrored(), shadow)
    case .afro:
      painter.fill(.circle(0, -0.24, 0.58), shadow)
      painter.fill(curls(Point(0, -0.24), 0.55, 0.13, 0.42...1.08, 17), shadow)
    case .bun:
      painter.fill(.circle(0, -0.66, 0.17), paint)
      painter.fill(Shape.circle(0, -0.66, 0.11).outline(0.012), Paint(tint.darker(0.25)))
    case .ponytail:
      let tail = Shape.ellipse(0.5 * traits.side, 0.02, 0.15, 0.42)
        .turned(-0.06 * traits.side, around: Point(0.5 * traits.side, -0.3))
      painter.fill(tail, shadow)
      painter.fill(.circle(0.4 * traits.side, -0.36, 0.07), Paint(traits.accent))
    case .pigtails:
      painter.fill(Shape.ellipse(0.55, 0.12, 0.14, 0.3).mirrored(), shadow)
      painter.fill(Shape.circle(0.5, -0.16, 0.065).mirrored(), Paint(traits.accent))
    case .scarf:
      let drape = Shape.box(0, 0.2, halfWidth: 0.5, halfHeight: 0.62, radius: 0.36)
      painter.fill(drape, Paint(traits.clothTint.darker(0.22)))
    }
  }

  // MARK: - In front

  func drawFront(on painter: inout Painter) {
    switch traits.hair {
    case .bald: drawShine(on: &painter, alpha: 0.35)
    case .buzz:
      let stubble = cap(0.012, to: -0.06).minus(.ellipse(0, 0.12, 0.375, 0.46))
      painter.fill(stubble, Paint(tint, alpha: 0.72))
    case .crop: drawCrop(on: &painter)
    case .sidePart: drawSidePart(on: &painter)
    case .quiff: drawQuiff(on: &painter)
    case .bob: drawFringe(on: &painter)
    case .long, .waves: drawMiddlePart(on: &painter)
    case .afro: drawAfro(on: &painter)
    case .bun, .ponytail, .pigtails: drawPulledBack(on: &painter)
    case .scarf: drawScarf(on: &painter)
    case .beanie: drawBeanie(on: &painter)
    }
  }

  private func drawShine(on painter: inout Painter, alpha: Double) {
    let shine = Shape.ellipse(-0.15 * traits.side, -0.42, 0.1, 0.045)
      .turned(-0.06 * traits.side, around: Point(-0.15 * traits.side, -0.42))
    painter.fill(shine, Paint(Tint(0xFFFFFF), alpha: alpha), softness: 0.035)
  }

  /// A lighter band that follows the skull.
  private func drawGloss(on painter: inout Painter, within hair: Shape) {
    let band = Shape.stroke(
      Point(-0.3 * traits.side, -0.36),
      Point(-0.2 * traits.side, -0.53),
      Point(0.08 * traits.side, -0.5),
      width: 0.035
    )
    painter.fill(band.intersection(hair), Paint(tint.lighter(0.4), alpha: 0.5), softness: 0.02)
  }

  private func drawCrop(on painter: inout Painter) {
    let hair = cap(0.05, to: -0.02)
      .minus(.box(0, 0.2, halfWidth: 0.34, halfHeight: 0.46, radius: 0.16))
      .minus(.box(0, 0.2, halfWidth: 0.385, halfHeight: 0.3, radius: 0.05))
    painter.fill(hair, paint)
    drawGloss(on: &painter, within: hair)
  }

  private func drawSidePart(on painter: inout Painter) {
    let side = traits.side
    let sweep = Shape.ellipse(0.09 * side, 0.1, 0.42, 0.43)
      .turned(0.035 * side, around: Point(0, 0))
    let hair = cap(0.06, to: 0.0).minus(sweep)
      .union(.ellipse(-0.14 * side, -0.5, 0.27, 0.115).turned(-0.03 * side, around: Point(0, -0.5)))
      .minus(.box(0, 0.2, halfWidth: 0.37, halfHeight: 0.28, radius: 0.05))
    painter.fill(hair, paint)
    painter.fill(
      .stroke(
        Point(0.19 * side, -0.56),
        Point(0.16 * side, -0.46),
        Point(0.2 * side, -0.36),
        width: 0.014
      ),
      Paint(tint.darker(0.4), alpha: 0.7)
    )
    drawGloss(on: &painter, within: hair)
  }

  private func drawQuiff(on painter: inout Painter) {
    let sides = cap(0.03, to: -0.02).minus(.ellipse(0, 0.12, 0.365, 0.47))
    painter.fill(sides, shadow)
    let top = Shape.ellipse(0.03 * traits.side, -0.52, 0.3, 0.15)
      .melted(.circle(0.2 * traits.side, -0.6, 0.13), 0.1)
      .melted(.circle(-0.2 * traits.side, -0.52, 0.12), 0.1)
    painter.fill(top, paint)
    painter.fill(
      .stroke(
        Point(-0.18 * traits.side, -0.52),
        Point(0.05 * traits.side, -0.62),
        Point(0.22 * traits.side, -0.6),
        width: 0.03
      ),
      Paint(tint.lighter(0.4), alpha: 0.45),
      softness: 0.015
    )
  }

  private func drawFringe(on painter: inout Painter) {
    let opening = Shape.box(0, 0.26, halfWidth: 0.325, halfHeight: 0.44, radius: 0.1)
    let hair = Shape.box(0, -0.11, halfWidth: 0.49, halfHeight: 0.5, radius: 0.44)
      .minus(opening)
      .minus(.box(0, 0.5, halfWidth: 0.325, halfHeight: 0.4))
    painter.fill(hair, paint)
    for x in [-0.17, 0.0, 0.17] {
      painter.fill(
        .line([Point(x, -0.2), Point(x * 0.85, -0.33)], width: 0.013),
        Paint(tint.darker(0.35), alpha: 0.6)
      )
    }
    drawGloss(on: &painter, within: hair)
  }

  private func drawMiddlePart(on painter: inout Painter) {
    let lobe = Shape.ellipse(0.15, 0.13, 0.235, 0.47)
      .turned(-0.045, around: Point(0.15, 0.1))
    let opening = lobe.mirrored().union(.ellipse(0, 0.22, 0.33, 0.34))
    let reach = traits.hair == .long ? 0.42 : 0.2
    let curtain = Shape.box(
      0,
      reach / 2 - 0.3,
      halfWidth: 0.485,
      halfHeight: 0.34 + reach / 2,
      radius: 0.45
    )
    let hair = curtain.minus(opening).minus(.box(0, 0.5, halfWidth: 0.3, halfHeight: 0.4))
    painter.fill(hair, paint)
    painter.fill(
      .line([Point(0, -0.6), Point(0, -0.36)], width: 0.012),
      Paint(tint.darker(0.4), alpha: 0.6)
    )
    drawGloss(on: &painter, within: hair)
  }

  private func drawAfro(on painter: inout Painter) {
    let front = cap(0.07, to: -0.1).minus(.ellipse(0, 0.14, 0.38, 0.46))
    painter.fill(front, shadow)
    painter.fill(curls(Point(0, 0.02), 0.42, 0.085, 0.56...0.94, 9), shadow)
    for (x, y) in [
      (-0.3, -0.6), (-0.1, -0.7), (0.14, -0.66), (0.34, -0.5), (-0.44, -0.36), (0.0, -0.5),
    ] {
      painter.fill(
        .stroke(Point(x - 0.04, y), Point(x, y - 0.05), Point(x + 0.04, y), width: 0.018),
        Paint(tint.lighter(0.3), alpha: 0.5)
      )
    }
  }

  private func drawPulledBack(on painter: inout Painter) {
    let hair = cap(0.045, to: -0.06).minus(.ellipse(0, 0.16, 0.395, 0.53))
    painter.fill(hair, paint)
    drawGloss(on: &painter, within: hair)
  }

  private func drawScarf(on painter: inout Painter) {
    let wrap = Shape.ellipse(0, -0.1, 0.49, 0.56).melted(.ellipse(0, 0.5, 0.46, 0.26), 0.2)
    painter.fill(wrap.minus(.ellipse(0, -0.02, 0.325, 0.4)), cloth)
    let fold = Paint(traits.clothTint.darker(0.25), alpha: 0.6)
    let side = traits.side
    painter.fill(
      .stroke(
        Point(-0.36 * side, 0.3),
        Point(0.05 * side, 0.52),
        Point(0.4 * side, 0.5),
        width: 0.018
      ),
      fold
    )
    painter.fill(
      .stroke(
        Point(-0.3 * side, 0.42),
        Point(-0.05 * side, 0.6),
        Point(0.25 * side, 0.63),
        width: 0.018
      ),
      fold
    )
    painter.fill(
      .stroke(Point(-0.25, -0.47), Point(0, -0.58), Point(0.25, -0.47), width: 0.016),
      fold
    )
  }

  private func drawBeanie(on painter: inout Painter) {
    let sides = cap(0.03, to: 0.02).minus(.ellipse(0, 0.14, 0.365, 0.5))
    painter.fill(sides, paint)
    painter.fill(.circle(0, -0.74, 0.1), Paint(traits.accent))
    let dome = Shape.ellipse(0, -0.33, 0.455, 0.37).intersection(.above(-0.28))
    painter.fill(dome, cloth)
    for x in [-0.22, 0.0, 0.22] {
      painter.fill(
        .stroke(Point(x * 0.5, -0.66), Point(x * 1.1, -0.5), Point(x * 1.25, -0.36), width: 0.014),
        Paint(traits.clothTint.darker(0.3), alpha: 0.5)
      )
    }
    painter.fill(
      .box(0, -0.295, halfWidth: 0.465, halfHeight: 0.075, radius: 0.06),
      Paint(traits.clothTint.darker(0.18))
    )
  }
}
