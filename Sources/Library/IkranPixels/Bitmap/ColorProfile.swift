/// An ICC profile: what the colours of pixels stand for.
///
/// Bitmaps share it. Nothing in this module reads it.
public final class ColorProfile: Sendable {
  /// The profile's bytes, as in a file.
  public let bytes: [UInt8]

  /// A profile with these bytes, which are not looked at.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }
}
