#if AVIF || HEIC
import IkranPixels

/// What a file says of one picture or of the pictures of a track, in boxes of its properties.
struct PictureProperties: Sendable {
  /// Width and height before it is turned.
  private(set) var size: PixelSize?
  /// Bits of a channel; nil when nothing says it.
  private(set) var bits: Int?
  /// Whether there is one channel apart from alpha.
  private(set) var isGray = false
  /// The bytes of an ICC profile.
  private(set) var profile: Range<Int>?
  /// How the pixels are turned to stand upright.
  var orientation: Orientation { Self.orientations[rotation * 3 + (mirror.map { $0 + 1 } ?? 0)] }
  /// The part that is shown alone, before it is turned.
  private(set) var aperture: CleanAperture?
  /// Which sides of chroma are half as long, of AV1; both where nothing says it.
  private(set) var halvedChroma = (width: true, height: true)
  /// What an auxiliary picture holds.
  private(set) var auxiliaryType: String?
  /// Quarter turns to the left, and after them: 0 exchanges top and bottom, 1 left and right.
  private var rotation = 0
  private var mirror: Int?

  /// No turn and those to the left; each without mirror, then with both kinds of it.
  private static let orientations: [Orientation] = [
    .up, .downMirrored, .upMirrored, .left, .leftMirrored, .rightMirrored,
    .down, .upMirrored, .downMirrored, .right, .rightMirrored, .leftMirrored,
  ]

  /// Reads the boxes of properties.
  init(_ boxes: [Box], _ bytes: Span<UInt8>) {
    for box in boxes { read(box, bytes) }
  }

  private mutating func read(_ box: Box, _ bytes: Span<UInt8>) {
    let (body, content) = (box.body.lowerBound, box.content.lowerBound)
    switch box.type {
    case "ispe":
      guard let width = bytes.bigEndian32(at: content),
        let height = bytes.bigEndian32(at: content + 4)
      else { return }
      size = PixelSize(width: width, height: height)
    case "pixi":
      isGray = bytes.byte(at: content) == 1
      bits = bytes.byte(at: content + 1).map { Int($0) }
    case "av1C":
      guard let flags = bytes.byte(at: body + 2) else { return }
      bits = bits ?? (flags & 0x40 == 0 ? 8 : flags & 0x20 == 0 ? 10 : 12)
      halvedChroma = (width: flags & 8 != 0, height: flags & 4 != 0)
    case "hvcC": bits = bits ?? bytes.byte(at: body + 17).map { Int($0 & 7) + 8 }
    case "clap": aperture = CleanAperture(bytes, at: body)
    case "irot": turn(by: Int((bytes.byte(at: body) ?? 0) & 3))
    case "imir": mirror(by: Int((bytes.byte(at: body) ?? 0) & 1))
    case "colr":
      guard bytes.has("prof", at: body) || bytes.has("rICC", at: body) else { return }
      profile = box.content
    case "auxC", "auxi": auxiliaryType = Self.text(bytes, in: box.content)
    default: break
    }
  }

  // A turn after a mirror is the opposite one before it.
  private mutating func turn(by angle: Int) {
    rotation = (rotation + (mirror == nil ? angle : 4 - angle)) % 4
  }

  // Two mirrors are none, or half a turn.
  private mutating func mirror(by axis: Int) {
    guard let first = mirror else {
      mirror = axis
      return
    }
    mirror = nil
    if first != axis { rotation = (rotation + 2) % 4 }
  }

  /// Whether an auxiliary picture is the alpha of another.
  var isAlpha: Bool {
    auxiliaryType == "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha"
      || auxiliaryType == "urn:mpeg:hevc:2015:auxid:1"
  }

  /// Text up to a zero.
  private static func text(_ bytes: Span<UInt8>, in range: Range<Int>) -> String {
    var letters: [UInt8] = []
    for offset in range.prefix(64) {
      guard let byte = bytes.byte(at: offset), byte != 0 else { break }
      letters.append(byte)
    }
    return String(decoding: letters, as: UTF8.self)
  }
}
#endif
