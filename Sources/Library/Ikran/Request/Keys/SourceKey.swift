public import IkranStores

/// Names a source: 128 bits over everything that decides which bytes arrive.
///
/// Equal across runs and machines. It tells nothing of the URL or the header fields that it was
/// made from, so it may stand in file names, indexes and logs. A pipeline names a source whose URL
/// or fields have a secret by a digest with its cache folder's own key instead, as a password could
/// be guessed (decision 60).
public struct SourceKey: Hashable, Sendable, CustomStringConvertible {
  /// The digest.
  public let id: TableID

  /// The key of canonical text.
  init(_ canonical: String) { id = TableID(canonical) }

  /// The key of canonical text that has a secret.
  init(_ canonical: String, secret: FolderSecret) {
    id = secret.digest(of: "source\u{0}" + canonical)
  }

  /// 32 hexadecimal digits.
  public var description: String { id.description }

  /// Hashes the low half: it is a digest already.
  public func hash(into hasher: inout Hasher) { hasher.combine(id.low) }
}
