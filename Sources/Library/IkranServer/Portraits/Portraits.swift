import IkranHTTP
import IkranCodecs
import IkranPixels

/// Portraits by number: drawn and encoded on the first request, then kept in a bounded cache.
struct Portraits: Sendable {
  /// One file: a number and the format of its extension.
  struct Name: Sendable, Hashable {
    var number: Int
    let format: ImageFormat

    /// The picture of paths for which any picture will do.
    static let sample = Name(number: 0, format: .jpeg)

    /// Whether it is animated: the portraits whose number ends in 4 blink, but not as a JPEG.
    var blinks: Bool { number % 10 == 4 && format != .jpeg }

    init(number: Int, format: ImageFormat) {
      self.number = number
      self.format = format
    }

    /// Reads `/avatars/NUMBER.ENDING`.
    init?(path: String) {
      guard path.hasPrefix("/avatars/") else { return nil }
      let parts = path.dropFirst(9).split(separator: ".", omittingEmptySubsequences: false)
      // The number must have its canonical form: no sign, no leading zeros.
      guard parts.count == 2, let number = Int(parts[0]), number >= 0, String(number) == parts[0]
      else { return nil }
      self.number = number
      switch parts[1] {
      case "jpg", "jpeg": format = .jpeg
      case "png": format = .png
      case "webp": format = .webp
      case "gif" where number % 10 == 4: format = .gif
      default: return nil
      }
    }
  }

  let count: Int
  private let cache = PortraitCache(byteLimit: 48 << 20)

  /// Whether storing more would soon evict others.
  var isFull: Bool { cache.byteCount > 40 << 20 }

  init(count: Int) { self.count = count }

  /// The listed path of a number, with the extensions jpg, png and webp in turn, and those that
  /// blink as GIF, PNG and WebP.
  static func path(_ number: Int) -> String {
    let ending =
      number % 10 == 4
      ? ["gif", "png", "webp"][number / 10 % 3] : ["jpg", "png", "webp"][number % 3]
    return "/avatars/\(number).\(ending)"
  }

  /// When a portrait was last changed: a minute after its neighbour, the first on 1 January 2025.
  static func modified(_ number: Int) -> Int { 1_735_689_600 + number * 60 }

  /// The portrait as a file, from memory when it was drawn before.
  ///
  /// Two threads may draw one at the same time; both make the same bytes.
  func entity(_ name: Name) throws(EncodeError) -> Entity {
    if let entity = cache.entity(name) { return entity }
    let bytes = try Self.encoded(name)
    let entity = Entity(
      payload: .memory(BodyBytes(bytes)),
      count: bytes.count,
      contentType: "image/\(name.format.rawValue)",
      tag: Entity.tag(of: bytes),
      modified: Self.modified(name.number)
    )
    cache.store(entity, for: name)
    return entity
  }

  /// Two blinks, one soon after the other.
  private static func blinking(_ name: Name) throws(EncodeError) -> [UInt8] {
    let (open, closed): (Bitmap, Bitmap)
    do {
      (open, closed) = (try drawn(name), try drawn(name, hasClosedEyes: true))
    } catch {
      throw .bitmap(error)
    }
    let encoding: ImageEncoding =
      switch name.format {
      case .gif: .gif
      case .webp: .webp(quality: 82)
      default: .png
      }
    let hasAlpha = open.format.hasAlpha
    let encoder = try AnimationEncoder(encoding, size: open.size, plays: nil, hasAlpha: hasAlpha)
    // Not all at the same time.
    try encoder.add(open, duration: 1500 + name.number * 37 % 1500)
    try encoder.add(closed, duration: 110)
    try encoder.add(open, duration: 160)
    try encoder.add(closed, duration: 110)
    return try encoder.finish()
  }

