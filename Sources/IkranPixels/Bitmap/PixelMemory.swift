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
    // No bitmap is empty, so the buffer has an address.
    guard let base = bytes.baseAddress else { preconditionFailure("Lent memory has an address.") }
    start = UnsafeMutableRawPointer(mutating: base)
    byteCount = bytes.count
    self.lender = lender
  }

  /// Whether somebody else owns the memory.
  var isLent: Bool { lender != nil }

  deinit {
    if !isLent { ikran_free(start) }
  }
}
