/// A way of making the bodies of a ``DiskCache`` smaller that takes the place of zlib's.
///
/// ```swift
/// let compressor = BodyCompressor(id: "zstd 3", compress: packed, decompress: unpacked)
/// let cache = try DiskCache(directory: folder, options: DiskCacheOptions(compressor: compressor))
/// ```
/// Its closures run on the threads that store and read, several at once, and see all bodies, also
/// those of files that are compressed already. A pipeline has it in a cache that it is given.
public struct BodyCompressor: Sendable, Hashable {
  /// Names it in each body, in at most 255 bytes of UTF-8; the rest is left out.
  ///
  /// What was stored with another one reads as a miss, and is removed; a cache without one leaves
  /// it alone.
  public let id: String
  let compress: @Sendable ([UInt8]) -> [UInt8]?
  let decompress: @Sendable ([UInt8], Int) -> [UInt8]?

  /// Creates a compressor.
  ///
  /// - Parameters:
  ///   - id: Names it, with all that readers must know.
  ///   - compress: Makes a body smaller; nil leaves it as it is, as does a result that is not
  ///     smaller.
  ///   - decompress: The body of so many bytes again; nil when that cannot be. It gets bytes that
  ///     have the checksum of what was stored, and what it returns has to have that length.
  public init(
    id: String,
    compress: @escaping @Sendable ([UInt8]) -> [UInt8]?,
    decompress: @escaping @Sendable (_ bytes: [UInt8], _ byteCount: Int) -> [UInt8]?
  ) {
    self.id = id.utf8.count <= 255 ? id : String(decoding: id.utf8.prefix(255), as: UTF8.self)
    (self.compress, self.decompress) = (compress, decompress)
  }

  /// Whether both have one id.
  public static func == (one: BodyCompressor, other: BodyCompressor) -> Bool { one.id == other.id }

  /// Hashes the id.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }

  /// Stands before each body: how long the id is, and the id.
  private var mark: [UInt8] {
    let name = id.utf8.prefix(255)
    return [UInt8(name.count)] + name
  }

  /// The stored form of a body; nil when it is not smaller.
  func stored(_ body: [UInt8]) -> [UInt8]? {
    guard let smaller = compress(body) else { return nil }
    let stored = mark + smaller
    return stored.count < body.count ? stored : nil
  }

  /// The body of a stored form; nil when another one made it, or it cannot be read.
  func body(of stored: [UInt8], byteCount: Int) -> [UInt8]? {
    guard stored.starts(with: mark) else { return nil }
    let body = decompress(Array(stored[mark.count...]), byteCount)
    return body?.count == byteCount ? body : nil
  }
}
