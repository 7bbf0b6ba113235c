import Ikran

/// A picture that is shown turned clockwise by quarters of a turn.
struct QuarterTurns {
  /// From 0 to 3.
  let count: Int
  /// The size of the upright picture.
  let upright: PixelSize

  init(_ count: Int, of upright: PixelSize) {
    self.count = ((count % 4) + 4) % 4
    self.upright = upright
  }

  /// The size of the turned picture.
  var size: PixelSize { turned(upright) }

  /// A size once it is turned, either way.
  func turned(_ size: PixelSize) -> PixelSize {
    count.isMultiple(of: 2) ? size : size.transposed
  }

  /// What of the upright picture a region of the turned one shows.
  func upright(_ region: PixelRectangle) -> PixelRectangle {
    let size = turned(region.size)
    let (right, below) = (region.x + region.size.width, region.y + region.size.height)
    let (x, y) =
      switch count {
      case 1: (region.y, upright.height - right)
      case 2: (upright.width - right, upright.height - below)
      case 3: (upright.width - below, region.x)
      default: (region.x, region.y)
      }
    return PixelRectangle(x: x, y: y, width: size.width, height: size.height)
  }
}

extension RegionDecoder {
  /// Decodes a rectangle of the turned picture.
  ///
  /// - Throws: ``DecodeError``.
  mutating func decode(
    _ region: PixelRectangle,
    turned turns: QuarterTurns,
    of bytes: Span<UInt8>,
    size: PixelSize,
    workspace: Workspace
  ) throws(DecodeError) -> Bitmap {
    let picture = try decode(
      turns.upright(region),
      of: bytes,
      size: turns.turned(size),
      workspace: workspace
    )
    do throws(BitmapError) {
      return try picture.rotated(degrees: Double(turns.count * 90))
    } catch { throw .bitmap(error) }
  }
}
