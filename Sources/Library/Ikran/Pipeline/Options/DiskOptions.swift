public import IkranCodecs
import IkranPixels
public import IkranStores

/// What is kept on disk, for how long and in which form.
public struct DiskOptions: Sendable, Hashable {
  /// What of a download is kept; the image tables also keep styled images of fixed size.
  public struct Contents: Sendable, Hashable {
    enum Choice: CaseIterable {
      case originals, processed, both, automatic
    }

    let choice: Choice
    /// The format of styled images.
    ///
    /// PNG takes its place for images with alpha where it is JPEG or GIF, and for images too large
    /// for it.
    public let encoding: ImageEncoding

    init(_ choice: Choice, as encoding: ImageEncoding = .png) {
      (self.choice, self.encoding) = (choice, encoding)
    }

    /// The file, as it came.
    public static let originals = Contents(.originals)
    /// The styled images, without loss as PNG unless a table has them; of an animation the file,
    /// which its frames are needed from.
    public static let processed = Contents(.processed)
    /// The file and the styled images.
    public static let both = Contents(.both)
    /// The file when it is asked for in its own size, the styled images otherwise: what will be
    /// needed again.
    public static let automatic = Contents(.automatic)

    /// ``processed`` in another encoding.
    public static func processed(as encoding: ImageEncoding) -> Contents {
      Contents(.processed, as: encoding)
    }
    /// ``both`` in another encoding.
    public static func both(as encoding: ImageEncoding) -> Contents {
      Contents(.both, as: encoding)
    }
    /// ``automatic`` in another encoding.
    public static func automatic(as encoding: ImageEncoding) -> Contents {
      Contents(.automatic, as: encoding)
    }
  }

  /// The folder, made when it is missing; several processes may share it.
  public var directory: String
  /// Bytes kept in the folder: files, what arrived of broken transfers, and image tables;
  /// `.automatic` is 1 GiB.
  ///
  /// Broken transfers have an eighth of it and image tables a quarter, unless
  /// ``ResumptionOptions/byteLimit`` or ``TableOptions/limit`` sets a limit of their own, which
  /// then comes in addition; files have the rest. The index takes more, as
  /// ``DiskCacheOptions/byteLimit`` says.
  public var limit: ByteLimit
  /// The most files kept.
  public var maximumCount: Int
  /// When files are too old to be kept, whatever HTTP says of them; seven days after the last use
  /// by default.
  public var maximumAge: DiskCacheOptions.Age
  /// Whether files are made smaller; those of compressed formats never are.
  public var compresses: Bool
  /// The key that files are encrypted with; nil leaves them in clear.
  ///
  /// With a key, broken transfers are kept in memory only. Image tables are never encrypted.
  public var encryptionKey: EncryptionKey?
  /// Folders of other caches that are asked when this one has no file, such as one that comes with
  /// the program; nothing is written there.
  public var readOnlyDirectories: [String]
  /// What of a download is kept.
  public var contents: Contents
  /// When the system lets the folder's files be read; from the first unlock by default.
  public var protection = FileProtection.untilFirstUnlock

  /// Creates options.
  public init(
    directory: String,
    limit: ByteLimit = .automatic,
    maximumCount: Int = 250_000,
    maximumAge: DiskCacheOptions.Age = .days(7),
    compresses: Bool = false,
    encryptionKey: EncryptionKey? = nil,
    readOnlyDirectories: [String] = [],
    contents: Contents = .originals
  ) {
    self.directory = directory
    self.limit = limit
    self.maximumCount = maximumCount
    self.maximumAge = maximumAge
    self.compresses = compresses
    self.encryptionKey = encryptionKey
    self.readOnlyDirectories = readOnlyDirectories
    self.contents = contents
  }

  var cacheOptions: DiskCacheOptions {
    var options = DiskCacheOptions(
      countLimit: maximumCount,
      maximumAge: maximumAge,
      compresses: compresses,
      encryptionKey: encryptionKey,
      readOnlyDirectories: readOnlyDirectories
    )
    if case .bytes(let bytes) = limit { options.byteLimit = max(0, bytes) }
    return options
  }
}

// Decision 24: styled images are PNG files marked with their file's checksum.
extension DiskOptions.Contents {
  /// Whether it is ``automatic``, in whatever encoding.
  var isAutomatic: Bool { choice == .automatic }

  /// Whether the file is kept for a request.
  func includesFile(for want: SourceLoad.Want, frames: Int) -> Bool {
    switch choice {
    case .originals, .both: true
    case .processed: frames != 1 || want.isForDisk
    case .automatic: frames != 1 || want.isForDisk || want.isOfOriginal
    }
  }

  /// Whether images in a style are kept.
  func includesImage(in style: Style) -> Bool {
    switch choice {
    case .originals: false
    case .processed, .both: true
    case .automatic: style != .original
    }
  }

  /// The file of a styled image.
  ///
  /// - Throws: ``EncodeError``.
  func encoded(_ image: Bitmap) throws(EncodeError) -> [UInt8] {
    let keepsAlpha = encoding.format != .jpeg && encoding.format != .gif
    if !keepsAlpha, image.format.hasAlpha { return try image.encoded(as: .png) }
    do throws(EncodeError) { return try image.encoded(as: encoding) } catch {
      guard case .tooLarge = error else { throw error }
      return try image.encoded(as: .png)
    }
  }
}
