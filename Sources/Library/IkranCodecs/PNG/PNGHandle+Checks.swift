import IkranPixels

extension PNGHandle {
  /// Bytes that an interlaced picture may take before it is reduced while it is read.
  static let bytesInFull = 64 << 20

  /// Compares a chunk's checksum with its bytes; the chunk lies within `bytes`.
  ///
  /// - Throws: ``DecodeError/malformed(_:offset:reason:)`` when they differ.
  static func check(_ bytes: Span<UInt8>, _ chunk: Range<Int>) throws(DecodeError) {
    let end = chunk.upperBound - 4
    let sum = InflateHandle.crc32(bytes.extracting(chunk.lowerBound + 4..<end))
    guard bytes.bigEndian32(at: end) == sum else {
      throw .malformed(.png, offset: end, reason: "a chunk's checksum is wrong")
    }
  }
}
