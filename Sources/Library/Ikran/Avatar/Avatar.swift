public import IkranFoundation
public import IkranPixels

public import struct IkranPixels.Style

/// An image that belongs to one of your models, with its style and your own storage.
///
/// ```swift
/// struct MemberAvatar: Avatar {
///   let member: Member
///   let style: Style
///   var url: URL? { member.avatarURL }
///   func localStyled() async throws -> Bitmap? { try await database.avatar(member.id, style.key) }
///   func localOriginal() async throws -> Data? { try await files.original(member.id) }
///   func save(original: Data, styled: Bitmap) async throws { … }
/// }
/// ```
/// The three storage questions are asked off your thread, at most once each for everyone who waits
/// for the same image. What they throw is reported to the pipeline's `onEvent` and skipped.
public protocol Avatar: Sendable {
  /// Where the image comes from when the storage has none; nil shows the placeholder only.
  var url: URL? { get }
  /// How the image looks.
  var style: Style { get }
  /// Shown until the image is there; nil shows nothing.
  var placeholder: Bitmap? { get }
  /// Changes the request for the image at ``url``: headers, fallbacks, priority, deadline, caches.
  ///
  /// How it looks stays ``style``, which has the filters: what the request says of filters and of
  /// the scale does not count. A storage of your own must tell versions with another
  /// ``ImageRequest/signature`` apart, and images with another ``ImageRequest/decoding``.
  ///
  /// It is called each time that the avatar is asked for, and must not wait. With the policies
  /// ``CachePolicy/reload`` and ``CachePolicy/refresh`` the origin is asked, not the storage; what
  /// comes from a fallback or an alternative is not saved. The default changes nothing.
  func configure(_ request: inout ImageRequest)
  /// Names the storage behind this avatar; each storage is asked once for everyone who waits.
  ///
  /// The default is the type's name: all avatars of one type share one storage.
  var storageID: String { get }
  /// The image already styled, or nil when the storage has none.
  ///
  /// One whose size is not the style's, in pixels at the pipeline's scale, is skipped. It is shown
  /// as a still: a storage whose animated avatars are to play returns nil here, and the file as the
  /// original.
  func localStyled() async throws -> Bitmap?
  /// The file as it was downloaded, or nil when the storage has none.
  func localOriginal() async throws -> Data?
  /// Stores a file and the image made from it; callers that wait for the image do not wait for
  /// this.
  func save(original: Data, styled: Bitmap) async throws
}

extension Avatar {
  /// No placeholder.
  public var placeholder: Bitmap? { nil }
  /// Changes nothing.
  public func configure(_ request: inout ImageRequest) {}
  /// The type's name.
  public var storageID: String { String(reflecting: Self.self) }
}

/// One step on the way to an avatar; the last is one of the two endings.
public enum AvatarStep: Sendable {
  /// The placeholder, while the image is on its way; or an older image, while it is checked.
  case placeholder(Bitmap)
  /// The image, and the stage that had it.
  case finished(Bitmap, ImageSource)
  /// There will be no image.
  case failed(ImageError)
}
