public import IkranPixels
public import IkranStores

/// What is kept in image tables: styled images, ready to be shown by the next run.
///
/// Downloaded stills in styles of a fixed size are kept, each size in a table of its own, and those
/// of local files on request. Data that came with the request is as near as a table; animations
/// need their frames.
public struct TableOptions: Sendable, Hashable {
  /// The folder, made when it is missing; several processes may share it.
  ///
  /// Nil is the folder `tables` in that of the disk cache; without one, in the user's cache folder.
  public var directory: String?
  /// Bytes of pixels in all tables of the folder together.
  ///
  /// `.automatic` is a quarter of ``DiskOptions/limit`` where the tables are in the folder of the
  /// disk cache, and 512 MiB elsewhere. A limit that is set here is no part of that one.
  ///
  /// A table may take what the others leave free, and always its equal share. When all together
  /// are over the limit, those unused for a day go first, then the largest gives up its
  /// images longest unused. An image over a thirty-second of the limit is not kept.
  public var limit: ByteLimit
  /// The most images in a table that is made on demand.
  public var maximumCount: Int
  /// How images without alpha are kept; those with alpha are BGRA.
  ///
  /// Either ``PixelFormat/bgr``, three bytes a pixel: the smallest, the fastest to draw with cairo,
  /// and the default on Linux. Or ``PixelFormat/bgrx``, whole words: the default on Apple's
  /// platforms, as Core Graphics draws no other of the two without a copy. Another one counts as
  /// BGR.
  public var opaquePixels: PixelFormat
  /// Tables of your own choice for the sizes they have.
  ///
  /// An image goes to the first that has its size and can hold it: one with alpha only to BGRA, one
  /// without rather not to BGRA. 5-5-5 and gray are chosen here, for small images without detail.
  public var formats: [TableFormat]
  /// Whether images of local files are kept, too, for programs that show the same folders again and
  /// again; false by default.
  ///
  /// One is shown while its file has the size, the inode and the time of change that it had when it
  /// was read: a look-up asks for them.
  public var keepsLocalFiles = false
  /// When the system lets the tables be read; nil is as the disk cache has it.
  public var protection: FileProtection?

  /// Creates options; without a format for opaque pixels they have that of the platform.
  public init(
    directory: String? = nil,
    limit: ByteLimit = .automatic,
    maximumCount: Int = 10_000,
    opaquePixels: PixelFormat? = nil,
    formats: [TableFormat] = []
  ) {
    self.directory = directory
    self.limit = limit
    self.maximumCount = maximumCount
    self.opaquePixels = opaquePixels ?? .drawnFastest
    self.formats = formats
  }

  /// The folder that is meant, or nil when there is none: neither a disk cache nor a user's folder.
  func directory(nextTo disk: DiskOptions?) -> String? {
    directory ?? (disk?.directory ?? CacheDirectory.standard).map { $0 + "/tables" }
  }

  /// The protection that is meant.
  func protection(nextTo disk: DiskOptions?) -> FileProtection {
    protection ?? disk?.protection ?? .untilFirstUnlock
  }

  var byteLimit: Int {
    switch limit {
    case .automatic: 512 << 20
    case .bytes(let bytes): max(0, bytes)
    }
  }
}
