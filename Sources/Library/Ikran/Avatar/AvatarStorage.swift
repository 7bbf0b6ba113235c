public import IkranFoundation
import IkranCodecs
import IkranIsolation
public import IkranPixels
import IkranStores
import IkranTransport

public import struct IkranPixels.Style

/// Where ready-made avatars are kept.
///
/// The two that come with Ikran are ``FileAvatarStorage`` and ``SQLiteAvatarStorage``; use them, or
/// copy one and change it.
///
/// A request waits for as long as a look-up takes: return nil rather than wait for long.
public protocol AvatarStorage: Sendable {
  /// Names the storage: equal for two values that read and write the same place.
  var id: String { get }
  /// The styled image of one avatar, or nil when there is none.
  func styled(_ name: AvatarName) async throws -> Bitmap?
  /// The file that an avatar was made from, or nil when there is none.
  func original(_ name: AvatarName) async throws -> Data?
  /// Stores both, replacing what was there.
  func save(original: Data, styled: Bitmap, as name: AvatarName) async throws
}

/// What an avatar is stored under: its owner, where it came from, and how it looks.
public struct AvatarName: Sendable, Hashable {
  /// Whose avatar it is, such as a member's number.
  public let owner: String
  /// Where it was downloaded; a new URL is a new avatar.
  public let url: String
  /// How it looks.
  public let style: Style

  /// Creates a name.
  public init(owner: String, url: String, style: Style) {
    self.owner = owner
    self.url = url
    self.style = style
  }

  /// Names the original, whatever the style, in thirty-two hexadecimal digits.
  func originalKey(_ secret: FolderSecret) -> String { key("\(owner)\u{0}\(url)", secret) }

  /// Names the styled image in thirty-two hexadecimal digits.
  func styledKey(_ secret: FolderSecret) -> String {
    key("\(owner)\u{0}\(url)\u{0}\(style.key)", secret)
  }

  /// A password in the URL could be guessed from a digest without a key (decision 60).
  private func key(_ text: String, _ secret: FolderSecret) -> String {
    guard hasUserInfo(url) else { return digest(of: text) }
    return "\(secret.digest(of: "avatar\u{0}" + text))"
  }
}

/// Whether an avatar plays: its styled picture alone would stand still.
func isAnimated(_ original: [UInt8]) -> Bool {
  (try? CodecList.isolatedStandard.probe(original.span))?.isAnimated == true
}

/// An avatar for those who need no type of their own.
///
/// ```swift
/// let storage = try FileAvatarStorage(directory: folder)
/// let ana = StoredAvatar(owner: "ana", url: url, style: .circle(48), storage: storage)
/// for await step in AvatarPod.shared.wake(ana) { … }
/// ```
public struct StoredAvatar: Avatar {
  /// Whose avatar it is.
  public let owner: String
  /// Where the image comes from when the storage has none.
  public let url: URL?
  /// How the image looks.
  public let style: Style
  /// Shown until the image is there.
  public let placeholder: Bitmap?
  /// What ``Avatar/configure(_:)`` does; nil, the default, is nothing.
  public var configuration: (@Sendable (inout ImageRequest) -> Void)?
  private let storage: any AvatarStorage

  /// Creates an avatar.
  public init(
    owner: String,
    url: URL?,
    style: Style,
    placeholder: Bitmap? = nil,
    storage: any AvatarStorage
  ) {
    self.owner = owner
    self.url = url
    self.style = style
    self.placeholder = placeholder
    self.storage = storage
  }

  /// Changes the request as the program wants it.
  public func configure(_ request: inout ImageRequest) { configuration?(&request) }

  /// The storage's and the owner's: each owner's images are asked for and saved by themselves.
  public var storageID: String { "\(storage.id)\u{0}\(owner)" }

  /// Asks the storage.
  public func localStyled() async throws -> Bitmap? {
    guard let name else { return nil }
    return try await storage.styled(name)
  }

  /// Asks the storage.
  public func localOriginal() async throws -> Data? {
    guard let name else { return nil }
    return try await storage.original(name)
  }

  /// Tells the storage.
  public func save(original: Data, styled: Bitmap) async throws {
    guard let name else { return }
    try await storage.save(original: original, styled: styled, as: name)
  }

  private var name: AvatarName? {
    guard let url else { return nil }
    var request = ImageRequest(url, style: style)
    configure(&request)
    // Another version is stored by itself, and so is what is decoded otherwise.
    let version = request.signature.map { "\u{0}version \($0)" } ?? ""
    let decoding = request.ownDecoding.map { "\u{0}decoding\($0.options.text)" } ?? ""
    let owner = owner + version + decoding
    return AvatarName(owner: owner, url: url.absoluteString, style: style)
  }
}
