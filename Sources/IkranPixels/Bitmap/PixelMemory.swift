import CIkranKernels

/// A block of pixel memory: ours, freed with the last reference, or lent by an owner it keeps alive.
package final class PixelMemory: @unchecked Sendable {  // immutable once a Bitmap holds it
  package let start: UnsafeMutableRawPointer
  package let byteCount: Int
  private let lender: (any AnyObject & Sendable)?

  /// Allocates 64-byte aligned, uninitialised memory.
  package init(byteCount: Int) throws(BitmapError) {
    guard let start = ikran_aligned_alloc(byteCount) else { throw .outOfMemory(bytes: byteCount) }
    self.start = start
    self.byteCount = byteCount
    lender = nil
  }

  /// Borrows memory that `lender` keeps valid and unchanged for as long as it lives.
  package init(lent bytes: UnsafeRawBufferPointer, by lender: any AnyObject & Sendable) {
    // An empty buffer has no address; any non-null pointer stands for it.
    start = UnsafeMutableRawPointer(mutating: bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 64)!)
    byteCount = bytes.count
    self.lender = lender
  }

  deinit {
    if lender == nil { ikran_free(start) }
  }
}
