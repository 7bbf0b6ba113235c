import CMicroHTTPD

/// Immutable bytes at a fixed address, so that libmicrohttpd can send them without a copy.
package final class BodyBytes: @unchecked Sendable {  // immutable after init
  /// How many there are.
  package let count: Int
  private let start: UnsafeMutablePointer<UInt8>

  /// Copies bytes there.
  package init(_ bytes: [UInt8]) {
    count = bytes.count
    start = UnsafeMutablePointer.allocate(capacity: max(1, bytes.count))
    bytes.withUnsafeBufferPointer { source in
      guard let first = source.baseAddress else { return }
      start.initialize(from: first, count: source.count)
    }
  }

  deinit { start.deallocate() }

  /// A copy of all of them.
  package var bytes: [UInt8] { Array(UnsafeBufferPointer(start: start, count: count)) }

  /// Copies bytes from `offset` on into `buffer` and returns how many there were.
  package func copy(from offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let length = min(buffer.count, max(0, count - offset))
    guard length > 0, let target = buffer.baseAddress else { return 0 }
    target.copyMemory(from: start + offset, byteCount: length)
    return length
  }

  /// A response that sends `part` from here; it keeps these bytes alive until it is destroyed.
  package func response(_ part: Range<Int>) -> OpaquePointer? {
    let owner = Unmanaged.passRetained(self)
    let response = MHD_create_response_from_buffer_with_free_callback_cls(
      part.count,
      start + part.lowerBound,
      releaseBody,
      owner.toOpaque()
    )
    if response == nil { owner.release() }
    return response
  }
}

private func releaseBody(_ owner: UnsafeMutableRawPointer?) {
  guard let owner else { return }
  Unmanaged<BodyBytes>.fromOpaque(owner).release()
}
