/// Working memory of a painter, reused from frame to frame.
struct FrameScratch: ~Copyable {
  private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  init() {}

  deinit { memory.deallocate() }

  /// Memory for `count` bytes, valid until the next call; what was in it may be lost.
  mutating func bytes(_ count: Int) -> UnsafeMutableRawBufferPointer {
    if memory.count < count {
      memory.deallocate()
      memory = .allocate(byteCount: count, alignment: 64)
    }
    return UnsafeMutableRawBufferPointer(rebasing: memory[..<count])
  }
}
