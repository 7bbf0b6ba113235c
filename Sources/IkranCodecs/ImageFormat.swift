/// An image file format, by the name that its codec gives it.
///
/// A custom codec names its own:
/// ```swift
/// extension ImageFormat {
///   static let farbfeld = ImageFormat(rawValue: "farbfeld")
/// }
/// ```
public struct ImageFormat: RawRepresentable, Sendable, Hashable {
  /// A short word in lower case, such as `png`.
  public let rawValue: String

  /// Names a format.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// JPEG, ITU-T T.81.
  public static let jpeg = ImageFormat(rawValue: "jpeg")
  /// PNG, animated ones included.
  public static let png = ImageFormat(rawValue: "png")
  /// WebP, RFC 9649.
  public static let webp = ImageFormat(rawValue: "webp")
  /// GIF 87a and 89a.
  public static let gif = ImageFormat(rawValue: "gif")

  /// The formats whose signatures the sniffer knows.
  static let known = [jpeg, png, webp, gif]
}
