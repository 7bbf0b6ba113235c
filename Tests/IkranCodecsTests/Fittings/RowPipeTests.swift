import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// Large pictures are read, filtered and compressed row by row.
@Suite(.timeLimit(.minutes(10)))
struct RowPipeTests {
  /// A file of flat areas, noise and slopes in turn, without rows in memory.
  private static func file(_ size: PixelSize) throws -> [UInt8] {
    let writer = try PNGWriterHandle(size, .opaque)
    var random = SeededGenerator(seed: 9)
    let noise = (0..<size.width * 4 + 64).map { _ in UInt8.random(in: 0...255, using: &random) }
    for y in 0..<size.height {
      let row: [UInt8] =
        switch y / 50 % 3 {
        case 0: [UInt8](repeating: UInt8(y & 255), count: size.width * 4)
        case 1: Array(noise[(y & 15) * 4..<(y & 15) * 4 + size.width * 4])
        default: (0..<size.width * 4).map { UInt8(($0 / 16 + y) & 255) }
        }
      try row.span.withUnsafeBytes { (bytes) throws(EncodeError) in try writer.append(bytes) }
    }
    return try writer.finish()
  }

  /// Several pieces, of which some repeat nothing but runs.
  @Test(arguments: [1, 3, 4])
  func rowsThatAreCompressedWhileTheyComeAreTheSame(_ channels: Int) throws {
    let size = PixelSize(width: 2_000, height: 900)
    var random = SeededGenerator(seed: 3)
    let noise = (0..<4_096).map { _ in UInt8.random(in: 0...255, using: &random) }
    let pixels = (0..<size.width * size.height * channels).map { index in
      let y = index / (size.width * channels)
      return y / 150 % 2 == 0 ? noise[(index &* 31 + y) & 4_095] : UInt8(index / 40 & 255)
    }
    let kept = try PNGWriterHandle.write(pixels, size, channels: channels)
    let streamed = try PNGWriterHandle.write(pixels, size, channels: channels, largestRows: 0)
    #expect(streamed.count < kept.count * 11 / 10)
    let expected = try BothPNGReaders.libpngs(kept)
    #expect(BothPNGReaders.areSame(try BothPNGReaders.libpngs(streamed), expected))
    #expect(BothPNGReaders.areSame(try outcome(of: streamed).get(), expected))
  }

  @Test func anEmptyRowMoreOrLessIsNoMatter() throws {
    for height in [1, 2, 523, 524, 525] {
      // A piece has 524 rows of 2,001 bytes.
      let size = PixelSize(width: 2_000, height: height)
      let pixels = (0..<size.width * height).map { UInt8(truncatingIfNeeded: $0 / 7) }
      let file = try PNGWriterHandle.write(pixels, size, channels: 1, largestRows: 0)
      let kept = try PNGWriterHandle.write(pixels, size, channels: 1)
      #expect(try outcome(of: file).get().distance(to: outcome(of: kept).get()) == 0)
    }
  }

  @Test func aWriterThatBeginsAgainWritesTheSame() throws {
    let size = PixelSize(width: 40, height: 30)
    let picture = try Canvas(size: size, format: .bgrx).finish()
    for writer: any RowWriter in [
      try PNGWriterHandle(size, .opaque), try JPEGWriterHandle(size, .opaque, quality: 80),
    ] {
      try writer.append(picture)
      let first = try writer.finish()
      try writer.begin()
      let row = [UInt8](repeating: 99, count: 160)
      try row.span.withUnsafeBytes { (bytes) throws(EncodeError) in try writer.append(bytes) }
      try writer.begin()
      try writer.append(picture)
      #expect(try writer.finish() == first)
    }
  }

  @Test(.enabled(if: !Sanitizer.isOn, "sanitizers allocate in their own way"))
  func aLargePictureTakesNoMoreThanItsFiles() async {
    await #expect(processExitsWith: .success) {
      let size = PixelSize(width: 5_000, height: 4_500)
      let file = try Self.file(size)
      for encoding in [ImageEncoding.png, .jpeg(quality: 60)] {
        let before = try ResidentMemory.resetPeak()
        let written = try CodecList.standard.transcode(file.span, as: encoding)
        let grown = try ResidentMemory.peak() - before
        let info = try CodecList.standard.probe(written.span)
        #expect(info.size == size)
        // Its pixels have 90 MB.
        #expect(grown <= written.count * 2 + (12 << 20), "\(encoding): \(grown), \(written.count)")
      }
    }
  }
}
