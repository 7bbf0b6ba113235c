public import IkranStores

/// What is kept on disk, for how long and in which form.
public struct DiskOptions: Sendable, Hashable {
  /// What of a download is kept; the image tables keep styled images of fixed size besides.
  public enum Contents: Sendable, Hashable, CaseIterable {
    /// The file, as it came.
    case originals
    /// The styled images, without loss as PNG unless a table has them; of an animation the file,
    /// which its frames are needed from.
    case processed
    /// The file and the styled images.
    case both
    /// The file when it is asked for in its own size, the styled images otherwise: what will be
    /// needed again.
    case automatic
  }

  /// The folder, made when it is missing; several processes may share it.
  public var directory: String
  /// Bytes of files kept; `.automatic` is 1 GiB.
  public var limit: ByteLimit
  /// The most files kept.
  public var maximumCount: Int
  /// When files are too old to be kept, whatever HTTP says of them; seven days after the last use by
  /// default.
  public var maximumAge: DiskCacheOptions.Age
  /// Whether files are made smaller; those of compressed formats never are.
  public var compression: DiskCacheOptions.Compression
  /// The key that files are encrypted with; nil leaves them in clear.
  ///
  /// With a key, broken transfers are not kept. Image tables are never encrypted.
  public var encryptionKey: EncryptionKey?
  /// Folders of other caches that are asked when this one has no file, such as one that comes with
  /// the program; nothing is written there.
  public var readOnlyDirectories: [String]
  /// What of a download is kept.
  public var contents: Contents

  /// Creates options.
  public init(
    directory: String,
    limit: ByteLimit = .automatic,
    maximumCount: Int = 250_000,
    maximumAge: DiskCacheOptions.Age = .days(7),
    compression: DiskCacheOptions.Compression = .none,
    encryptionKey: EncryptionKey? = nil,
    readOnlyDirectories: [String] = [],
    contents: Contents = .originals
  ) {
    self.directory = directory
    self.limit = limit
    self.maximumCount = maximumCount
    self.maximumAge = maximumAge
    self.compression = compression
    self.encryptionKey = encryptionKey
    self.readOnlyDirectories = readOnlyDirectories
    self.contents = contents
  }

  var cacheOptions: DiskCacheOptions {
    var options = DiskCacheOptions(
      countLimit: maximumCount,
      maximumAge: maximumAge,
      compression: compression,
      encryptionKey: encryptionKey,
      readOnlyDirectories: readOnlyDirectories
    )
    if case .bytes(let bytes) = limit { options.byteLimit = max(0, bytes) }
    return options
  }
}

extension DiskOptions.Contents {
  /// Whether the file of a request is kept.
  func includesFile(of request: ImageRequest, frames: Int) -> Bool {
    switch self {
    case .originals, .both: true
    case .processed: frames != 1 || request.isForDisk
    case .automatic: frames != 1 || request.isForDisk || request.style == .original
    }
  }

  /// Whether the image made for a request is kept.
  func includesImage(of request: ImageRequest) -> Bool {
    switch self {
    case .originals: false
    case .processed, .both: true
    case .automatic: request.style != .original
    }
  }
}
