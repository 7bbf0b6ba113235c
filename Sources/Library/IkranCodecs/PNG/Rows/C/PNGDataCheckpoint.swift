import CIkranZlib

/// A place in the data of a PNG file, with what is needed to inflate from there on.
final class PNGDataCheckpoint: @unchecked Sendable {  // The inflater is never run, only copied.
  /// Bytes that one takes.
  static let byteCount = ikran_inflate_size()

  private let inflater: OpaquePointer
  /// What is left of the current chunk, and where the next one begins.
  let input: Range<Int>
  let nextChunk: Int

  /// Copies an inflater; nil without memory.
  init?(_ inflater: OpaquePointer, input: Range<Int>, nextChunk: Int) {
    guard let copy = ikran_inflate_copy(inflater) else { return nil }
    (self.inflater, self.input, self.nextChunk) = (copy, input, nextChunk)
  }

  deinit { ikran_inflate_close(inflater) }

  /// An inflater at that place, which the caller closes; nil without memory.
  func makeInflater() -> OpaquePointer? { ikran_inflate_copy(inflater) }
}
