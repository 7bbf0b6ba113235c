import Glibc

/// Shows whether this process is a fork of the one that made the marker.
final class ForkMarker: @unchecked Sendable {  // written by `init` alone
  private let page: UnsafeMutableRawPointer
  private static let byteCount = sysconf(CInt(_SC_PAGESIZE))

  /// Makes a marker, which takes up a page of memory.
  ///
  /// C functions: `mmap`, `madvise`.
  init() throws(SystemError) {
    let flags = MAP_PRIVATE | MAP_ANONYMOUS
    let address = mmap(nil, Self.byteCount, PROT_READ | PROT_WRITE, flags, -1, 0)
    guard let address, address != UnsafeMutableRawPointer(bitPattern: -1) else {
      throw .last("reserve", "memory")
    }
    page = address
    page.storeBytes(of: 1, as: UInt64.self)
    // A fork gets a page of zeros. Before Linux 4.14 forks are not noticed.
    madvise(page, Self.byteCount, Self.wipeOnFork)
  }

  // Glibc's module has no `MADV_WIPEONFORK`.
  private static let wipeOnFork: CInt = 18

  deinit { munmap(page, Self.byteCount) }

  /// Whether the process was forked after the marker was made; one load of memory.
  @inline(__always)
  var isForked: Bool { page.load(as: UInt64.self) == 0 }
}
