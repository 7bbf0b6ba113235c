/// An image file format, detected from the first bytes of a file.
public enum ImageFormat: String, Sendable, Hashable, CaseIterable {
  /// JPEG, ITU-T T.81.
  case jpeg
  /// PNG, animated ones included.
  case png
  /// WebP, RFC 9649.
  case webp
  /// GIF 87a and 89a.
  case gif
}
