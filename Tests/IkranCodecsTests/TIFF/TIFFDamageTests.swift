#if TIFF
import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// TIFF files that end too early, are over limits, or have wrong bits.
@Suite(.timeLimit(.minutes(10))) struct TIFFDamageTests {
  private static let size = PixelSize(width: 40, height: 60)

  private static func sample(_ change: (inout TIFFSample) -> Void = { _ in }) -> TIFFSample {
    var file = TIFFSample(size: size) { x, y, channel in UInt64((x * 5 + y * 3 + channel) & 255) }
    file.rowsPerStrip = 10
    change(&file)
    return file
  }

  private static let kinds: [TIFFSample] = [
    sample(), sample { $0.tile = PixelSize(width: 16, height: 32) },
    sample { $0.isSeparate = true }, sample { $0.isBig = true },
    sample { $0.compression = .packBits },
    sample {
      $0.photometric = 6
      $0.shorts = [(530, [2, 2])]
    },
    sample {
      $0.bits = 4
      $0.value = { UInt64(($0 + $1 + $2) & 15) }
    },
  ]

  /// A directory of one pixel with very many samples, of which very many are no colours.
  @Test(arguments: [false, true]) func countsThatNoFileHasTakeNoMemory(isBig: Bool) throws {
    func number(_ value: UInt64, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
    let most: UInt64 = isBig ? 1 << 62 : 0xFFFF_FFFF
    let width = isBig ? 8 : 4
    let entries: [(tag: UInt64, type: UInt64, count: UInt64, value: UInt64)] = [
      (256, 3, 1, 1), (257, 3, 1, 1), (277, isBig ? 16 : 4, 1, most), (338, 3, most, 8),
    ]
    var file = Array("II".utf8) + (isBig ? [43, 0, 8, 0, 0, 0] : [42, 0])
    file += number(isBig ? 16 : 8, width) + number(UInt64(entries.count), isBig ? 8 : 2)
    for entry in entries {
      file += number(entry.tag, 2) + number(entry.type, 2)
      file += number(entry.count, width) + number(entry.value, width)
    }
    file += number(0, width)
    #expect(try probe(file).get().size == PixelSize(width: 1, height: 1))
    #expect(failure(of: file) != nil)
  }

  @Test func aFileThatIsCutOffShowsTheStripsThatAreThere() throws {
    let file = Self.sample()
    let cut = Array(file.bytes.dropLast(40 * 3 * 25))
    let error = failure(of: cut)
    guard case .truncated(.tiff, cut.count) = error else {
      Issue.record("\(error.map { "\($0)" } ?? "decoded")")
      return
    }
    let picture = try outcome(of: cut, by: DecodeRules(acceptsCutFiles: true)).get()
    #expect(picture.notes == [.cut(rows: 30, height: 60)])
    let (pixels, whole) = (picture.bitmap.pixels, try outcome(of: file.bytes).get().pixels)
    #expect(pixels[..<30] == whole[..<30])
    #expect(pixels[30...].allSatisfy { $0.allSatisfy { $0 == Pixel(0, 0, 0, 0) } })
  }

  @Test func aRegionAboveTheCutIsWhole() throws {
    let file = Self.sample { $0.tile = PixelSize(width: 16, height: 16) }
    let cut = Array(file.bytes.dropLast(16 * 16 * 3 * 4))
    let region = Fitting.region(
      PixelRectangle(x: 0, y: 0, width: 40, height: 30),
      PixelSize(width: 40, height: 30),
      isolated: true
    )
    let wanted = try outcome(of: file.bytes, region).get()
    #expect(try outcome(of: cut, region).get().distance(to: wanted) == 0)
  }

  @Test func aDirectoryThatIsMissingIsTruncated() {
    let file = Self.sample { $0.isDirectoryLast = true }.bytes
    for count in [4, 9, file.count / 2, file.count - 20] {
      guard case .truncated = failure(of: Array(file.prefix(count))) else {
        Issue.record("\(count) bytes")
        continue
      }
    }
  }

  @Test(arguments: kinds.indices)
  func everyPrefixDecodesOrThrows(_ kind: Int) {
    let bytes = Self.kinds[kind].bytes
    let target = Fitting.cover(PixelSize(width: 5, height: 4))
    let rules = DecodeRules(acceptsCutFiles: true)
    for count in Rounds.fewer(of: Array(bytes.indices)) {
      if case .success(let picture) = outcome(of: Array(bytes[..<count]), target, by: rules) {
        #expect(picture.bitmap.size == PixelSize(width: 5, height: 4))
      }
    }
  }

  @Test(arguments: kinds.indices)
  func wrongBitsNeverCrash(_ kind: Int) {
    let seed = UInt64(20_261_126 + kind)
    var random = SeededGenerator(seed: seed)
    let original = Self.kinds[kind].bytes
    var limits = DecodeLimits()
    limits.maximumPixels = 1_000_000
    for _ in 0..<Rounds.fewer(800) {
      var bytes = original
      for _ in 0...Int.random(in: 0..<4, using: &random) {
        // Most of them in the directory.
        let isDeep = Int.random(in: 0..<4, using: &random) == 0
        let position = Int.random(in: 0..<(isDeep ? bytes.count : 260), using: &random)
        bytes[position] = UInt8.random(in: 0...255, using: &random)
      }
      let result = outcome(of: bytes, .inside(PixelSize(width: 9, height: 9)), limits: limits)
      if case .success(let bitmap) = result {
        #expect(max(bitmap.width, bitmap.height) <= 9, "seed \(seed)")
      }
    }
  }

  @Test func limitsAreHeldBeforeAnythingIsRead() {
    let file = Self.sample { $0.size = PixelSize(width: 5_000, height: 2) }.bytes
    var limits = DecodeLimits()
    limits.maximumDimension = 4_000
    let error = failure(of: file, limits: limits)
    #expect(error == .overLimit(.dimension, value: 5_000, limit: 4_000))
  }

  @Test func aPictureOverTheLimitIsDecodedStripByStrip() throws {
    let file = Self.sample { $0.size = PixelSize(width: 400, height: 500) }
    var limits = DecodeLimits()
    limits.maximumPixels = 10_000
    let small = Fitting.inside(PixelSize(width: 40, height: 50))
    let wanted = try outcome(of: file.bytes, small).get()
    let bitmap = try outcome(of: file.bytes, small, limits: limits).get()
    #expect(bitmap.distance(to: wanted) == 0)
    // Planes of the whole picture.
    let large = Self.sample {
      $0.size = PixelSize(width: 400, height: 500)
      ($0.isSeparate, $0.rowsPerStrip) = (true, 500)
    }
    #expect(
      failure(of: large.bytes, small, limits: limits)
        == .overLimit(.pixels, value: 200_000, limit: 10_000)
    )
  }

  @Test func directoriesThatFollowThemselvesAreCountedOnce() throws {
    var file = Self.sample().bytes
    let next = 10 + Int(file[8]) * 12
    file[next] = 8
    #expect(try probe(file).get().frames == 1)
    #expect(failure(of: file) == nil)
  }

  @Test func aSensorsSamplesAreNoPicture() {
    let file = Self.sample {
      ($0.photometric, $0.channels) = (32_803, 1)
    }
    guard case .unsupported(.tiff, _) = failure(of: file.bytes) else {
      Issue.record("decoded")
      return
    }
  }
}
#endif
