import CIkranKernels

extension Bitmap {
  /// The rows that ``copyRows(to:seed:)`` writes have this many bytes at least; for fewer, XXH3 has
  /// other forms.
  package static let fewestCheckedBytes = 241

  /// Copies all rows and computes their checksum in the same pass.
  ///
  /// - Parameters:
  ///   - target: Where the rows go, each followed by zeros up to a multiple of 64 bytes; nil
  ///     computes the checksum that the copy would have.
  ///   - seed: Other seeds give other checksums.
  /// - Returns: XXH3 of the copy, 64 bits (xxHash specification, version 0.2.0).
  /// - Precondition: The copy has at least ``fewestCheckedBytes``.
  package func copyRows(to target: UnsafeMutableRawPointer?, seed: UInt64) -> UInt64 {
    withUnsafeBytes { bytes in
      Self.copyRows(
        of: bytes,
        bytesPerRow: bytesPerRow,
        used: width * format.bytesPerPixel,
        count: height,
        to: target,
        seed,
        simd: ikran_has_simd()
      )
    }
  }

  /// XXH3 of memory, 64 bits.
  ///
  /// - Precondition: It has at least ``fewestCheckedBytes``.
  package static func checksum(of bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
    checksum(of: bytes, seed: seed, simd: ikran_has_simd())
  }

  static func checksum(of bytes: UnsafeRawBufferPointer, seed: UInt64, simd: Bool) -> UInt64 {
    precondition(bytes.count >= fewestCheckedBytes, "XXH3 has another form for so few bytes.")
    guard let start = bytes.baseAddress else { return 0 }
    return ikran_checksum(start.assumingMemoryBound(to: UInt8.self), bytes.count, seed, simd)
  }

  static func copyRows(
    of bytes: UnsafeRawBufferPointer,
    bytesPerRow: Int,
    used: Int,
    count: Int,
    to target: UnsafeMutableRawPointer?,
    _ seed: UInt64,
    simd: Bool
  ) -> UInt64 {
    let copied = ((used + 63) & ~63) * count
    precondition(copied >= fewestCheckedBytes, "XXH3 has another form for so few bytes.")
    guard let source = bytes.baseAddress else { return 0 }
    return ikran_checksum_rows(
      source.assumingMemoryBound(to: UInt8.self),
      bytesPerRow,
      used,
      count,
      target?.assumingMemoryBound(to: UInt8.self),
      seed,
      simd
    )
  }
}
