import IkranCodecs
import IkranPixels

/// How three pictures lie to each other: the stored one, the upright one that the decoder gives,
/// and the result.
struct SourceFrame: Sendable, Hashable {
  let stored: PixelSize
  let isVector: Bool
  /// From the stored picture to the upright one.
  let toUpright: Turn
  /// From the upright picture to the one whose sides the URL names: turned as the file says, or
  /// not, and as the URL says, but not flipped.
  let toNamed: Turn
  /// From the upright picture to the result.
  let toResult: Turn

  init(_ info: ImageInfo, _ effects: Effects) {
    stored = info.size
    isVector = info.format == .svg
    toUpright = Turn(info.orientation)
    let start = effects.turnsUpright ? Turn() : toUpright.inverse
    toNamed = start.then(Turn(quarters: effects.quarterTurns))
    toResult = toNamed.then(Turn(effects.flip))
  }

  /// All of the upright picture.
  var whole: PixelRectangle {
    let size = toUpright.size(stored)
    return PixelRectangle(x: 0, y: 0, width: size.width, height: size.height)
  }

  /// The size of the part that the URL cuts from an area, both upright.
  func cropSize(_ crop: Framing.Crop, of area: PixelSize) -> PixelSize {
    let whole = toNamed.size(area)
    func side(_ wanted: Double, _ side: Int) -> Int {
      if wanted <= 0 { return side }
      let pixels = wanted < 1 ? (Double(side) * wanted).pixels : wanted.rounded(.down).pixels
      return min(side, max(1, pixels))
    }
    let size = PixelSize(
      width: side(crop.width, whole.width),
      height: side(crop.height, whole.height)
    )
    return toNamed.inverse.size(size)
  }

  /// The part that the URL cuts from an area, both upright.
  ///
  /// Places are computed in the stored picture, as the pixel in the middle of an odd rest tells.
  func cropped(_ framing: Framing, in area: PixelRectangle) -> PixelRectangle {
    let size = cropSize(framing.crop, of: area.size)
    let (back, toStored) = (toNamed.inverse, toUpright.inverse)
    let gravity = toStored.gravity(back.gravity(framing.cropGravity))
    let (inner, outer) = (toStored.size(size), toStored.size(area.size))
    let place = gravity.position(of: inner, in: outer, scale: 1)
    let box = PixelRectangle(x: place.x, y: place.y, width: inner.width, height: inner.height)
    let upright = toUpright.rectangle(box, in: outer)
    return PixelRectangle(
      x: area.x + upright.x,
      y: area.y + upright.y,
      width: size.width,
      height: size.height
    )
  }
}

extension Framing {
  /// That of the part which is cut from the source.
  var cropGravity: Gravity { crop.gravity ?? gravity }
}
