#if JXL
import IkranPixels

/// Memory that a decoder of libjxl writes a picture to.
///
/// It is a class because libjxl calls it back.
final class JXLOutput {
  let pixels: UnsafeMutableRawBufferPointer
  /// What samples of 16 bits become; nil for bytes as they come.
  let levels: SampleLevels?
  private let size: PixelSize
  private let bytesPerRow: Int

  init(
    _ pixels: UnsafeMutableRawBufferPointer,
    _ size: PixelSize,
    bytesPerRow: Int,
    levels: SampleLevels?
  ) {
    (self.pixels, self.size, self.bytesPerRow, self.levels) = (pixels, size, bytesPerRow, levels)
  }

  /// Takes a part of a row: red, green, blue and alpha of 16 bits, the high byte first.
  func take(_ samples: UnsafeRawPointer, count: Int, x: Int, y: Int) {
    guard x >= 0, count > 0, x <= size.width, count <= size.width - x, y >= 0, y < size.height,
      let start = pixels.baseAddress, y * bytesPerRow + (x + count) * 4 <= pixels.count
    else { return }
    let target = start + y * bytesPerRow + x * 4
    levels?.expand(
      samples.assumingMemoryBound(to: UInt8.self),
      channels: 4,
      clear: [],
      width: count,
      into: target.assumingMemoryBound(to: UInt8.self)
    )
  }
}

extension Canvas {
  /// Makes BGRA of red, green, blue and alpha.
  mutating func exchangeRedAndBlue() {
    let (size, bytesPerRow) = (size, bytesPerRow)
    withUnsafeMutableBytes { bytes in
      for y in 0..<size.height {
        let start = y * bytesPerRow
        let row = UnsafeMutableRawBufferPointer(
          rebasing: bytes[start..<start + size.width * 4]
        )
        row.withMemoryRebound(to: UInt32.self) { words in
          for index in words.indices {
            let word = UInt32(littleEndian: words[index])
            let turned = word & 0xFF00_FF00 | (word & 0xFF) << 16 | word >> 16 & 0xFF
            words[index] = turned.littleEndian
          }
        }
      }
    }
  }

  /// Multiplies colours by their alpha.
  mutating func multiplyByAlpha() {
    let (size, bytesPerRow) = (size, bytesPerRow)
    withUnsafeMutableBytes { premultiply($0, size, bytesPerRow: bytesPerRow) }
  }

  /// Keeps colours from being more than their alpha allows.
  mutating func limitToAlpha() {
    let (size, bytesPerRow) = (size, bytesPerRow)
    withUnsafeMutableBytes { bytes in
      for y in 0..<size.height {
        for place in stride(from: y * bytesPerRow, to: y * bytesPerRow + size.width * 4, by: 4) {
          let alpha = bytes[place + 3]
          for channel in place..<place + 3 where bytes[channel] > alpha { bytes[channel] = alpha }
        }
      }
    }
  }
}
#endif
