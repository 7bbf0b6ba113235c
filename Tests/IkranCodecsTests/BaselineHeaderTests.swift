import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// The files that this package's decoder accepts, and its tables.
@Suite(.timeLimit(.minutes(10))) struct BaselineHeaderTests {
  private static let sample = JPEGSample(width: 40, height: 30, sampling: .quarter)

  /// The offset of the payload of the first segment with `marker`.
  private func payload(_ marker: UInt8, in bytes: [UInt8]) throws -> Int {
    let index = bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == marker }
    return try #require(index) + 4
  }

  private func readHeader(_ bytes: [UInt8]) -> BaselineHeader? { BaselineHeader(bytes.span) }

  private func isTaken(_ bytes: [UInt8]) -> Bool { readHeader(bytes) != nil }

  @Test(arguments: JPEGSample.Sampling.allCases)
  func plainFilesAreAccepted(_ sampling: JPEGSample.Sampling) throws {
    var sample = Self.sample
    sample.sampling = sampling
    let bytes = sample.bytes()
    let header = try #require(readHeader(bytes))
    #expect(header.tables.size == PixelSize(width: 40, height: 30))
    #expect(header.tables.components.count == (sampling == .gray ? 1 : 3))
  }

  @Test func progressiveFilesAreRefused() {
    var sample = Self.sample
    sample.isProgressive = true
    #expect(!isTaken(sample.bytes()))
  }

  @Test(arguments: ["areas-cmyk.jpg", "areas-progressive.jpg"])
  func otherProcessesAreRefused(_ name: String) throws {
    #expect(!isTaken(try Fixtures.bytes(name)))
  }

  @Test func adobeRGBIsRefused() throws {
    var bytes = Self.sample.bytes()
    // The JFIF segment becomes one that no decoder reads; then comes Adobe's with transform 0.
    bytes[3] = 0xEF
    let adobe: [UInt8] = [0xFF, 0xEE, 0, 14] + Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 0]
    bytes.insert(contentsOf: adobe, at: 2)
    #expect(!isTaken(bytes))
    bytes[17] = 1
    #expect(isTaken(bytes))
  }

  @Test func componentsNamedByLettersAreRefused() throws {
    var bytes = Self.sample.bytes()
    bytes[3] = 0xEF
    for (index, letter) in "RGB".utf8.enumerated() {
      bytes[try payload(0xC0, in: bytes) + 6 + index * 3] = letter
      bytes[try payload(0xDA, in: bytes) + 1 + index * 2] = letter
    }
    #expect(!isTaken(bytes))
  }

  @Test(arguments: [
    (0xC0, 0, 12), (0xC0, 5, 4), (0xC0, 7, 0x41), (0xC0, 7, 0x12 << 1), (0xC0, 8, 4), (0xC0, 9, 1),
    (0xC0, 10, 0x21), (0xDA, 0, 2), (0xDA, 1, 9), (0xDA, 2, 0x40), (0xDA, 2, 0x33), (0xDA, 7, 1),
    (0xDA, 8, 10), (0xDA, 9, 0x10), (0xDB, 0, 0x10), (0xDB, 0, 4), (0xC4, 0, 0x20), (0xC4, 0, 4),
    (0xC4, 1, 3), (0xC4, 5, 200), (0xC4, 17, 16),
  ])
  func ambiguousHeadersAreRefused(_ change: (marker: Int, offset: Int, value: Int)) throws {
    var bytes = Self.sample.bytes()
    bytes[try payload(UInt8(change.marker), in: bytes) + change.offset] = UInt8(change.value)
    #expect(!isTaken(bytes))
  }

  @Test func aScanOfOneOfThreeComponentsIsRefused() throws {
    var bytes = Self.sample.bytes()
    let start = try payload(0xDA, in: bytes)
    bytes.replaceSubrange(start - 2..<start + 10, with: [0, 8, 1, 1, 0, 0, 63, 0])
    #expect(!isTaken(bytes))
  }

  @Test func prefixesOfTheHeadersAreRefused() throws {
    let bytes = Self.sample.bytes()
    let end = try #require(readHeader(bytes)).scanStart
    for count in 0..<end { #expect(!isTaken(Array(bytes[..<count]))) }
    #expect(isTaken(Array(bytes[..<end])))
  }

  // MARK: - Tables

  private func codes() throws -> [HuffmanCode] {
    let plain = try #require(readHeader(Self.sample.bytes()))
    var sample = JPEGSample(width: 200, height: 90, sampling: .quarter, isOptimized: true)
    let optimized = try #require(readHeader(sample.bytes()))
    sample.isNoise = true
    sample.quality = 100
    let long = try #require(readHeader(sample.bytes()))
    return [plain, optimized, long].flatMap { $0.codes.map(\.ac) }
  }

  @Test func anEntryHoldsTheSymbolsOfItsBits() throws {
    for code in try codes() {
      let table = try #require(HuffmanTable(code, .ac))
      let wrong = Rounds.fewer(of: Array(0..<1 << HuffmanTable.skipBits)).filter {
        Int(table.skips[$0]) != skipped($0, code)
      }
      #expect(wrong == [])
    }
  }

  /// The entry for some bits, symbol by symbol; the last value may have more bits.
  private func skipped(_ bits: Int, _ code: HuffmanCode) -> Int {
    var (used, moved) = (0, 0)
    let width = HuffmanTable.skipBits
    while used < width, let (length, symbol) = firstCodeword(bits, width - used, code) {
      let size = Int(symbol) & 15
      guard used + length + size <= HuffmanTable.skipReach else { break }
      used += length + size
      if size == 0, symbol < 0xF0 { return (moved + HuffmanTable.endOfBlock) << 6 | used }
      moved += Int(symbol >> 4) + 1
    }
    return used == 0 ? HuffmanTable.unknown << 6 : moved << 6 | used
  }

  private func firstCodeword(_ bits: Int, _ width: Int, _ code: HuffmanCode) -> (Int, UInt8)? {
    var found: (Int, UInt8)?
    code.forEachCodeword { codeword, length, symbol in
      guard length <= width else { return }
      if bits >> (width - length) & ((1 << length) - 1) == codeword {
        found = (length, symbol)
      }
    }
    return found
  }

  @Test func tablesOfACodeAreBuiltOnce() throws {
    let memory = JPEGMemory.of(Workspace())
    let codes = try codes()
    let first = try #require(memory.table(for: codes[0], .ac))
    let other = try #require(memory.table(for: codes[1], .ac))
    #expect(first !== other)
    #expect(memory.table(for: codes[0], .ac) === first)
    #expect(memory.table(for: codes[1], .ac) === other)
  }

  @Test func aCodewordOfOnesIsInvalid() {
    var counts = [UInt8](repeating: 0, count: 16)
    counts[0] = 2
    #expect(!HuffmanCode(counts: counts, symbols: [1, 2]).isValid(forDC: true))
    counts[0] = 1
    #expect(HuffmanCode(counts: counts, symbols: [1]).isValid(forDC: true))
    #expect(!HuffmanCode(counts: counts, symbols: [12]).isValid(forDC: true))
    #expect(!HuffmanCode(counts: counts, symbols: [0x1B]).isValid(forDC: false))
  }
}
