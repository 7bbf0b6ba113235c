import IkranCodecs
import IkranPixels

/// What is decoded, and where its pixels lie in the result.
struct ResultLayout: Sendable, Hashable {
  /// What is cut from the decoded picture.
  enum Cut: Sendable, Hashable {
    case nothing
    case box(PixelRectangle)
    /// The part of this size that attracts the eye.
    case smart(PixelSize)
  }

  /// The part of the upright source that is decoded.
  let region: PixelRectangle
  /// The size it is decoded at, upright.
  let decoded: PixelSize
  /// What is kept of that.
  let cut: Cut
  /// How what is kept is turned.
  let turn: Orientation
  /// The size of the result with what is put around the picture.
  private(set) var canvas: PixelSize
  /// Where the picture's top left pixel is there.
  private(set) var x = 0
  private(set) var y = 0
  /// Pixels of the result for one of the page.
  let dpr: Double

  /// Lays out a result.
  ///
  /// - Parameters:
  ///   - part: What is used of the upright source.
  ///   - frame: How the source is turned.
  ///   - options: What the URL asks for.
  ///   - limits: The bounds of results.
  /// - Throws: ``RenderError/tooLarge(_:)``.
  init(
    _ part: PixelRectangle,
    of frame: SourceFrame,
    _ options: ProcessingOptions,
    limits: ResultLimits
  ) throws(RenderError) {
    let framing = options.framing
    let sizes = ResultSizes(
      of: frame.toNamed.size(part.size),
      options,
      isVector: frame.isVector,
      longest: options.limits.resultSide ?? limits.shrinksTo
    )
    dpr = sizes.dpr
    turn = frame.toResult.orientation
    canvas = sizes.scaled.inside(sizes.kept)
    let back = frame.toResult.inverse
    let scaled = back.size(sizes.scaled)
    if canvas == sizes.scaled {
      (region, decoded, cut) = (part, scaled, .nothing)
    } else if framing.gravity.kind == .smart {
      (region, decoded, cut) = (part, scaled, .smart(back.size(canvas)))
    } else {
      let place = framing.gravity.position(of: canvas, in: sizes.scaled, scale: dpr)
      let box = PixelRectangle(
        x: place.x,
        y: place.y,
        width: canvas.width,
        height: canvas.height
      )
      let decode = Decode(part, at: scaled, keeping: back.rectangle(box, in: sizes.scaled), limits)
      (region, decoded, cut) = (decode.region, decode.size, decode.cut)
    }
    if framing.extends.isOn { extend(to: sizes.target, framing.extends.gravity) }
    if framing.extendsAspect.isOn { extend(to: sizes.aspect, framing.extendsAspect.gravity) }
    let padding = sizes.padding(framing.padding)
    x += padding.left
    y += padding.top
    canvas = PixelSize(
      width: canvas.width + padding.left + padding.right,
      height: canvas.height + padding.top + padding.bottom
    )
    try limits.check(decoded)
    try limits.check(canvas)
  }

  /// Puts what there is into a larger canvas.
  private mutating func extend(to size: PixelSize, _ gravity: Gravity) {
    let larger = canvas.around(size)
    guard larger != canvas else { return }
    let place = gravity.position(of: canvas, in: larger, scale: dpr)
    x += place.x
    y += place.y
    canvas = larger
  }
}

extension ResultLayout {
  /// What is decoded for a box of a scaled picture.
  private struct Decode {
    let region: PixelRectangle
    let size: PixelSize
    let cut: Cut

    /// Decodes all of the scaled picture, unless that is much more than the box, or too much: then
    /// the whole pixels of the source that the box has a share in.
    init(
      _ part: PixelRectangle,
      at scaled: PixelSize,
      keeping box: PixelRectangle,
      _ limits: ResultLimits
    ) {
      let pixels = Double(scaled.width) * Double(scaled.height)
      let isMuch = pixels > 2 * Double(box.size.width) * Double(box.size.height)
      guard isMuch || scaled.longest > limits.side else {
        (region, size, cut) = (part, scaled, .box(box))
        return
      }
      let across = Axis(part.size.width, at: scaled.width, from: box.x, box.size.width)
      let down = Axis(part.size.height, at: scaled.height, from: box.y, box.size.height)
      region = PixelRectangle(
        x: part.x + across.first,
        y: part.y + down.first,
        width: across.count,
        height: down.count
      )
      size = PixelSize(width: across.size, height: down.size)
      let rest = PixelRectangle(
        x: across.offset,
        y: down.offset,
        width: box.size.width,
        height: box.size.height
      )
      cut = rest.size == size ? .nothing : .box(rest)
    }
  }

  /// The pixels of a source's side in which some of the scaled side have a share.
  private struct Axis {
    let first, count, size, offset: Int

    init(_ side: Int, at scaled: Int, from start: Int, _ length: Int) {
      let ratio = Double(side) / Double(scaled)
      let first = min((Double(start) * ratio).rounded(.down).pixels, side - 1)
      let end = min((Double(start + length) * ratio).rounded(.up).pixels, side)
      self.first = first
      count = max(1, end - first)
      let size = max(length, (Double(count) / ratio).pixels)
      self.size = size
      offset = max(0, min((Double(start) - Double(first) / ratio).pixels, size - length))
    }
  }
}
