import IkranPOSIX
import IkranSystem

/// Zero-filled memory of which only written pages take up RAM.
package final class ReservedMemory: @unchecked Sendable {  // immutable; users synchronize the bytes
  package let start: UnsafeMutableRawPointer
  private let byteCount: Int

  /// Reserves addresses.
  ///
  /// C function: `mmap`.
  package init(byteCount: Int) throws(SystemError) {
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    let address = mmap(nil, byteCount, PROT_READ | PROT_WRITE, flags, -1, 0)
    guard let address, address != UnsafeMutableRawPointer(bitPattern: -1) else {
      throw .last("reserve", "memory")
    }
    start = address
    self.byteCount = byteCount
  }

  deinit { munmap(start, byteCount) }
}
