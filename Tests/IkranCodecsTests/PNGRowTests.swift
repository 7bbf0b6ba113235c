import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// This package's reader of PNG rows gives libpng's pixels.
@Suite(.timeLimit(.minutes(10)))
struct PNGRowTests {
  private static let filters: [[UInt8]] = [[0], [1], [2], [3], [4], [4, 4, 4, 3, 4, 1, 4, 2, 0]]
  private static let sizes = [(1, 1), (7, 9), (16, 8), (17, 23), (70, 33)]

  /// Decodes with and without SIMD, ISA-L and a reduction; false when it left one to libpng.
  private func isDecoded(_ bytes: [UInt8], _ comment: Comment) throws -> Bool {
    for fitting in BothPNGReaders.fittings {
      let expected = try BothPNGReaders.libpngs(bytes, fitting)
      for usesSIMD in [true, false] {
        for usesISAL in Set([PNGDataHandle.hasISAL, false]) {
          let ours = try BothPNGReaders.ours(
            bytes,
            fitting,
            usesSIMD: usesSIMD,
            usesISAL: usesISAL
          )
          guard let ours else { return false }
          #expect(BothPNGReaders.areSame(ours, expected), comment)
        }
      }
    }
    return true
  }

  @Test(arguments: RandomPNG.kinds, [false, true])
  func everyColourDepthAndFilterIsAsInLibpng(
    _ kind: (color: UInt8, depth: Int),
    _ hasTransparency: Bool
  ) throws {
    guard !hasTransparency || kind.color < 4 else { return }
    for (index, filters) in Self.filters.enumerated() {
      for (width, height) in Self.sizes {
        let sample = RandomPNG(
          size: PixelSize(width: width, height: height),
          depth: kind.depth,
          color: kind.color,
          filters: filters,
          hasTransparency: hasTransparency,
          seed: UInt64(index * 100 + width)
        )
        #expect(try isDecoded(sample.bytes, "\(sample)"), "\(sample)")
      }
    }
  }

  @Test(arguments: [UInt64(20_261_124)])
  func randomFiltersAreAsInLibpng(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for round in 0..<Rounds.fewer(300) {
      let kind = RandomPNG.kinds.randomElement(using: &random) ?? (2, 8)
      let size = PixelSize(
        width: .random(in: 1...99, using: &random),
        height: .random(in: 1...60, using: &random)
      )
      let filters = (0..<size.height).map { _ in UInt8.random(in: 0...4, using: &random) }
      let sample = RandomPNG(
        size: size,
        depth: kind.depth,
        color: kind.color,
        filters: filters,
        hasTransparency: kind.color < 4 && Bool.random(using: &random),
        seed: seed &+ UInt64(round)
      )
      #expect(try isDecoded(sample.bytes, "seed \(seed), round \(round)"), "\(sample)")
    }
  }

  @Test(arguments: [1, 3, 4])
  func compressedPicturesOfManyWindowsAreAsInLibpng(_ channels: Int) throws {
    var random = SeededGenerator(seed: UInt64(channels))
    let size = PixelSize(width: 301, height: 257)
    let pixels = (0..<size.width * size.height * channels).map { index in
      UInt8(truncatingIfNeeded: index / 700 + Int.random(in: 0...5, using: &random))
    }
    let bytes = try PNGWriterHandle.write(pixels, size, channels: channels)
    #expect(try isDecoded(bytes, "\(channels) channels"))
  }

  @Test(arguments: [1, 2, 7])
  func dataMayBeInTinyAndEmptyChunks(_ chunkBytes: Int) throws {
    let sample = RandomPNG(
      size: PixelSize(width: 19, height: 11),
      depth: 8,
      color: 6,
      filters: [4, 3],
      seed: 3,
      chunkBytes: chunkBytes
    )
    #expect(try isDecoded(sample.bytes, "\(sample)"))
  }

  @Test func aLongRowIsDecodedInBoundedMemory() throws {
    let sample = RandomPNG(
      size: PixelSize(width: 200_000, height: 3),
      depth: 8,
      color: 2,
      filters: [4],
      seed: 9
    )
    let expected = try BothPNGReaders.libpngs(sample.bytes)
    let ours = try #require(try BothPNGReaders.ours(sample.bytes))
    #expect(BothPNGReaders.areSame(ours, expected))
    var longer = sample
    longer.size = PixelSize(width: 400_000, height: 1)
    #expect(try BothPNGReaders.ours(longer.bytes) == nil)
  }

  @Test func whatMayLookDifferentToLibpngIsLeftToIt() throws {
    var sample = PNGSample(size: PixelSize(width: 9, height: 5)) { _, _ in [1, 2, 3] }
    #expect(try BothPNGReaders.ours(sample.bytes) != nil)
    sample.isInterlaced = true
    #expect(try BothPNGReaders.ours(sample.bytes) == nil)
  }
}

/// Every file of the corpus through this package's reader of rows and through libpng.
@Suite(
  .enabled(if: Corpus.isAvailable, "set IKRAN_CORPUS"),
  .timeLimit(.minutes(10))
)
struct PNGRowCorpusTests {
  private static let files = ["png", "apng"].flatMap { Corpus.files(format: $0) }
    .filter { ($0.width ?? 0) * ($0.height ?? 0) < 40_000_000 }

  @Test(arguments: Rounds.fewer(of: files))
  func aFileIsAsInLibpng(_ file: Corpus.File) throws {
    let bytes = try file.bytes()
    for fitting in BothPNGReaders.fittings {
      // What the header is refused for is the same for both.
      guard let ours = try? BothPNGReaders.ours(bytes, fitting) else { continue }
      let theirs = try BothPNGReaders.libpngs(bytes, fitting)
      #expect(BothPNGReaders.areSame(ours, theirs), "\(file)")
    }
  }

  @Test(arguments: Rounds.fewer(of: files))
  func aTruncatedFileIsAsInLibpng(_ file: Corpus.File) throws {
    let bytes = try file.bytes()
    guard bytes.count < 100_000, bytes.count > 30 else { return }
    for count in stride(
      from: 29,
      to: bytes.count,
      by: bytes.count / Rounds.fewer(60, atLeast: 5) + 1
    ) {
      let cut = Array(bytes[..<count])
      guard let ours = try? BothPNGReaders.ours(cut) else { continue }
      let theirs = try #require(try? BothPNGReaders.libpngs(cut), "\(file), \(count) bytes")
      #expect(BothPNGReaders.areSame(ours, theirs), "\(file), \(count) bytes")
    }
  }

  @Test func mostFilesAreNotLeftToLibpng() throws {
    var (ours, all) = (0, 0)
    for file in Self.files where file.expected == "decodes" {
      let bytes = try file.bytes()
      guard bytes.count > 28, bytes[28] == 0 else { continue }
      all += 1
      if try BothPNGReaders.ours(bytes, BothPNGReaders.fittings[1]) != nil { ours += 1 }
    }
    #expect(ours * 20 > all * 19, "\(ours) of \(all)")
  }
}
