/// How stored pixels must be turned to stand upright: the eight cases of EXIF tag 0x0112.
///
/// Raw values are EXIF's (EXIF 2.32, section 4.6.4): 1 is upright as stored.
public enum Orientation: UInt8, Sendable, Hashable, CaseIterable {
  /// Stored upright.
  case up = 1
  /// Mirrored left to right.
  case upMirrored = 2
  /// Turned by 180°.
  case down = 3
  /// Mirrored top to bottom.
  case downMirrored = 4
  /// Transposed along the main diagonal.
  case leftMirrored = 5
  /// Must be turned 90° clockwise to stand upright.
  case right = 6
  /// Transposed along the other diagonal.
  case rightMirrored = 7
  /// Must be turned 90° counter-clockwise to stand upright.
  case left = 8

  /// Whether standing upright exchanges width and height.
  public var swapsAxes: Bool { rawValue >= 5 }

  /// The upright size of an image stored with `size`.
  public func uprightSize(of size: PixelSize) -> PixelSize { swapsAxes ? size.transposed : size }

  /// Whether the first stored column is shown last: on the right, or at the bottom.
  var isFromRight: Bool { [.upMirrored, .down, .rightMirrored, .left].contains(self) }

  /// Whether the first stored row is shown last: at the bottom, or on the right.
  var isFromBottom: Bool { [.down, .downMirrored, .right, .rightMirrored].contains(self) }

  /// Where an area of the upright image lies in the stored one, which has `stored` pixels.
  package func storedArea(of area: PixelArea, in stored: PixelSize) -> PixelArea {
    let (x, y) = swapsAxes ? (area.y, area.x) : (area.x, area.y)
    let (width, height) = swapsAxes ? (area.height, area.width) : (area.width, area.height)
    return PixelArea(
      x: isFromRight ? Double(stored.width) - x - width : x,
      y: isFromBottom ? Double(stored.height) - y - height : y,
      width: width,
      height: height
    )
  }
}
