#if HEIC
/// The canvas of an overlay, and where pictures are put on it (ISO/IEC 23008-12, section 6.6.2.2).
struct OverlayCanvas {
  /// The most pictures on a canvas that are looked at.
  static let mostBytes = 1 << 16

  let width: Int
  let height: Int
  /// The top left corner of each picture, which may lie outside.
  private(set) var corners: [(x: Int, y: Int)] = []

  /// Reads an item's data; nil for data that is cut off or of another version.
  init?(_ data: Span<UInt8>) {
    guard data.byte(at: 0) == 0, let flags = data.byte(at: 1) else { return nil }
    let isWide = flags & 1 != 0
    let step = isWide ? 4 : 2
    // The colour of the canvas lies between.
    guard let width = data.bigEndian(isWide, at: 10),
      let height = data.bigEndian(isWide, at: 10 + step)
    else { return nil }
    (self.width, self.height) = (width, height)
    var offset = 10 + 2 * step
    while let x = data.bigEndian(isWide, at: offset),
      let y = data.bigEndian(isWide, at: offset + step)
    {
      corners.append((Self.signed(x, isWide), Self.signed(y, isWide)))
      offset += 2 * step
    }
  }

  /// Whether all pictures begin on the canvas.
  ///
  /// Of those that begin above it or left of it, libheif 1.15 shows memory that is not theirs; with
  /// numbers that are too large it calculates wrong places.
  var hasAllCorners: Bool {
    corners.allSatisfy { (0...width).contains($0.x) && (0...height).contains($0.y) }
  }

  private static func signed(_ number: Int, _ isWide: Bool) -> Int {
    isWide ? Int(Int32(truncatingIfNeeded: number)) : Int(Int16(truncatingIfNeeded: number))
  }
}
#endif
