import CIkranKernels

/// Owns numbered blocks of pixel memory and is called when a block is no longer referenced.
package protocol PixelOwner: AnyObject, Sendable {
  /// Called on any thread when a block is no longer referenced; ends the reference to the owner
  /// that came with the block, and may be the last one to use it.
  ///
  /// Not a method of the owner: the call would retain and release it, which took 15 of the 150 ns
  /// of `table.get`.
  static func unpin(_ block: Int, of owner: Unmanaged<AnyObject>)
}

/// Pixel memory, freed with the last reference or owned by an object that it keeps alive.
package final class PixelMemory: @unchecked Sendable {  // immutable in a Bitmap, but for a flag
  /// What frees the memory.
  private enum Owner {
    case itself
    case object(Unmanaged<AnyObject>)
    case pinned(Unmanaged<AnyObject>, any PixelOwner.Type, block: Int)
  }

  /// Gives the system back the memory of pictures that are gone, and what the C library's allocator
  /// has not given back of all else that was freed in this process.
  package static func releaseFreeMemory() { ikran_release_free_memory() }

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
    self.owner = .object(.passRetained(owner))
  }

  /// Wraps a block, and calls its owner when the last reference is gone.
  ///
  /// The caller has counted a reference to the owner, in any way; `unpin` of its type ends it.
  package init(
    start: UnsafeMutableRawPointer,
    byteCount: Int,
    ownedBy owner: Unmanaged<AnyObject>,
    _ kind: any PixelOwner.Type,
    block: Int
  ) {
    self.start = start
    self.byteCount = byteCount
    self.owner = .pinned(owner, kind, block: block)
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
    case .itself: ikran_free(start, byteCount + 1)
    case .object(let owner): owner.release()
    case .pinned(let owner, let kind, let block): kind.unpin(block, of: owner)
    }
  }
}
