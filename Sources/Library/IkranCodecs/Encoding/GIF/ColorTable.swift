import IkranPixels

/// The colours of a picture with at most 256, in the order they are met.
struct ColorTable {
  private static let slotCount = 1_024

  private let limit: Int
  private var colors: [UInt32] = []
  /// By hash: one more than the number of a colour; 0 is none.
  private var slots = [UInt16](repeating: 0, count: slotCount)

  /// An empty table for at most `limit` colours.
  init(limit: Int) { self.limit = limit }

  /// The indices of an area's pixels; nil when there are too many colours.
  ///
  /// Pixels that are clear, or as in `below`, have the index ``limit``, which no colour has then.
  mutating func indices(
    of frame: FramePixels,
    in area: FrameArea,
    over below: FramePixels?
  ) -> [UInt16]? {
    var indices: [UInt16] = []
    indices.reserveCapacity(area.width * area.height)
    var (last, lastIndex) = (UInt32(0), UInt16(0))
    for y in area.top..<area.top + area.height {
      let row = y * frame.size.width
      for place in row + area.left..<row + area.left + area.width {
        let color = frame.words[place]
        if color == 0 || color == below?.words[place] {
          indices.append(UInt16(limit))
          continue
        }
        if color != last {
          guard let index = index(of: color) else { return nil }
          (last, lastIndex) = (color, index)
        }
        indices.append(lastIndex)
      }
    }
    return indices
  }

  private mutating func index(of color: UInt32) -> UInt16? {
    var slot = Int((color &* 0x9E37_79B1) >> 22)
    while slots[slot] != 0 {
      if colors[Int(slots[slot]) - 1] == color { return slots[slot] - 1 }
      slot = (slot + 1) & (Self.slotCount - 1)
    }
    guard colors.count < limit else { return nil }
    colors.append(color)
    slots[slot] = UInt16(colors.count)
    return UInt16(colors.count - 1)
  }

  /// The picture of indices that this table has made.
  func picture(_ area: FrameArea, _ indices: [UInt16], isTransparent: Bool) -> GIFCanvas.Picture {
    let transparent = UInt16(colors.count)
    return GIFCanvas.Picture(
      area: area,
      indices: indices.map { UInt8(truncatingIfNeeded: min($0, transparent)) },
      colors: colors,
      transparentIndex: isTransparent ? UInt8(truncatingIfNeeded: transparent) : nil
    )
  }
}
