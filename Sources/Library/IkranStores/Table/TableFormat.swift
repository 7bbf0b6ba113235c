public import IkranPixels

/// The permission bits of a table's file.
///
/// A user who may only read the file gets copies of its pictures and can neither add nor evict any.
public enum TableAccess: UInt32, Sendable, Hashable, CaseIterable {
  /// The user alone (0600).
  case owner = 0o600
  /// Read and write for the user, read for the group (0640).
  case group = 0o640
  /// Read and write for the user, read for everyone (0644).
  case everyone = 0o644
}

/// What a table holds: images of one size in one pixel format, and how many.
///
/// Size and pixel format are the layout: a file of another layout is replaced by an empty one.
/// Everything else may change from one opening to the next, and the entries stay.
public struct TableFormat: Sendable, Hashable {
  /// Identifies the table in its folder; at most 96 bytes of UTF-8.
  public var name: String
  /// Formats of one family are filled from one source image; at most 96 bytes of UTF-8.
  public var family: String
  /// Width and height of every image, in pixels.
  public var size: PixelSize
  /// How each pixel lies in the file.
  public var pixels: PixelFormat
  /// The most entries, at least 1.
  public var maximumCount: Int
  /// The most bytes that entries take up together; nil sets no limit.
  ///
  /// One entry always fits.
  public var byteLimit: Int?
  /// The permission that a new file gets.
  public var access: TableAccess

  /// Creates a format; opening a table checks it.
  public init(
    _ name: String,
    size: PixelSize,
    pixels: PixelFormat = .bgra,
    family: String = "",
    maximumCount: Int = 10_000,
    byteLimit: Int? = nil,
    access: TableAccess = .owner
  ) {
    self.name = name
    self.family = family
    self.size = size
    self.pixels = pixels
    self.maximumCount = maximumCount
    self.byteLimit = byteLimit
    self.access = access
  }

  /// Creates a format for the pictures of a style at a scale; nil for a style whose pictures have
  /// no fixed size.
  ///
  /// ```swift
  /// let faces = TableFormat("faces", for: .circle(48), scale: 2)     // 96 × 96 pixels
  /// ```
  public init?(_ name: String, for style: Style, scale: Double) {
    guard let size = style.fixedSize(scale: scale) else { return nil }
    self.init(name, size: size)
  }

  /// The name of the table's file: the format's name with everything but letters, digits, `-`, `_`
  /// and inner dots percent-encoded, and `.table`.
  public func fileName() -> String {
    let start = name.hasPrefix(".") ? PercentEncoding.encoded(".", keeping: "") : ""
    return start + PercentEncoding.encoded(name.dropFirst(start.isEmpty ? 0 : 1), keeping: "-_.")
      + ".table"
  }

  /// The longest name or family that the header has room for.
  static let maximumNameBytes = 96

  /// The name of the table's file.
  ///
  /// - Throws: ``TableError`` when the format is invalid.
  func validFileName() throws(TableError) -> String {
    let fileName = fileName()
    guard !name.isEmpty, name.utf8.count <= Self.maximumNameBytes else {
      throw .invalidFormat(reason: "the name must have 1 to \(Self.maximumNameBytes) bytes")
    }
    guard fileName.utf8.count <= 240 else {
      throw .invalidFormat(reason: "the name has too many characters that must be encoded")
    }
    guard family.utf8.count <= Self.maximumNameBytes else {
      throw .invalidFormat(reason: "the family may have \(Self.maximumNameBytes) bytes at most")
    }
    guard maximumCount >= 1 else {
      throw .invalidFormat(reason: "the maximum count must be at least 1")
    }
    if let byteLimit, byteLimit < 1 {
      throw .invalidFormat(reason: "the byte limit must be at least 1")
    }
    return fileName
  }
}
