import IkranPOSIX

/// A system call on a file that failed.
public struct SystemError: Error, Hashable, Sendable {
  /// The error number, such as `ENOSPC`.
  public let code: CInt
  /// The operation that failed, as a verb: `open`, `write`, `rename`.
  public let operation: String
  /// The path that it failed on.
  public let path: String

  /// Makes an error from its parts.
  public init(code: CInt, operation: String, path: String) {
    self.code = code
    self.operation = operation
    self.path = path
  }

  /// Makes an error from `errno`, which the last system call of this thread has set.
  package static func last(_ operation: String, _ path: String) -> SystemError {
    SystemError(code: errno, operation: operation, path: path)
  }

  /// A file is larger than allowed (`EFBIG`).
  package static func tooLarge(_ operation: String, _ path: String) -> SystemError {
    SystemError(code: EFBIG, operation: operation, path: path)
  }

  /// The disk is full (`ENOSPC`).
  package static func noRoom(_ operation: String, _ path: String) -> SystemError {
    SystemError(code: ENOSPC, operation: operation, path: path)
  }

  /// The process has too few addresses left (`ENOMEM`).
  package static func noAddresses(_ operation: String, _ path: String) -> SystemError {
    SystemError(code: ENOMEM, operation: operation, path: path)
  }

  /// A resource stayed busy (`EAGAIN`).
  package static func tryAgain(_ operation: String, _ path: String) -> SystemError {
    SystemError(code: EAGAIN, operation: operation, path: path)
  }

  /// The system does not let it be done (`EPERM`).
  package static func refused(_ operation: String, _ path: String) -> SystemError {
    SystemError(code: EPERM, operation: operation, path: path)
  }

  /// The disk has failed to write earlier changes (`EIO`).
  package static func lostWrites(_ path: String) -> SystemError {
    SystemError(code: EIO, operation: "write", path: path)
  }

  /// Whether a resource stayed busy.
  package var isBusy: Bool { code == EAGAIN }

  /// Whether the path, or a folder on the way to it, is missing.
  package var isMissing: Bool { code == ENOENT || code == ENOTDIR }

  /// Whether the process lacks the permission to write.
  package var isReadOnly: Bool { code == EROFS || code == EACCES || code == EPERM }

  /// Whether the disk, the quota or the file size limit is used up.
  package var isFull: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }

  /// Whether it was the wrong kind of file: not an ordinary one.
  package var isInvalid: Bool { code == EINVAL }

  /// Whether two paths are on different file systems, between which `rename` does not work.
  package var isOtherDisk: Bool { code == EXDEV }

  /// Whether the stored bytes are lost: a later read will fail too.
  package var isDamage: Bool { isMissing || [EIO, EISDIR, EFBIG, ELOOP, EINVAL].contains(code) }
}

extension SystemError: CustomStringConvertible {
  /// One sentence that says what failed and what to do.
  public var description: String {
    let attempt = "Could not \(operation) \(path.displayedPath)"
    return switch code {
    case ENOENT where operation == "write": "\(attempt): its folder does not exist; make it."
    case ENOENT: "\(attempt): it does not exist; check the path."
    case ENOTDIR: "\(attempt): a part of the path is not a folder; check the path."
    case EISDIR: "\(attempt): it is a folder; name a file."
    case EEXIST, ENOTEMPTY: "\(attempt): something of that name is in the way; move it away."
    case EACCES, EPERM: "\(attempt): permission denied; change its owner or permissions."
    case EROFS: "\(attempt): the disk is mounted read-only; choose another folder."
    case ENOSPC: "\(attempt): the disk is full; free some space."
    case EDQUOT: "\(attempt): the disk quota is used up; free some space."
    case EFBIG: "\(attempt): it is larger than the limit; raise the limit or use a smaller file."
    case ENOMEM: "\(attempt): no memory or addresses are left; raise the limit (ulimit -v)."
    case EMFILE, ENFILE: "\(attempt): too many files are open; raise the limit (ulimit -n)."
    case ENAMETOOLONG: "\(attempt): the path is too long; shorten it."
    case EINVAL where operation == "lock", ENOLCK:
      "\(attempt): its disk has no locks for files; choose a folder on another disk."
    case EINVAL: "\(attempt): it is not an ordinary file; name an ordinary file."
    default: "\(attempt): \(Self.reason(code)) (error \(code)); check the disk."
    }
  }

  private static func reason(_ code: CInt) -> String {
    // strerror(3) may share its buffer between threads; strerror_r writes into this one.
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let start = buffer.baseAddress, strerror_r(code, start, buffer.count) == 0 else {
        return "system error"
      }
      return String(cString: start)
    }
  }
}
