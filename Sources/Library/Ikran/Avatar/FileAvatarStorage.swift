public import IkranFoundation
import IkranCodecs
import IkranIsolation
public import IkranPixels
import IkranStores

/// Keeps avatars as plain files in one folder: `….original` as downloaded and `….png` styled.
///
/// Files are published by rename, so a reader sees a whole file or none.
public struct FileAvatarStorage: AvatarStorage {
  /// The folder's path.
  public let directory: String
  private let pool = ThreadPool(name: "ikran-avatars", threads: 1)
  private let secret: FolderSecret
  private static let maximumFileBytes = 256 << 20

  /// Opens the folder, making it when it is missing.
  ///
  /// - Throws: `SystemError` when it cannot be made.
  public init(directory: String) throws {
    self.directory = directory
    secret = FolderSecret(folder: directory)
    try Files.createDirectories(directory)
  }

  /// The folder's path.
  public var id: String { directory }

  /// Reads and decodes the styled image's file.
  public func styled(_ name: AvatarName) async throws -> Bitmap? {
    try await pool.perform {
      try Self.read(path("\(name.styledKey(secret)).png"))
        .map { try CodecList.isolatedStandard.decode($0.span).bitmap }
    }
  }

  /// Reads the original's file.
  public func original(_ name: AvatarName) async throws -> Data? {
    try await pool.perform {
      try Self.read(path("\(name.originalKey(secret)).original")).map { Data($0) }
    }
  }

  /// Writes both files; of an animation the original alone, as its picture would stand still.
  public func save(original: Data, styled: Bitmap, as name: AvatarName) async throws {
    try await pool.perform {
      let (file, image) = (name.originalKey(secret), name.styledKey(secret))
      let bytes = [UInt8](original)
      // First, so that no older one is left where the rest is not written.
      try Files.remove(path("\(image).png"))
      try Files.writeAtomically(bytes, to: path("\(file).original"))
      if isAnimated(bytes) { return }
      try Files.writeAtomically(styled.encoded(as: .png), to: path("\(image).png"))
    }
  }

  private func path(_ file: String) -> String { "\(directory)/\(file)" }

  /// The file's bytes; nil when there is no such file.
  private static func read(_ path: String) throws -> [UInt8]? {
    try Files.exists(path) ? Files.read(path, maximumBytes: maximumFileBytes) : nil
  }
}
