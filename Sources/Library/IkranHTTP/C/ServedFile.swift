import CMicroHTTPD
import IkranSystem

/// A folder whose regular files can be read, but nothing outside it.
package struct RealFolder: Sendable {
  /// The real path: absolute, without links.
  package let path: String

  /// Finds the folder.
  ///
  /// C functions: realpath, stat.
  package init(path: String) throws(FolderError) {
    var code: CInt = 0
    let real = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      code = path.withPath { ikran_real_folder($0, buffer.baseAddress) }
      return code == 0 ? buffer.baseAddress.map { String(path: $0) } : nil
    }
    guard let real else { throw FolderError(path: path, code: -code) }
    self.path = real
  }

  /// Opens a regular file inside the folder; nil for everything else, including links to the
  /// outside.
  package func open(_ relativePath: String) -> ServedFile? {
    var file = ikran_file()
    let code = path.withPath { path in
      relativePath.withPath { ikran_open_beneath(path, $0, &file) }
    }
    guard code == 0 else { return nil }
    return ServedFile(file)
  }
}

/// The folder does not exist, is no folder or may not be read.
package struct FolderError: Error, Sendable, Hashable, CustomStringConvertible {
  /// As it was given.
  package let path: String
  /// The error's number, errno's.
  package let code: CInt

  /// One sentence that says what to do.
  package var description: String {
    "the folder “\(path)” cannot be read (errno \(code)); name a folder that exists"
  }
}

/// An open regular file, closed with the last reference.
package final class ServedFile: Sendable {
  /// In bytes.
  package let size: Int
  /// Seconds since 1970.
  package let modified: Int
  /// Changes when the file does: inode, time to the nanosecond and size.
  package let tag: String
  private let descriptor: CInt

  fileprivate init(_ file: ikran_file) {
    descriptor = file.descriptor
    size = Int(file.size)
    modified = Int(file.modified_seconds)
    let nanoseconds = String(file.modified_nanoseconds, radix: 16)
    tag =
      "\"\(String(file.inode, radix: 16))-\(String(modified, radix: 16)).\(nanoseconds)"
      + "-\(String(size, radix: 16))\""
  }

  deinit { ikran_close(descriptor) }

  /// The first bytes of the file, at most `count`.
  package func prefix(_ count: Int) -> [UInt8] {
    Array(unsafeUninitializedCapacity: count) { buffer, initialized in
      initialized = max(0, copy(from: 0, into: UnsafeMutableRawBufferPointer(buffer)))
    }
  }

  /// Reads bytes from `offset` on into `buffer`; 0 at the end, negative when reading fails.
  package func copy(from offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    ikran_read_at(descriptor, buffer.baseAddress, buffer.count, Int64(offset))
  }

  /// A response that lets the kernel send `part`; it owns a duplicate of the descriptor.
  package func response(_ part: Range<Int>) -> OpaquePointer? {
    let copy = ikran_duplicate(descriptor)
    guard copy >= 0 else { return nil }
    let response = MHD_create_response_from_fd_at_offset64(
      UInt64(part.count),
      copy,
      UInt64(part.lowerBound)
    )
    if response == nil { ikran_close(copy) }
    return response
  }
}
