import CIkranKernels

/// Owns numbered blocks of pixel memory and is called when a block is no longer referenced.
package protocol PixelOwner: AnyObject, Sendable {
  /// Called on any thread when a block is no longer referenced.
  func unpin(_ block: Int)
}

/// Pixel memory, freed with the last reference or owned by an object that it keeps alive.
package final class PixelMemory: @unchecked Sendable {  // immutable in a Bitmap, but for a flag
  private enum Owner {
    case itself
    case object(any AnyObject & Sendable)
    case pinned(any PixelOwner, block: Int)
  }

  package let start: UnsafeMutableRawPointer
  package let byteCount: Int
  private let owner: Owner
  /// Allocates 64-byte aligned, uninitialised memory.
  package init(byteCount: Int) throws(BitmapError) {
    // One byte more, for the flag of `isRecallable`.
    guard byteCount < .max, let start = ikran_aligned_alloc(byteCount + 1) else {
      throw .outOfMemory(bytes: byteCount)
    }
    ikran_flag_clear(start + byteCount)
    self.start = start
    self.byteCount = byteCount
    owner = .itself
  }

  /// Wraps memory that `owner` keeps valid and unchanged for as long as it lives.
  package init(lent bytes: UnsafeRawBufferPointer, by owner: any AnyObject & Sendable) {
    // No bitmap is empty, so the buffer has an address.
    guard let base = bytes.baseAddress else { preconditionFailure("Lent memory has an address.") }
    start = UnsafeMutableRawPointer(mutating: base)
    byteCount = bytes.count
    self.owner = .object(owner)
  }

  /// Wraps a block, and calls its owner when the last reference is gone.
  package init(
    start: UnsafeMutableRawPointer,
    byteCount: Int,
    ownedBy owner: any PixelOwner,
    block: Int
  ) {
    self.start = start
    self.byteCount = byteCount
    self.owner = .pinned(owner, block: block)
  }

  /// Makes sure that the pixels never change in place, because a weak reference could return them
  /// while they change.
  package func makeRecallable() { if !isLent { ikran_flag_set(start + byteCount) } }

  /// Whether pixels with a single reference may change in place.
  var mayChange: Bool { !isLent && !ikran_flag(start + byteCount) }

  /// Whether another object owns the memory.
  private var isLent: Bool {
    if case .itself = owner { false } else { true }
  }

  deinit {
    switch owner {
    case .itself: ikran_free(start)
    case .object: break
    case .pinned(let owner, let block): owner.unpin(block)
    }
  }
}
