import IkranPixels
import TestBasics
import Testing

/// Rows of red, green and blue become pixels.
@Suite struct RGBRowTests {
  @Test(arguments: [true, false])
  func eachPixelIsTurnedAndNoByteBeyondTheRowIsRead(usesSIMD: Bool) {
    for width in 0...70 {
      let row = (0..<width * 3).map { UInt8(($0 * 37 + width) & 255) }
      var pixels = [UInt8](repeating: 7, count: width * 4 + 1)
      // Exact memory: AddressSanitizer sees a byte too many.
      row.withUnsafeBufferPointer { row in
        pixels.withUnsafeMutableBufferPointer { pixels in
          guard let from = row.baseAddress, let target = pixels.baseAddress else { return }
          expandRGB(from, width: width, into: target, usesSIMD: usesSIMD)
        }
      }
      let expected: [UInt8] = (0..<width).flatMap { x -> [UInt8] in
        let color = row[x * 3..<x * 3 + 3]
        return color.reversed() + [255]
      }
      #expect(pixels == expected + [7], "\(width)")
    }
  }
}
