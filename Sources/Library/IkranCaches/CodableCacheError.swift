public import IkranStores

/// Why a ``CodableCache`` could not do what it was asked.
///
/// A value that cannot be decoded is no error: it is removed, counted and reads as a miss.
@nonexhaustive
public enum CodableCacheError: Error, Hashable, Sendable {
  /// The value cannot be encoded, so nothing was stored.
  case encoding(key: String, reason: String)
  /// The disk cache failed.
  case disk(DiskCacheError)
  /// A custom store failed.
  case store(reason: String)

  init(_ error: any Error) {
    self =
      if let error = error as? DiskCacheError {
        .disk(error)
      } else {
        .store(reason: "\(error)")
      }
  }
}

extension CodableCacheError: CustomStringConvertible {
  /// One sentence that says what failed and what to do.
  public var description: String {
    switch self {
    case .encoding(let key, let reason):
      "The value for \(key) cannot be encoded (\(reason)); store another or encode it yourself."
    case .disk(let error): error.description
    case .store(let reason): "The store that the cache was given failed: \(reason)."
    }
  }
}
