import Glibc

/// A system call on a file that failed.
public struct SystemError: Error, Hashable, Sendable {
  /// The error number, such as `ENOSPC`.
  public let code: CInt
  /// What was tried, as a verb: `open`, `write`, `rename`.
  public let operation: String
  /// The path it was tried on.
  public let path: String

  /// Makes an error from its parts.
  public init(code: CInt, operation: String, path: String) {
    self.code = code
    self.operation = operation
    self.path = path
  }

  /// Takes the error number the last system call of this thread left.
  package static func last(_ operation: String, _ path: String) -> SystemError {
    SystemError(code: errno, operation: operation, path: path)
  }

  /// Whether nothing is there: the path, or a folder on the way to it, is missing.
  package var isMissing: Bool { code == ENOENT || code == ENOTDIR }

  /// Whether the process may not write here, whatever it tries.
  package var isReadOnly: Bool { code == EROFS || code == EACCES || code == EPERM }

  /// Whether there is no room left: the disk, the quota or the file size limit is used up.
  package var isFull: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }

  /// Whether two paths lie on different disks, between which nothing can be renamed.
  package var isOtherDisk: Bool { code == EXDEV }

  /// Whether the stored bytes themselves cannot be read, now or later.
  package var isDamage: Bool { isMissing || [EIO, EISDIR, EFBIG, ELOOP, EINVAL].contains(code) }
}

extension SystemError: CustomStringConvertible {
  /// One sentence that says what failed and what to do.
  public var description: String {
    let attempt = "Could not \(operation) \(path)"
    return switch code {
    case ENOENT: "\(attempt): it does not exist; check the path."
    case ENOTDIR: "\(attempt): a part of the path is not a folder; check the path."
    case EISDIR: "\(attempt): it is a folder; name a file."
    case EACCES, EPERM: "\(attempt): permission denied; change its owner or permissions."
    case EROFS: "\(attempt): the disk is mounted read-only; choose another folder."
    case ENOSPC: "\(attempt): the disk is full; free some space."
    case EDQUOT: "\(attempt): the disk quota is used up; free some space."
    case EFBIG: "\(attempt): it is larger than the limit; raise the limit or use a smaller file."
    case ENOMEM: "\(attempt): no memory or addresses are left; raise the limit (ulimit -v)."
    case EMFILE, ENFILE: "\(attempt): too many files are open; raise the limit (ulimit -n)."
    case ENAMETOOLONG: "\(attempt): the path is too long; shorten it."
    case EINVAL: "\(attempt): it is not an ordinary file; name an ordinary file."
    default: "\(attempt): \(Self.reason(code)) (error \(code)); check the disk."
    }
  }

  private static func reason(_ code: CInt) -> String {
    // strerror(3) may share its buffer between threads; strerror_r writes into ours.
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let start = buffer.baseAddress, strerror_r(code, start, buffer.count) == 0 else {
        return "system error"
      }
      return String(cString: start)
    }
  }
}
