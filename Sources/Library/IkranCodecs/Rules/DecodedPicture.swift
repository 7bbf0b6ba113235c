public import IkranPixels

/// A picture that was decoded, and what was wrong with its file all the same.
public struct DecodedPicture: Sendable {
  /// The pixels.
  public let bitmap: Bitmap
  /// What was ignored to decode it; empty for a file in order.
  public let notes: [DecodeNote]

  /// Makes one from its parts.
  public init(bitmap: Bitmap, notes: [DecodeNote] = []) {
    self.bitmap = bitmap
    self.notes = notes
  }
}