  private static func encoded(_ name: Name) throws(EncodeError) -> [UInt8] {
    if name.blinks { return try blinking(name) }
    let layout = Layout(name)
    let stored: Bitmap
    do {
      // The inverse of an orientation: itself, except for the two quarter turns.
      let inverse: Orientation =
        switch layout.orientation {
        case .right: .left
        case .left: .right
        case let other: other
        }
      stored = try drawn(name).oriented(inverse)
    } catch {
      throw .bitmap(error)
    }
    switch name.format {
    case .png: return try stored.encoded(as: .png)
    case .webp: return try stored.encoded(as: .webp(quality: 82))
    default:
      let bytes = try stored.encoded(as: .jpeg(quality: 88))
      return layout.orientation == .up ? bytes : Exif.inserting(layout.orientation, into: bytes)
    }
  }

  /// The upright picture, before it is encoded.
  static func drawn(_ name: Name, hasClosedEyes: Bool = false) throws(BitmapError) -> Bitmap {
    let layout = Layout(name)
    let traits = Traits(number: name.number)
    var painter = Painter(size: layout.size)
    let backdrop = Backdrop(traits: traits)
    if layout.isTransparent {
      backdrop.drawDisc(on: &painter)
    } else {
      backdrop.draw(on: &painter)
    }
    Face(traits: traits, hasClosedEyes: hasClosedEyes).draw(on: &painter)
    return try painter.finish(layout.isTransparent ? .bgra : .bgrx)
  }
}

/// How a portrait is stored in its file, derived from its name.
struct Layout: Equatable {
  /// Upright.
  let size: PixelSize
  let orientation: Orientation
  let isTransparent: Bool

  init(_ name: Portraits.Name) {
    var chance = SplitMix(seed: 0x51E5 &+ UInt64(truncatingIfNeeded: name.number) &* 0x9E6C_63D1)
    let row = name.number / 3
    size = Self.size(isLossy: name.format == .jpeg, &chance)
    // Every third JPEG is turned, in each of the seven ways.
    let turn = Orientation(rawValue: UInt8(2 + row / 3 % 7)) ?? .up
    orientation = name.format == .jpeg && row % 3 == 1 ? turn : .up
    isTransparent = name.format == .png || name.format == .webp && row % 4 == 3
  }

  /// Mostly 200 to 640 pixels; some JPEGs are large, as photos are.
  private static func size(isLossy: Bool, _ chance: inout SplitMix) -> PixelSize {
    let long: Double =
      switch chance.unit() {
      case ..<0.1: chance.number(in: 96...180)
      case ..<0.88: chance.number(in: 200...512)
      case ..<0.95: isLossy ? chance.number(in: 640...960) : chance.number(in: 400...640)
      default: isLossy ? chance.number(in: 1200...1600) : chance.number(in: 400...640)
      }
    let shapes: [(Double, Double)] = [(1, 1), (1, 1), (1, 1), (0.8, 1), (0.75, 1), (1, 0.75)]
    let shape = shapes[chance.index(below: shapes.count)]
    return PixelSize(width: Int(long * shape.0), height: Int(long * shape.1))
  }
}

/// The only EXIF entry of a turned JPEG.
enum Exif {
  /// The JPEG with an APP1 segment right after its start marker.
  ///
  /// EXIF 2.32, sections 4.5 and 4.6: a big-endian TIFF header and a directory with tag 0x0112.
  static func inserting(_ orientation: Orientation, into jpeg: [UInt8]) -> [UInt8] {
    let directory: [UInt8] = [
      0x00, 0x01,  // one entry
      0x01, 0x12, 0x00, 0x03, 0x00, 0x00, 0x00, 0x01, 0x00, orientation.rawValue, 0x00, 0x00,
      0x00, 0x00, 0x00, 0x00,  // no second directory
    ]
    let tiff = Array("MM".utf8) + [0x00, 0x2A, 0x00, 0x00, 0x00, 0x08] + directory
    let body = Array("Exif".utf8) + [0x00, 0x00] + tiff
    let segment: [UInt8] = [0xFF, 0xE1, 0x00, UInt8(body.count + 2)] + body
    return Array(jpeg.prefix(2)) + segment + Array(jpeg.dropFirst(2))
  }
}
