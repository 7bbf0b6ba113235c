import IkranCodecs
import IkranPixels
import TestBasics
import Testing

/// Files that end too early, and files with wrong bits in them.
@Suite(.timeLimit(.minutes(10)))
struct DamageTests {
  @Test func thereAreFixtures() {
    #expect(Fixtures.names.count == 145)
  }

  @Test(arguments: Fixtures.names)
  func everyPrefixDecodesOrThrows(_ name: String) throws {
    let bytes = try Fixtures.bytes(name)
    let target = Fitting.cover(PixelSize(width: 5, height: 4))
    for count in Rounds.fewer(of: Array(bytes.indices)) {
      let prefix = Array(bytes[..<count])
      if case .success(let bitmap) = outcome(of: prefix, target) {
        #expect(bitmap.size == PixelSize(width: 5, height: 4))
      }
    }
  }

  @Test(arguments: Fixtures.names)
  func aReportedSizeDoesNotChangeAsTheFileGrows(_ name: String) throws {
    let bytes = try Fixtures.bytes(name)
    guard case .success(let whole) = probe(bytes) else { return }
    var isKnown = false
    for count in 0...bytes.count {
      switch probe(Array(bytes[..<count])) {
      case .success(let info):
        isKnown = true
        #expect(info.size == whole.size)
        #expect(info.frames <= whole.frames)
      case .failure(let error): #expect(!isKnown, "\(error) after \(count) bytes")
      }
    }
    #expect(isKnown)
  }

  @Test(arguments: Fixtures.names)
  func flippedBitsNeverCrash(_ name: String) throws {
    let seed = UInt64(20_261_121)
    var random = SeededGenerator(seed: seed)
    let original = try Fixtures.bytes(name)
    for round in 0..<Rounds.fewer(40) {
      var bytes = original
      for _ in 0...(round % 8) {
        let position = Int.random(in: 0..<bytes.count, using: &random)
        bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
      var limits = DecodeLimits()
      limits.maximumPixels = 1_000_000
      let result = outcome(of: bytes, .inside(PixelSize(width: 9, height: 9)), limits: limits)
      if case .success(let bitmap) = result {
        #expect(max(bitmap.width, bitmap.height) <= 9, "\(name), seed \(seed), round \(round)")
      }
    }
  }

  @Test(arguments: ["truncated-in-idat.png", "truncated-in-scan.jpg", "truncated-in-vp8.webp"])
  func aTruncatedFileIsReported(_ name: String) throws {
    let bytes = try Fixtures.bytes(name)
    guard case .truncated(_, let offset) = failure(of: bytes) else {
      Issue.record("\(String(describing: failure(of: bytes)))")
      return
    }
    #expect(offset == bytes.count)
  }

  @Test(arguments: ["wrong-idat-checksum.png", "bad-filter.png", "no-frames.gif"])
  func aDamagedFileIsReportedWithItsOffset(_ name: String) throws {
    let bytes = try Fixtures.bytes(name)
    guard case .malformed(_, let offset, _) = failure(of: bytes) else {
      Issue.record("\(String(describing: failure(of: bytes)))")
      return
    }
    #expect((1...bytes.count).contains(offset))
  }

  @Test func aPictureWithoutItsEndMarkerDecodes() throws {
    let bytes = try Fixtures.bytes("areas-420.jpg")
    let whole = try outcome(of: bytes).get()
    let open = try outcome(of: bytes.dropLast(2)).get()
    #expect(open.distance(to: whole) == 0)
  }

  @Test func aPictureWithoutItsEndChunkDecodes() throws {
    let bytes = try Fixtures.bytes("gradient-8b-rgb.png")
    let whole = try outcome(of: bytes).get()
    let open = try outcome(of: bytes.dropLast(12)).get()
    #expect(open.distance(to: whole) == 0)
  }

  @Test func bytesAfterTheEndAreIgnored() throws {
    let plain = try outcome(of: Fixtures.bytes("areas-420.jpg")).get()
    let trailed = try outcome(of: Fixtures.bytes("trailing-garbage.jpg")).get()
    #expect(plain.distance(to: trailed) == 0)
  }
}
