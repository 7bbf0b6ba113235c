public import IkranPixels
import IkranSystem

/// Why an operation on an image table failed.
///
/// A missing, stale or damaged entry is no error: it reads as nil.
@nonexhaustive
public enum TableError: Error, Hashable, Sendable {
  /// The format describes no possible table.
  case invalidFormat(reason: String)
  /// The picture has another size than the table's.
  case wrongSize(PixelSize, expected: PixelSize)
  /// No memory for a converted picture.
  case bitmap(BitmapError)
  /// The disk, the quota or the file size limit is used up; what was stored before is still there.
  case full(path: String)
  /// The file or its folder may not be written.
  case readOnly(path: String)
  /// The file is something else, and is left alone.
  case notATable(path: String)
  /// The table was made by another version, or on a machine of another byte order.
  case otherVersion(path: String)
  /// The table's header is damaged.
  case damaged(path: String, reason: String)
  /// As many processes as possible have the table open.
  case tooManyProcesses(path: String)
  /// The table is suspended: see ``ImageTable/suspend()``.
  case suspended(path: String)
  /// Another system call failed.
  case system(SystemError)

  /// Other processes replace the file again and again.
  static func replacedTooOften(_ path: String) -> TableError {
    .system(.tryAgain("open", path))
  }

  /// The process cannot map all of the file.
  static func lacksAddresses(_ path: String) -> TableError {
    .system(.noAddresses("map", path))
  }

  /// Sorts a failed system call by what its user can do about it.
  init(_ error: SystemError) {
    self =
      if error.isFull {
        .full(path: error.path)
      } else if error.isReadOnly {
        .readOnly(path: error.path)
      } else {
        .system(error)
      }
  }
}

extension TableError: CustomStringConvertible {
  /// One sentence that says what failed and what to do.
  public var description: String {
    switch self {
    case .invalidFormat(let reason): "This is no format of an image table: \(reason)."
    case .wrongSize(let size, let expected):
      "An image of \(size) pixels does not fit a table of \(expected); resize it first."
    case .bitmap(let error): "\(error)."
    case .full(let path):
      "There is no room left to write \(path); free some space or lower the table's limit."
    case .readOnly(let path):
      "\(path) may not be written; choose a folder that this user may write to."
    case .notATable(let path):
      "\(path) is not an image table; it is left alone, so choose another path."
    case .otherVersion(let path):
      "\(path) was made by another version or machine; remove it and it is made again."
    case .damaged(let path, let reason):
      "\(path) is damaged (\(reason)); remove it and it is made again."
    case .tooManyProcesses(let path):
      "\(path) is open \(TableHeader.processCount) times already; close it elsewhere."
    case .suspended(let path):
      "\(path) is not used while it is suspended; call resume() first."
    case .system(let error): error.description
    }
  }
}
