import Glibc
import IkranStores

/// What other processes do while one has suspended its table.
extension TableTorture {
  /// Exits with an error if any process has a lock of a file: for a process that has opened none.
  ///
  /// It asks for the whole file, as the system would that ends a suspended program.
  static func findNoLock(_ path: String) throws {
    let file = open(path, O_RDWR)
    guard file >= 0 else { throw Failure(description: "\(path) cannot be opened") }
    defer { close(file) }
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    // F_OFD_GETLK.
    guard fcntl(file, 36, &lock) == 0 else { throw Failure(description: "\(path): errno \(errno)") }
    if Int32(lock.l_type) != F_UNLCK {
      throw Failure(description: "\(path) is locked from byte \(lock.l_start)")
    }
  }

  /// Replaces every picture by one of another version, adds as many as fit, and closes the table.
  static func changeAll(_ folder: String, version: UInt64) throws {
    var table = try ImageTable(at: folder, format: format)
    let present = try table.entries().map(\.id.idNumber)
    for id in present + (1000..<1100) {
      try apply(.put(id: id, version: version), to: &table, in: folder)
    }
    for id in present { try apply(.put(id: id, version: version), to: &table, in: folder) }
  }
}
