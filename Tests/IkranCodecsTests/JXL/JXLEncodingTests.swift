#if JXL
import IkranCodecs
import IkranPixels
import TestBasics
import Testing

@Suite(.timeLimit(.minutes(10))) struct JXLEncodingTests {
  /// A picture of waves; with alpha its left edge is clear.
  private func picture(
    _ format: PixelFormat,
    width: Int = 37,
    height: Int = 23,
    phase: Int = 0
  ) throws -> Bitmap {
    var canvas = try Canvas(size: PixelSize(width: width, height: height), format: format)
    let bytesPerRow = canvas.bytesPerRow
    canvas.withMutableBytes { bytes in
      for y in 0..<height {
        for x in 0..<width {
          let alpha = format.hasAlpha ? min(255, x * 16) : 255
          let place = y * bytesPerRow + x * 4
          for channel in 0..<3 {
            let value = (x * 5 + y * (channel + 2) * 3 + phase * 40) % 256
            bytes[place + channel] = UInt8(value * alpha / 255)
          }
          bytes[place + 3] = UInt8(alpha)
        }
      }
    }
    return canvas.finish()
  }

  @Test(arguments: [PixelFormat.bgrx, .bgra])
  func aLosslessPictureIsReadAsItWas(_ format: PixelFormat) throws {
    let picture = try picture(format)
    for effort in [1, 3, 7] {
      let file = try picture.encoded(as: .jpegXLLossless(effort: effort))
      #expect(ImageFormat(of: file) == .jpegXL)
      let again = try outcome(of: file).get()
      #expect(again.format == format)
      #expect(again.distance(to: picture) <= (format.hasAlpha ? 1 : 0))
    }
  }

  @Test func aFileOfLowerQualityIsSmaller() throws {
    let picture = try picture(.bgrx, width: 200, height: 150)
    let sizes = try [95, 80, 50, 10].map { quality in
      let file = try picture.encoded(as: .jpegXL(quality: quality, effort: 3))
      #expect(try outcome(of: file).get().size == picture.size)
      return file.count
    }
    #expect(sizes == sizes.sorted(by: >))
    let limit = sizes[2]
    let small = try picture.encoded(as: .jpegXL(quality: 95, effort: 3), maximumBytes: limit)
    #expect(small.count <= limit)
  }

  @Test func eachEffortMakesAnotherFileOfTheSamePicture() throws {
    let picture = try picture(.bgrx, width: 200, height: 150)
    let efforts = [1, 3, 5, 7]
    let exact = try efforts.map { try picture.encoded(as: .jpegXLLossless(effort: $0)) }
    #expect(Set(exact).count == efforts.count)
    #expect(exact[3].count < exact[0].count)
    for file in exact { #expect(try outcome(of: file).get().pixels == picture.pixels) }
    let near = try efforts.map { try picture.encoded(as: .jpegXL(quality: 90, effort: $0)) }
    #expect(Set(near).count == efforts.count)
    for file in near {
      let again = try outcome(of: file).get()
      try #require(again.size == picture.size)
      #expect(BothDecoders.meanDistance(again, picture) < 24)
    }
  }

  @Test func lossyPicturesKeepTheirAlpha() throws {
    let picture = try picture(.bgra)
    let again = try outcome(of: picture.encoded(as: .jpegXL(quality: 90, effort: 3))).get()
    #expect(again.format == .bgra)
    let alphas = zip(again.pixels.joined(), picture.pixels.joined()).map { pair in
      abs(Int(pair.0.alpha) - Int(pair.1.alpha))
    }
    #expect((alphas.max() ?? 255) < 24)
  }

  @Test(arguments: [ImageEncoding.jpegXLLossless(effort: 1), .jpegXL(quality: 90, effort: 3)])
  func framesAreReadAsTheyWere(_ encoding: ImageEncoding) throws {
    let pictures = try (1...3).map { try picture(.bgrx, width: 20, height: 10, phase: $0) }
    let encoder = try AnimationEncoder(
      encoding,
      size: pictures[0].size,
      plays: 2,
      hasAlpha: false
    )
    for (number, frame) in pictures.enumerated() {
      try encoder.add(frame, duration: 40 + number * 10)
    }
    let file = try encoder.finish()
    let source = try animation(file)
    #expect(source.info.frames.map(\.duration) == [40, 50, 60])
    #expect(source.info.plays == 2)
    #expect(source.info.isComplete)
    guard case .jpegXLLossless = encoding else { return }
    for (frame, wanted) in zip(try source.composed(), pictures) {
      #expect(frame.pixels == wanted.pixels)
    }
  }

  @Test func aFileThatIsCutOffShowsItsMeans() throws {
    let picture = try picture(.bgrx, width: 700, height: 500)
    let file = try picture.encoded(as: .jpegXL(quality: 90, effort: 3))
    let part = Array(file[..<(file.count / 2)])
    #expect(failure(of: part) == .truncated(.jpegXL, offset: part.count))
    let beginning = try outcome(of: part, by: DecodeRules(acceptsCutFiles: true)).get()
    #expect(beginning.notes == [.cut(rows: 500, height: 500)])
    let lossless = try picture.encoded(as: .jpegXLLossless(effort: 1))
    let half = Array(lossless[..<(lossless.count / 2)])
    let result = outcome(of: half, by: DecodeRules(acceptsCutFiles: true))
    #expect(throws: DecodeError.truncated(.jpegXL, offset: half.count)) { try result.get() }
  }
}
#endif
