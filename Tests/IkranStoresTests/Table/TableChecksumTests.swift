import Support
import Testing

@testable import IkranPixels

/// XXH3 of a table's pictures.
@Suite struct TableChecksumTests {
  /// Rounds of bytes, and values of the xxHash library, version 0.8.1.
  struct Known: Sendable {
    let count: Int
    let factor: Int
    let modulus: Int
    let seed: UInt64
    let checksum: UInt64
  }

  private static let known = [
    Known(count: 256, factor: 0, modulus: 256, seed: 0, checksum: 0xA68D_FBB1_D75C_6E8D),
    Known(count: 256, factor: 1, modulus: 256, seed: .max, checksum: 0xB572_A71C_A2BA_E1E8),
    Known(count: 1024, factor: 7, modulus: 251, seed: 7, checksum: 0xDD78_4351_EB6B_AEAD),
    Known(count: 4096, factor: 1, modulus: 256, seed: 0, checksum: 0xEB4B_7C37_0787_9151),
  ]

  @Test(arguments: known) func checksumsAreThoseOfXXH3(known: Known) {
    let bytes = (0..<known.count).map { UInt8($0 * known.factor % known.modulus) }
    bytes.withUnsafeBytes { bytes in
      #expect(Bitmap.checksum(of: bytes, seed: known.seed) == known.checksum)
    }
  }

  /// The padding is zero, whatever follows the rows in the bitmap.
  @Test(arguments: [1, 3, 44, 63, 64, 65, 127, 128, 300, 1000], [4, 5, 17, 64])
  func aCopyHasItsChecksumWithAndWithoutSIMD(used: Int, rows: Int) {
    let (stride, padded) = (used + used % 7, (used + 63) & ~63)
    var generator = SeededGenerator(seed: UInt64(used * 100 + rows))
    let source = (0..<stride * rows).map { _ in UInt8.random(in: 0...255, using: &generator) }
    var expected = [UInt8](repeating: 0, count: padded * rows)
    for row in 0..<rows {
      for x in 0..<used { expected[row * padded + x] = source[row * stride + x] }
    }
    let checksum = expected.withUnsafeBytes { Bitmap.checksum(of: $0, seed: 5) }
    for simd in [false, Workspace().usesSIMD] {
      var copy = [UInt8](repeating: 0xAA, count: padded * rows)
      let sum = copy.withUnsafeMutableBytes { copy in
        source.withUnsafeBytes { source in
          Bitmap.copyRows(
            of: source,
            bytesPerRow: stride,
            used: used,
            count: rows,
            to: copy.baseAddress,
            5,
            simd: simd
          )
        }
      }
      #expect(copy == expected)
      #expect(sum == checksum)
    }
  }
}
