/// Why pixels could not be allocated or wrapped.
public enum BitmapError: Error, Sendable, Hashable {
  /// A side is below one pixel or over a limit, or the byte count does not fit an `Int`.
  case invalidSize(PixelSize)
  /// A rectangle is empty, or a picture of this size does not have all of it.
  case outside(PixelRectangle, of: PixelSize)
  /// The system could not allocate this many bytes.
  case outOfMemory(bytes: Int)
  /// The given memory is too short for the size, format and stride.
  case lentMemoryTooSmall(needed: Int, given: Int)
  /// What was given as a ThumbHash or a BlurHash is none.
  case invalidHash(String)
  /// An angle is infinite or not a number.
  case invalidAngle
  /// A corner radius or border width is negative or not a number.
  case invalidEdge
}

extension BitmapError: CustomStringConvertible {
  /// One sentence that says what to do.
  public var description: String {
    switch self {
    case .invalidSize(let size):
      "an image of \(size) pixels cannot be made; ask for another size, at least 1×1"
    case .outside(let region, let size):
      "the region \(region) is not inside the picture, which has \(size) pixels"
    case .outOfMemory(let bytes): "no memory for \(bytes) bytes of pixels; ask for a smaller image"
    case .lentMemoryTooSmall(let needed, let given):
      "the given memory has \(given) bytes but the bitmap needs \(needed)"
    case .invalidHash(let kind):
      "this is no \(kind): it is too short or has parts that cannot be"
    case .invalidAngle: "a picture cannot be rotated by this angle; pass a finite number of degrees"
    case .invalidEdge:
      "a corner radius or border width is negative or not a number; use zero or more pixels"
    }
  }
}
