import CIkranKernels

/// Uninitialised, 64-byte aligned working memory, freed with its last reference.
final class ScratchMemory {
  let start: UnsafeMutableRawPointer
  let byteCount: Int

  init(byteCount: Int) throws(BitmapError) {
    guard let start = ikran_aligned_alloc(byteCount) else { throw .outOfMemory(bytes: byteCount) }
    self.start = start
    self.byteCount = byteCount
  }

  deinit { ikran_free(start, byteCount) }
}
