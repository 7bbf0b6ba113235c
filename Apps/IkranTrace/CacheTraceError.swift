public import IkranSystem

/// Why a trace cannot be written or read.
@nonexhaustive
public enum CacheTraceError: Error, Sendable, Hashable {
  /// A system call failed.
  case file(SystemError)
  /// A line is invalid; lines count from 1.
  case badLine(path: String, line: Int, reason: String)
  /// The file has a version that this program does not support.
  case unknownVersion(path: String)
}

extension CacheTraceError: CustomStringConvertible {
  /// One sentence that says what failed and what to do.
  public var description: String {
    switch self {
    case .file(let error): error.description
    case .badLine(let path, let line, let reason):
      "\(path) is no cache trace: line \(line) \(reason); record it again, or remove the line."
    case .unknownVersion(let path):
      "\(path) is a cache trace of a newer version; use the ikran that wrote it."
    }
  }
}
