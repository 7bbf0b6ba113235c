import IkranCodecs
import IkranPixels
import TestBasics
import Testing

@Suite(.timeLimit(.minutes(10))) struct EncodingTests {
  /// 23×17: soft colours, and alpha from clear to opaque in formats with alpha.
  private func picture(_ format: PixelFormat) throws -> Bitmap {
    var canvas = try Canvas(size: PixelSize(width: 23, height: 17), format: .bgra)
    let rowBytes = canvas.bytesPerRow
    canvas.withMutableBytes { bytes in
      for y in 0..<17 {
        for x in 0..<23 {
          let alpha = format.hasAlpha ? min(255, x * 16) : 255
          let color = [y * 15, x * 11, 200 - x * y / 2]
          for channel in 0..<3 {
            bytes[y * rowBytes + x * 4 + channel] = UInt8(color[channel] * alpha / 255)
          }
          bytes[y * rowBytes + x * 4 + 3] = UInt8(alpha)
        }
      }
    }
    return try canvas.finish().converted(to: format)
  }

  @Test(arguments: PixelFormat.allCases, [ImageEncoding.png, .webpLossless, .bmp])
  func losslessCodingKeepsThePixels(_ format: PixelFormat, _ encoding: ImageEncoding)
    throws
  {
    let original = try picture(format)
    let decoded = try outcome(of: original.encoded(as: encoding)).get()
    #expect(decoded.format == (format.hasAlpha ? .bgra : .bgrx))
    #expect(try decoded.straightRGBA() == original.straightRGBA())
  }

  @Test(arguments: [ImageEncoding.jpeg(quality: 95), .webp(quality: 95)])
  func lossyCodingStaysClose(_ encoding: ImageEncoding) throws {
    let original = try picture(.bgrx)
    let decoded = try outcome(of: original.encoded(as: encoding)).get()
    #expect(decoded.size == original.size)
    #expect(decoded.distance(to: original) <= 24)
  }

  @Test func lessQualityIsSmaller() throws {
    let original = try picture(.bgrx)
    let fine = try original.encoded(as: .jpeg(quality: 95)).count
    #expect(try original.encoded(as: .jpeg(quality: 20)).count < fine)
    let soft = try original.encoded(as: .webp(quality: 95)).count
    #expect(try original.encoded(as: .webp(quality: 20)).count < soft)
  }

  @Test(
    arguments: [
      (ImageEncoding.jpeg(quality: 95), ImageEncoding.jpeg(quality: 1)),
      (.webp(quality: 95), .webp(quality: 0)),
    ]
  )
  func underALimitTheBestQualityThatFitsIsTaken(_ encoding: ImageEncoding, _ lowest: ImageEncoding)
    throws
  {
    let original = try picture(.bgrx)
    let finest = try original.encoded(as: encoding)
    let least = try original.encoded(as: lowest).count
    #expect(try original.encoded(as: encoding, maximumBytes: finest.count) == finest)
    var sizes: [Int] = []
    for limit in stride(from: finest.count - 1, to: least, by: -7) {
      let bytes = try original.encoded(as: encoding, maximumBytes: limit)
      #expect(bytes.count <= limit)
      sizes.append(bytes.count)
    }
    #expect(sizes == sizes.sorted(by: >))
    #expect(Set(sizes).count > 4)
  }

  @Test(arguments: [ImageEncoding.jpeg(), .webp(), .png, .webpLossless, .gif, .bmp])
  func whatCannotBeSoSmallIsRefused(_ encoding: ImageEncoding) throws {
    let original = try picture(.bgra)
    do throws(EncodeError) {
      _ = try original.encoded(as: encoding, maximumBytes: 20)
      Issue.record("it fitted")
    } catch {
      guard case .overLimit(encoding.format, let bytes, 20) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(bytes > 20)
      #expect(error.description.contains("over the limit of 20"))
    }
  }

  @Test func alphaBecomesWhiteInJPEG() throws {
    let clear = try Canvas(size: PixelSize(width: 16, height: 16), format: .bgra).finish()
    let decoded = try outcome(of: clear.encoded(as: .jpeg())).get()
    #expect(decoded.pixels[8][8] == Pixel(255, 255, 255))
  }

  @Test func grayStaysOneChannel() throws {
    let bytes = try picture(.gray).encoded(as: .png)
    // IHDR's colour type.
    #expect(bytes[25] == 0)
  }

  @Test(arguments: [(ImageEncoding.webp(), 16_384), (.jpeg(), 65_501)])
  func aSideTheFormatCannotStoreIsRefused(_ file: (encoding: ImageEncoding, side: Int)) throws {
    let size = PixelSize(width: file.side, height: 1)
    let long = try Canvas(size: size, format: .gray).finish()
    let error = EncodeError.tooLarge(file.encoding.format, size, largestSide: file.side - 1)
    #expect(throws: error) { try long.encoded(as: file.encoding) }
  }
}
