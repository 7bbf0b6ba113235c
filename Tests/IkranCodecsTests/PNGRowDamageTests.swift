import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// This package's reader of PNG rows leaves damaged files to libpng.
@Suite(.timeLimit(.minutes(10)))
struct PNGRowDamageTests {
  private static func sample(_ color: UInt8, chunkBytes: Int = .max) -> RandomPNG {
    RandomPNG(
      size: PixelSize(width: 20, height: 18),
      depth: 8,
      color: color,
      filters: [4, 4, 1, 3, 2, 0],
      hasTransparency: color == 3,
      seed: UInt64(color),
      chunkBytes: chunkBytes
    )
  }

  /// A file whose stream is compressed.
  private static func compressed() throws -> [UInt8] {
    let size = PixelSize(width: 40, height: 30)
    let pixels = (0..<size.width * size.height * 3).map { UInt8($0 * $0 / 977 % 251) }
    return try PNGWriterHandle.write(pixels, size, channels: 3)
  }

  /// The reader may refuse files that libpng decodes, but must not decode any differently.
  private func expectAgreement(_ bytes: [UInt8], _ comment: Comment) throws {
    for fitting in BothPNGReaders.fittings {
      for usesISAL in Set([PNGDataHandle.hasISAL, false]) {
        // Errors of damaged headers are the same for both.
        guard let ours = try? BothPNGReaders.ours(bytes, fitting, usesISAL: usesISAL) else {
          continue
        }
        let theirs = try #require(try? BothPNGReaders.libpngs(bytes, fitting), comment)
        #expect(BothPNGReaders.areSame(ours, theirs), comment)
      }
    }
  }

  @Test(arguments: [UInt8(0), 2, 3, 4, 6])
  func everyTruncationIsAsInLibpng(_ color: UInt8) throws {
    let bytes = Self.sample(color, chunkBytes: 100).bytes
    for count in stride(from: 8, to: bytes.count, by: Rounds.areAll ? 1 : 5) {
      try expectAgreement(Array(bytes[..<count]), "\(count) of \(bytes.count) bytes")
    }
    #expect(try BothPNGReaders.ours(bytes) != nil)
  }

  @Test func everyTruncationOfACompressedFileIsAsInLibpng() throws {
    let bytes = try Self.compressed()
    for count in stride(from: 8, to: bytes.count, by: Rounds.areAll ? 1 : 5) {
      try expectAgreement(Array(bytes[..<count]), "\(count) of \(bytes.count) bytes")
    }
  }

  @Test(arguments: [0, 1, 40], [1, 5, Int.max])
  func everyTruncationOfAStreamIsAsInLibpng(_ noise: UInt8, _ chunkBytes: Int) throws {
    var random = SeededGenerator(seed: UInt64(noise))
    var sample = Self.sample(2, chunkBytes: chunkBytes)
    sample.size = PixelSize(width: 20, height: 60)
    // Matches over several rows: what a stream means is longer than what is read of it.
    let rows = (0..<sample.size.height).flatMap { _ in
      [0] + (0..<sample.rowBytes).map { _ in UInt8.random(in: 0...noise, using: &random) / 30 }
    }
    let stream = try #require(PNGDeflation.compressed(rows))
    #expect(try BothPNGReaders.ours(sample.bytes(of: stream)) != nil)
    for count in stride(from: 1, to: stream.count, by: Rounds.areAll ? 1 : 3) {
      let bytes = sample.bytes(of: Array(stream[..<count]))
      try expectAgreement(bytes, "\(count) of \(stream.count) bytes, noise \(noise)")
    }
  }

  @Test(arguments: [UInt64(20_261_124)])
  func damagedBytesAreAsInLibpng(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let files = [try Self.compressed(), Self.sample(3).bytes, Self.sample(6, chunkBytes: 9).bytes]
    for round in 0..<Rounds.fewer(3_000) {
      var bytes = files[round % files.count]
      for _ in 0...(round % 3) {
        let place = Int.random(in: 8..<bytes.count, using: &random)
        bytes[place] = UInt8.random(in: 0...255, using: &random)
      }
      // Of every second file the checksums of chunks are right.
      if round / 3 % 2 == 0 { Self.repair(&bytes) }
      try expectAgreement(bytes, "seed \(seed), round \(round)")
    }
  }

  /// Writes the checksums of all chunks.
  private static func repair(_ bytes: inout [UInt8]) {
    var offset = 8
    while let chunk = PNGChunk(bytes.span, at: offset) {
      let sum = InflateHandle.crc32(bytes.span.extracting(offset + 4..<chunk.body.upperBound))
      bytes.replaceSubrange(chunk.body.upperBound..<chunk.end, with: PNGSample.word(sum))
      offset = chunk.end
    }
  }

  @Test func aStreamThatIsNotExactlyAsLongAsItsRowsIsLeftToLibpng() throws {
    let sample = Self.sample(2)
    let (rows, stream) = (sample.rows, PNGSample.stored(sample.rows))
    var wrongSum = stream
    wrongSum[wrongSum.count - 1] ^= 1
    var wrongFilter = rows
    wrongFilter[0] = 5
    let streams = [
      PNGSample.stored(rows + [0]), PNGSample.stored(Array(rows.dropLast())), stream + [0],
      Array(stream.dropLast()), wrongSum, PNGSample.stored(wrongFilter),
      PNGSample.stored(rows + [UInt8](repeating: 0, count: 1 << 20)),
    ]
    for (index, stream) in streams.enumerated() {
      let bytes = sample.bytes(of: stream)
      #expect(try BothPNGReaders.ours(bytes) == nil, "stream \(index)")
      #expect(try BothPNGReaders.ours(bytes, usesISAL: false) == nil, "stream \(index), zlib")
    }
    #expect(try BothPNGReaders.ours(sample.bytes(of: stream)) != nil)
  }

  @Test func windowsOfEverySizeThatThereIsAreRead() throws {
    let sample = Self.sample(2)
    var stream = PNGSample.stored(sample.rows)
    // 1,098 bytes: windows of 1,024 and of 2,048.
    for header: (UInt8, UInt8) in [(0x28, 0x15), (0x38, 0x11)] {
      (stream[0], stream[1]) = header
      #expect(try BothPNGReaders.ours(sample.bytes(of: stream)) != nil)
    }
    // Of 65,536 bytes, which no stream may have.
    (stream[0], stream[1]) = (0x88, 0x1C)
    #expect(try BothPNGReaders.ours(sample.bytes(of: stream)) == nil)
    #expect(failure(of: sample.bytes(of: stream)) != nil)
  }

  @Test func chunksOutOfOrderAreLeftToLibpng() throws {
    let bytes = Self.sample(2).bytes
    let end = bytes.count - 12
    let data = PNGSample.chunk("IDAT", [])
    let text = PNGSample.chunk("tEXt", [65, 0, 65])
    let unknown = PNGSample.chunk("QqQq", [])
    for inserted in [data, text, data + text] {
      #expect(try BothPNGReaders.ours(bytes[..<end] + inserted + bytes[end...]) != nil)
    }
    for inserted in [text + data, unknown, PNGSample.chunk("tRNS", [0, 0, 0, 0, 0, 0])] {
      #expect(try BothPNGReaders.ours(bytes[..<end] + inserted + bytes[end...]) == nil)
    }
    #expect(try BothPNGReaders.ours(bytes[..<33] + unknown + bytes[33...]) == nil)
    #expect(try BothPNGReaders.ours(Array(bytes[..<end])) == nil)
  }
}
