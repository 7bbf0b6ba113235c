public import IkranFoundation
public import IkranPixels
public import IkranStores

/// A model that has a picture, drawn once for each format and kept in image tables.
///
/// ```swift
/// struct Member: ImageEntity {
///   let uuid: UUID, photoURL: URL?, photoVersion: String
///   var entityID: TableID { TableID(uuid.uuidString) }
///   var sourceVersionID: TableID { TableID(photoVersion) }
///   var sourceURL: URL? { photoURL }
/// }
/// ```
public protocol ImageEntity: Sendable {
  /// Names the entity, whatever its picture is at the moment.
  var entityID: TableID { get }
  /// Names the present picture: images drawn from another one are not found any more.
  var sourceVersionID: TableID { get }
  /// The URL of the source image; nil when there is none.
  var sourceURL: URL? { get }
  /// Draws the source image into a format's canvas, whose pixels are all zero.
  ///
  /// Called on a thread of the cache's own, for several entities at once. What it throws leaves an
  /// older image as it was. By default the source covers the canvas.
  func draw(_ source: Bitmap, into canvas: inout Canvas, format: TableFormat) throws
}

extension ImageEntity {
  /// Covers the canvas with the source; what is left over is cut equally from both ends.
  public func draw(_ source: Bitmap, into canvas: inout Canvas, format: TableFormat) throws {
    try canvas.draw(source, fitting: .fill)
  }
}

/// Brings the source image of an entity: from a network, a library, a database; nil says that there
/// is none.
///
/// It is asked once for all formats that wait for one picture. Its task is cancelled when no caller
/// waits any more, and when its time is over.
public typealias SourceProvider = @Sendable (any ImageEntity, URL) async throws -> Bitmap?

/// How an ``EntityImageCache`` works.
public struct EntityCacheOptions: Sendable, Hashable {
  /// The longest time that a source image may take.
  public var timeout: Duration
  /// The most source images asked for at once, at least 1.
  public var maximumConcurrent: Int
  /// Whether one source image is drawn into every format of a family, or only where it was asked
  /// for.
  public var drawsWholeFamily: Bool

  /// Creates options.
  public init(
    timeout: Duration = .seconds(60),
    maximumConcurrent: Int = 6,
    drawsWholeFamily: Bool = true
  ) {
    self.timeout = timeout
    self.maximumConcurrent = maximumConcurrent
    self.drawsWholeFamily = drawsWholeFamily
  }
}
