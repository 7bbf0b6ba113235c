import IkranPixels
import Testing

@testable import IkranStores

struct TableAddressTests {
  /// A sparse file takes no disk space and may have any length.
  @Test(arguments: [0, 1 << 20, 1 << 44, 1 << 62, .max])
  func aFileOfAnyLengthGetsAValidMappingSize(length: Int) throws {
    let large = PixelSize(width: 32_768, height: 32_768)
    for size in [PixelSize(width: 1, height: 1), large] {
      let layout = try TableLayout(size: size, pixels: .bgra)
      for slots in [1, 1 << 32, .max] {
        let (wanted, minimum) = TableOpening.addresses(layout, slots: slots, fileByteCount: length)
        #expect(wanted >= minimum && minimum >= min(length, 1 << 61))
        #expect(wanted % 4096 == 0 && minimum % 4096 == 0)
      }
    }
  }
}
