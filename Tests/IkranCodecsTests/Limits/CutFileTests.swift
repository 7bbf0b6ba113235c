import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// Files that are cut off show what they have where the rules say so.
@Suite(.timeLimit(.minutes(10))) struct CutFileTests {
  /// A kind of file.
  struct Sample: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    /// Whether all rows are there once the first of them are, only coarser.
    var isCoarse = false

    var testDescription: String { name }

    /// The first part of the file.
    func cut(_ share: Double) -> [UInt8] { Array(bytes.prefix(Int(Double(bytes.count) * share))) }
  }

  private static let rules = DecodeRules(acceptsCutFiles: true)
  private static let size = PixelSize(width: 75, height: 61)

  private static func png(interlaced: Bool = false, hasAlpha: Bool = false) -> [UInt8] {
    PNGSample(size: size, isInterlaced: interlaced, hasAlpha: hasAlpha) { x, y in
      [UInt16(x * 800), UInt16(y * 1_000), UInt16((x ^ y) * 500)]
        + (hasAlpha ? [UInt16(65_535 - x * 400)] : [])
    }
    .bytes
  }

  private static func jpeg(_ sampling: JPEGSample.Sampling, restarts: UInt32 = 0) -> [UInt8] {
    JPEGSample(width: size.width, height: size.height, sampling: sampling, restarts: restarts)
      .bytes()
  }

  private static func webp(_ encoding: ImageEncoding, hasAlpha: Bool = false) -> [UInt8] {
    // Much of a file of smooth colours is its header.
    let sample = PNGSample(size: size, hasAlpha: hasAlpha) { x, y in
      let noise = (x * 7_919 + y * 104_729) % 251
      return [UInt16(noise * 257), UInt16(y * 1_000), UInt16((x ^ y) * 500)]
        + (hasAlpha ? [UInt16(65_535 - x * 400)] : [])
    }
    let picture = try? CodecList.standard.decode(sample.bytes.span).bitmap
    return (try? picture?.encoded(as: encoding)) ?? []
  }

  /// Files whose rows come from top to bottom.
  static let rowSamples: [Sample] = {
    let levels = (0..<size.width * size.height).map { UInt8($0 * 7 / 5 & 255) }
    let gif = GIFSample(width: size.width, height: size.height, indices: levels).bytes
    let samplings = JPEGSample.Sampling.allCases.map { sampling in
      Sample(name: "JPEG, \(sampling)", bytes: jpeg(sampling))
    }
    return samplings + [
      Sample(name: "JPEG with restart markers", bytes: jpeg(.quarter, restarts: 3)),
      Sample(name: "PNG", bytes: png()),
      Sample(name: "PNG with alpha", bytes: png(hasAlpha: true)),
      Sample(name: "lossy WebP", bytes: webp(.webp(quality: 95))),
      Sample(name: "lossy WebP with alpha", bytes: webp(.webp(quality: 95), hasAlpha: true)),
      Sample(name: "lossless WebP", bytes: webp(.webpLossless)),
      Sample(name: "GIF", bytes: gif),
    ]
  }()

  /// Files that become finer and finer.
  static let coarseSamples: [Sample] = [
    Sample(
      name: "progressive JPEG",
      bytes: JPEGSample(
        width: size.width,
        height: size.height,
        sampling: .quarter,
        isProgressive: true
      )
      .bytes(),
      isCoarse: true
    ),
    Sample(name: "interlaced PNG", bytes: png(interlaced: true), isCoarse: true),
    Sample(
      name: "interlaced GIF",
      bytes: GIFSample.interlaced(width: size.width, height: size.height) { x, y in
        UInt8(x + y * 2)
      },
      isCoarse: true
    ),
  ]

  /// How many rows a picture says it has.
  private func rowCount(_ picture: DecodedPicture) -> Int? {
    guard case .cut(let rows, let height)? = picture.notes.first, picture.notes.count == 1 else {
      return nil
    }
    #expect(height == Self.size.height)
    return rows
  }

  @Test(arguments: rowSamples + coarseSamples)
  func withoutTheRuleAFileThatIsCutOffIsRefused(_ sample: Sample) {
    for share in [0.5, 0.9] {
      let error = failure(of: sample.cut(share))
      guard case .truncated = error else {
        Issue.record("\(share): \(error.map { "\($0)" } ?? "decoded")")
        continue
      }
    }
  }

  @Test(arguments: rowSamples)
  func rowsThatAreThereAreShownAndTheRestIsClear(_ sample: Sample) throws {
    let whole = try outcome(of: sample.bytes).get().pixels
    var seen: [Int] = []
    for share in [0.5, 0.7, 0.95] {
      let picture = try outcome(of: sample.cut(share), by: Self.rules).get()
      let rows = try #require(rowCount(picture))
      #expect(picture.bitmap.format == .bgra)
      let pixels = picture.bitmap.pixels
      #expect(Array(pixels[..<rows]) == Array(whole[..<rows]), "\(share): \(rows)")
      let clear = Pixel(0, 0, 0, 0)
      // A row of which a part is there may show that.
      #expect(pixels.dropFirst(rows + 1).allSatisfy { $0.allSatisfy { $0 == clear } }, "\(share)")
      seen.append(rows)
    }
    #expect(seen == seen.sorted() && seen[0] > 0 && seen[2] > seen[0], "\(seen)")
    #expect(seen[2] < Self.size.height)
  }

  @Test(arguments: coarseSamples)
  func whatBecomesFinerIsShownAsFarAsItIs(_ sample: Sample) throws {
    let whole = try outcome(of: sample.bytes).get()
    let picture = try outcome(of: sample.cut(0.7), by: Self.rules).get()
    #expect(rowCount(picture) == Self.size.height)
    let pairs = zip(picture.bitmap.pixels.joined(), whole.pixels.joined())
    let sum = pairs.reduce(0) { $0 + $1.0.distance(to: $1.1) }
    #expect(sum < 30 * Self.size.width * Self.size.height, "\(sum)")
    #expect(picture.bitmap.pixels.joined().allSatisfy { $0.alpha == 255 })
  }

  @Test(arguments: rowSamples + coarseSamples)
  func wholeFilesHaveNoNote(_ sample: Sample) throws {
    let picture = try outcome(of: sample.bytes, by: Self.rules).get()
    #expect(picture.notes.isEmpty)
    #expect(picture.bitmap.hasSamePixels(as: try outcome(of: sample.bytes).get()))
  }

  @Test(arguments: rowSamples + coarseSamples)
  func aThumbnailOfACutFileHasItsSize(_ sample: Sample) throws {
    let fitting = Fitting.cover(PixelSize(width: 12, height: 12))
    let picture = try outcome(of: sample.cut(0.6), fitting, by: Self.rules).get()
    #expect(picture.bitmap.size == PixelSize(width: 12, height: 12))
    #expect(rowCount(picture) != nil)
    #expect(picture.bitmap.pixels[0][6].alpha > 150)
    #expect(sample.isCoarse || picture.bitmap.pixels[11][6].alpha == 0)
  }

  @Test(arguments: rowSamples + coarseSamples)
  func everyLengthIsAnErrorOrAPictureOfTheSize(_ sample: Sample) {
    let step = Rounds.areAll ? 1 : 13
    for count in stride(from: 1, to: sample.bytes.count, by: step) {
      let bytes = Array(sample.bytes.prefix(count))
      guard case .success(let picture) = outcome(of: bytes, by: Self.rules) else { continue }
      #expect(picture.bitmap.size == Self.size, "\(count)")
    }
  }

  @Test func aProgressiveFileThatEndsInItsFirstScanShowsItsRows() throws {
    let bytes = Self.coarseSamples[0].bytes
    let scans = bytes.indices.dropLast().filter { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA }
    let cut = Array(bytes[..<(scans[0] + (scans[1] - scans[0]) * 3 / 5)])
    let picture = try outcome(of: cut, by: Self.rules).get()
    let rows = try #require(rowCount(picture))
    #expect((8..<Self.size.height).contains(rows), "\(rows)")
    #expect(picture.bitmap.pixels[Self.size.height - 1].allSatisfy { $0.alpha == 0 })
  }

  @Test func aTurnedPictureIsCutAtItsOwnRows() throws {
    let bytes = try Fixtures.bytes("areas-orientation-6.jpg")
    let whole = try outcome(of: bytes).get()
    let scan = try #require(bytes.firstRange(of: [0xFF, 0xDA])).lowerBound
    let cut = Array(bytes.dropLast((bytes.count - scan) / 3))
    let picture = try outcome(of: cut, by: Self.rules).get()
    #expect(picture.bitmap.size == whole.size)
    // Turned right: its upper rows are on the right.
    let row = picture.bitmap.pixels[whole.height / 2]
    #expect(row[whole.width - 1].alpha == 255 && row[0].alpha == 0)
  }

  @Test func aCutThroughTheHeaderStaysAnError() {
    for sample in Self.rowSamples + Self.coarseSamples {
      for count in [1, 12, 20] {
        let bytes = Array(sample.bytes.prefix(count))
        guard case .failure = outcome(of: bytes, by: Self.rules) else {
          Issue.record("\(sample.name): \(count)")
          continue
        }
      }
    }
  }

  @Test func damageInACutFileNeverTraps() throws {
    var random = SeededGenerator(seed: 71)
    for sample in Self.rowSamples + Self.coarseSamples {
      for _ in 0..<(Rounds.areAll ? 300 : 20) {
        var bytes = sample.cut(Double.random(in: 0.3...1, using: &random))
        for _ in 0..<4 {
          let place = Int.random(in: bytes.indices, using: &random)
          bytes[place] = UInt8.random(in: 0...255, using: &random)
        }
        var rules = Self.rules
        rules.limits.maximumPixels = 1_000_000
        _ = outcome(of: bytes, by: rules)
      }
    }
  }
}
