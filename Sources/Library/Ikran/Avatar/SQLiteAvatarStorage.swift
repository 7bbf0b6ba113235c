public import IkranFoundation
import IkranCodecs
import IkranIsolation
public import IkranPixels
import IkranStores

/// Keeps avatars in one SQLite file, which several processes may share.
public struct SQLiteAvatarStorage: AvatarStorage {
  /// The database's path.
  public let path: String
  private let blobs: BlobTable
  private let secret: FolderSecret
  private let pool = ThreadPool(name: "ikran-avatars", threads: 1)
  private let suspension: Suspension

  /// Opens the database, making it when it is missing.
  ///
  /// - Throws: `DiskCacheError` when it cannot be opened.
  public init(path: String) throws {
    self.path = path
    blobs = try BlobTable(path: path)
    secret = FolderSecret(path: path + ".ikran-secret")
    suspension = Suspension(writing: [pool])
  }

  /// The database's path.
  public var id: String { path }

  /// Lets running calls end, and closes the database with its locks, until ``resume()``: calls wait
  /// until then.
  ///
  /// Returns when it is closed, or at ``resume()``; at once when the task is cancelled, and the
  /// storage is suspended all the same. A storage that is not used any more has to resume, too.
  public func suspend() async {
    suspension.begin(
      Suspension.Files { [blobs] in
        blobs.suspend()
      } open: { [blobs] in
        blobs.resume()
      }
    )
    await suspension.finishClosing()
  }

  /// Ends a suspension: calls that waited go on.
  ///
  /// Without a suspension it does nothing.
  public func resume() { suspension.resume() }

  /// Reads and decodes the styled image.
  public func styled(_ name: AvatarName) async throws -> Bitmap? {
    try await pool.perform {
      try blobs.get("styled/\(name.styledKey(secret))")
        .map { try CodecList.isolatedStandard.decode($0.span).bitmap }
    }
  }

  /// Reads the original.
  public func original(_ name: AvatarName) async throws -> Data? {
    try await pool.perform {
      try blobs.get("original/\(name.originalKey(secret))").map { Data($0) }
    }
  }

  /// Writes both; of an animation the original alone, as its picture would stand still.
  public func save(original: Data, styled: Bitmap, as name: AvatarName) async throws {
    try await pool.perform {
      let (bytes, styledKey) = ([UInt8](original), "styled/\(name.styledKey(secret))")
      // First, so that no older one is left where the rest is not written.
      _ = try blobs.remove(styledKey)
      try blobs.put(bytes, for: "original/\(name.originalKey(secret))")
      if isAnimated(bytes) { return }
      try blobs.put(styled.encoded(as: .png), for: styledKey)
    }
  }
}
