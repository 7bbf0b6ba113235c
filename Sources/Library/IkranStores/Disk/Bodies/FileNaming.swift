// Decision 89: a label behind the numbers, not a name of the program's.
/// What a program adds to the names of a ``DiskCache``'s files, for those who look into its folder.
///
/// ```swift
/// let naming = FileNaming(id: "last component") { key in
///   String(key.split(separator: "/").last ?? "")
/// }
/// let cache = try DiskCache(directory: folder, options: DiskCacheOptions(naming: naming))
/// ```
/// A file's name begins with numbers that the cache goes by, so two keys may have one label:
/// `bodies/6f/6f3a52c07d1be849-000000a1b2c3d4e5-kiwi.jpg`. Bodies of up to 16 KB have no file, and
/// an encrypted cache has no labels, as they would say what a key is. A pipeline has it in a cache
/// that it is given. Programs of version 0.5 and before find no entry that has a label, and remove
/// its file in time.
public struct FileNaming: Sendable, Hashable {
  /// Names the way of naming, to tell options apart.
  public let id: String
  let label: @Sendable (String) -> String

  /// Creates a way of naming files.
  ///
  /// - Parameters:
  ///   - id: Names it; two with one id are equal.
  ///   - label: The label of a key, called once for each store of a body that gets a file, on the
  ///     thread that stores it. Control characters and the signs that file systems refuse, such
  ///     as slashes and colons, become `_`; of more than 100 bytes of UTF-8 the last stay, which
  ///     have the ending. An empty one leaves the name as it is.
  public init(id: String, label: @escaping @Sendable (_ key: String) -> String) {
    (self.id, self.label) = (id, label)
  }

  /// Whether both have one id.
  public static func == (one: FileNaming, other: FileNaming) -> Bool { one.id == other.id }

  /// Hashes the id.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// A label in the form in which it is part of a file's name.
struct FileLabel: Sendable {
  /// As many bytes of a name as the numbers leave, less some for file systems that take fewer.
  static let largest = 100

  /// Without what ends a name or is refused in one; at most ``largest``.
  let bytes: [UInt8]

  init(_ text: String) {
    let scalars = text.unicodeScalars.map { (0x80..<0xA0).contains($0.value) ? "_" : $0 }
    let safe = String(String.UnicodeScalarView(scalars)).utf8
      .map { Self.isSafe($0) ? $0 : UInt8(ascii: "_") }
    let end = safe.suffix(Self.largest)
    // Not from the middle of a character.
    bytes = Array(end.count < safe.count ? end.drop { $0 & 0xC0 == 0x80 } : end)
  }

  /// The label that was stored before a key; empty when it is damaged, as a row's may be.
  init(before stored: [UInt8]) {
    let label = stored.dropFirst().prefix(Int(stored.first ?? 0))
    let isWhole = label.count == Int(stored.first ?? 0) && label.count <= Self.largest
    bytes = isWhole && label.allSatisfy(Self.isSafe) ? Array(label) : []
  }

  /// The key after its label: how long that is, the label, and the key.
  func before(_ key: [UInt8]) -> [UInt8] { [UInt8(bytes.count)] + bytes + key }

  /// The key that has a label before it.
  static func key(in stored: [UInt8]) -> [UInt8] {
    Array(stored.dropFirst(1 + Int(stored.first ?? 0)))
  }

  private static let refused = Array("/\\:*?\"<>|".utf8)

  private static func isSafe(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != 0x7F && !refused.contains(byte)
  }
}
