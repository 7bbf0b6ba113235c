import IkranSystem

/// Why an operation on a disk cache, or on another store on the disk, failed.
///
/// A damaged entry is no error: it is dropped, counted and reads as a miss.
@nonexhaustive
public enum DiskCacheError: Error, Hashable, Sendable {
  /// The disk, the quota or the file size limit is used up; what was stored before is still there.
  case full(path: String)
  /// The folder or its disk may not be written.
  case readOnly(path: String)
  /// Another process kept the index locked for too long.
  case busy(path: String)
  /// The folder was removed or replaced while in use; the next call starts with an empty cache.
  case removed(path: String)
  /// The file is not a database of this program, or is damaged.
  case corrupt(path: String, reason: String)
  /// The index was made by a newer version, or its tables are not those of this program.
  case unknownFormat(path: String, reason: String)
  /// The body alone is larger than the whole cache may be.
  case bodyOverLimit(bytes: Int, limit: Int)
  /// A key and the additional data of its entry are larger than a row of the index may be.
  case rowOverLimit(bytes: Int, limit: Int)
  /// The folder that a cache should move to holds another cache.
  case occupied(path: String)
  /// An encryption key does not have 32 bytes.
  case keyLength(byteCount: Int)
  /// The cryptography library refused.
  case cipher(reason: String)
  /// The store is suspended: see ``DiskCache/suspend()``.
  case suspended(path: String)
  /// Another system call failed.
  case system(SystemError)
  /// SQLite refused for another reason; the code is its extended result code.
  case index(path: String, code: Int32, reason: String)

  /// Whether another process kept the index locked.
  var isBusy: Bool { if case .busy = self { true } else { false } }

  /// Whether the disk is full.
  var isFull: Bool { if case .full = self { true } else { false } }

  /// Sorts a failed system call by what its user can do about it.
  package init(_ error: SystemError) {
    self =
      if error.isFull {
        .full(path: error.path)
      } else if error.isReadOnly {
        .readOnly(path: error.path)
      } else if error.isBusy {
        .busy(path: error.path)
      } else {
        .system(error)
      }
  }
}

extension DiskCacheError: CustomStringConvertible {
  /// One sentence that says what failed and what to do.
  public var description: String {
    switch self {
    case .full(let path):
      "There is no room left to write \(path); free some space or lower the cache's byte limit."
    case .readOnly(let path):
      "\(path) may not be written; choose a cache folder that this user may write to."
    case .busy(let path):
      "Another process keeps \(path) locked; try again or give each process its own folder."
    case .removed(let path):
      "\(path) was removed while in use; try again and it is made again."
    case .corrupt(let path, let reason):
      "\(path) is damaged (\(reason)); move it away and it is made again."
    case .unknownFormat(let path, let reason):
      "\(path) is of an unknown format (\(reason)); use the newer version or another folder."
    case .bodyOverLimit(let bytes, let limit):
      "A body of \(bytes) bytes is over the cache's limit of \(limit); raise the byte limit."
    case .rowOverLimit(let bytes, let limit):
      "A key and its additional data may have \(limit) bytes, not \(bytes); shorten them."
    case .occupied(let path):
      "\(path) holds another cache already; choose another folder or remove that cache."
    case .keyLength(let byteCount):
      "An encryption key must have 32 random bytes, not \(byteCount); make another one."
    case .cipher(let reason):
      "The cryptography library failed (\(reason)); reinstall OpenSSL."
    case .suspended(let path):
      "\(path) is not used while it is suspended; call resume() first."
    case .system(let error):
      error.description
    case .index(let path, let code, let reason):
      "SQLite could not use \(path): \(reason) (code \(code)); check the disk."
    }
  }
}
