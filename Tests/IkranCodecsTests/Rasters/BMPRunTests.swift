import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// BMP files in run lengths.
@Suite(.timeLimit(.minutes(5))) struct BMPRunTests {
  private static let palette = (0..<256).map { Pixel(UInt8($0), UInt8(255 - $0), 9) }

  private func sample(_ bits: Int, _ size: (Int, Int), _ data: [UInt8]) -> BMPSample {
    var sample = BMPSample(size: PixelSize(width: size.0, height: size.1), bits: bits)
    sample.compression = bits == 8 ? 1 : 2
    sample.palette = Array(Self.palette[..<(1 << bits)])
    sample.data = data
    return sample
  }

  /// The indices of the rows from the top; nil where a pixel is clear.
  private func rows(_ sample: BMPSample) throws -> [[UInt8?]] {
    try outcome(of: sample.bytes).get().pixels.map { row in
      row.map { $0.alpha == 0 ? nil : $0.red }
    }
  }

  @Test func runsAndIndicesOfEightBitsComeBack() throws {
    let data: [UInt8] = [
      3, 7, 0, 3, 1, 2, 3, 0, 0, 0,  // a run, three indices and their padding
      0, 4, 9, 8, 7, 6, 2, 5, 0, 1,
    ]
    let sample = sample(8, (6, 2), data)
    #expect(try rows(sample) == [[9, 8, 7, 6, 5, 5], [7, 7, 7, 1, 2, 3]])
    #expect(try outcome(of: sample.bytes).get().format == .bgrx)
  }

  @Test func runsAndIndicesOfFourBitsComeBack() throws {
    let data: [UInt8] = [
      5, 0x12, 0, 5, 0x34, 0x56, 0x70, 0, 0, 0,  // three bytes and their padding
      10, 0xAB, 0, 1,
    ]
    let wanted: [[UInt8?]] = [
      [10, 11, 10, 11, 10, 11, 10, 11, 10, 11], [1, 2, 1, 2, 1, 3, 4, 5, 6, 7],
    ]
    #expect(try rows(sample(4, (10, 2), data)) == wanted)
  }

  @Test func pixelsThatAreLeftOutAreClear() throws {
    let data: [UInt8] = [
      1, 1, 0, 2, 2, 0, 1, 2, 0, 0,  // two to the right in the row
      1, 3, 0, 2, 1, 2, 1, 4,  // one to the right, two rows up
      0, 1,
    ]
    let wanted: [[UInt8?]] = [
      [nil, nil, nil, nil], [nil, nil, 4, nil], [nil, nil, nil, nil], [3, nil, nil, nil],
      [1, nil, nil, 2],
    ]
    let sample = sample(8, (4, 5), data)
    #expect(try rows(sample) == wanted)
    #expect(try outcome(of: sample.bytes).get().format == .bgra)
  }

  @Test func whatReachesOverTheEdgeIsCut() throws {
    let data: [UInt8] = [200, 1, 0, 0, 2, 2, 0, 4, 3, 4, 5, 6, 9, 9, 0, 1]
    #expect(try rows(sample(8, (3, 2), data)) == [[2, 2, 3], [1, 1, 1]])
  }

  @Test func rowsAboveThePictureAreIgnored() throws {
    let data: [UInt8] = [3, 1, 0, 0, 3, 2, 0, 0, 3, 3, 0, 2, 0, 99, 3, 3]
    #expect(try rows(sample(8, (3, 2), data)) == [[2, 2, 2], [1, 1, 1]])
  }

  @Test func theFirstRowMayComeFirst() throws {
    var sample = sample(8, (3, 2), [3, 1, 0, 0, 3, 2, 0, 1])
    sample.isTopDown = true
    #expect(try rows(sample) == [[1, 1, 1], [2, 2, 2]])
  }

  @Test func aFileThatEndsWithItsLastPixelIsWhole() throws {
    #expect(try rows(sample(8, (3, 2), [3, 1, 0, 0, 3, 2])) == [[2, 2, 2], [1, 1, 1]])
  }

  @Test(arguments: [1, 2, 4, 6, 7, 9, 11])
  func aFileThatEndsBeforeIsTruncated(_ count: Int) {
    let data: [UInt8] = [3, 1, 0, 0, 0, 3, 4, 5, 6, 0, 0, 0, 0, 1]
    let bytes = sample(8, (3, 3), Array(data[..<count])).bytes
    #expect(failure(of: bytes) == .truncated(.bmp, offset: bytes.count))
  }

  @Test func aHugePictureOfNothingIsRefused() throws {
    let bytes = sample(8, (30_000, 30_000), [0, 1]).bytes
    let error = failure(of: bytes, .cover(PixelSize(width: 4, height: 4)))
    #expect(error == .overLimit(.pixels, value: 900_000_000, limit: 100_000_000))
  }

  @Test(arguments: [8, 4])
  func randomRowsComeBack(_ bits: Int) throws {
    var random = SeededGenerator(seed: UInt64(bits))
    for round in 0..<20 {
      let (width, height) = (Int.random(in: 1...40, using: &random), 6)
      var (data, wanted): ([UInt8], [[UInt8?]]) = ([], [])
      for _ in 0..<height {
        let row = (0..<width).map { _ in UInt8.random(in: 0...UInt8(1 << bits - 1), using: &random)
        }
        data += coded(row, bits, &random) + [0, 0]
        wanted.insert(row, at: 0)
      }
      #expect(try rows(sample(bits, (width, height), data + [0, 1])) == wanted, "round \(round)")
    }
  }

  /// A row in codes of any lengths.
  private func coded(_ row: [UInt8], _ bits: Int, _ random: inout SeededGenerator) -> [UInt8] {
    var (bytes, x): ([UInt8], Int) = ([], 0)
    func byte(_ index: Int) -> UInt8 {
      let next = index + 1 < row.count ? row[index + 1] : 0
      return bits == 8 ? row[index] : row[index] << 4 | next
    }
    while x < row.count {
      let count = min(row.count - x, Int.random(in: 1...9, using: &random))
      if count < 3 {
        bytes += [UInt8(min(count, bits == 8 ? 1 : 2)), byte(x)]
        x += min(count, bits == 8 ? 1 : 2)
      } else {
        let stored = stride(from: x, to: x + count, by: 8 / bits).map(byte)
        bytes += [0, UInt8(count)] + stored + (stored.count % 2 == 1 ? [0] : [])
        x += count
      }
    }
    return bytes
  }
}
