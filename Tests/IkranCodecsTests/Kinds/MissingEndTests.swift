import IkranCodecs
import IkranPixels
import TestBasics
import Testing

/// JPEG files without their end marker, and files that lack more than that.
@Suite(.timeLimit(.minutes(10))) struct MissingEndTests {
  private static let samples = JPEGSample.Sampling.allCases.flatMap { sampling -> [JPEGSample] in
    var plain = JPEGSample(width: 61, height: 47, sampling: sampling, quality: 80)
    var all = [plain]
    plain.restarts = 3
    all.append(plain)
    plain.hasScans = true
    all.append(plain)
    plain.restarts = 0
    all.append(plain)
    (plain.isProgressive, plain.hasScans) = (true, false)
    for script in JPEGScript.allCases {
      plain.script = script
      all.append(plain)
    }
    return all
  }

  private static let arithmetic = samples.map { sample in
    var sample = sample
    sample.isArithmetic = true
    return sample
  }

  @Test(arguments: samples + arithmetic)
  func aPictureWithoutItsEndMarkerIsWhole(_ sample: JPEGSample) throws {
    let bytes = sample.bytes()
    for fitting in [Fitting.original, .cover(PixelSize(width: 20, height: 20))] {
      let whole = try outcome(of: bytes, fitting).get()
      for count in 1...2 {
        let open = outcome(of: bytes.dropLast(count), fitting)
        #expect(try open.get().distance(to: whole) == 0, "\(sample), \(count) bytes")
      }
    }
  }

  @Test(arguments: samples)
  func aPictureThatLacksMoreIsTruncated(_ sample: JPEGSample) throws {
    let bytes = sample.bytes()
    let scan = try #require(bytes.firstRange(of: [0xFF, 0xDA])).upperBound
    let counts = Array(stride(from: scan, to: bytes.count - 2, by: 13)) + [bytes.count - 3]
    for count in Rounds.fewer(of: counts) {
      let error = failure(of: Array(bytes[..<count]))
      #expect(error == .truncated(.jpeg, offset: count), "\(sample), \(count) of \(bytes.count)")
    }
  }

  /// A decoder sees no end of arithmetic codes: whatever follows, they stand for some picture.
  @Test(arguments: arithmetic)
  func anArithmeticPictureThatLacksMoreIsTruncated(_ sample: JPEGSample) throws {
    let bytes = sample.bytes()
    let scan = try #require(bytes.firstRange(of: [0xFF, 0xDA])).upperBound
    for count in Rounds.fewer(of: Array(stride(from: scan, to: bytes.count - 8, by: 13))) {
      let error = failure(of: Array(bytes[..<count]))
      #expect(error != nil, "\(sample), \(count) of \(bytes.count)")
    }
    let half = failure(of: Array(bytes[..<(scan + (bytes.count - scan) / 2)]))
    guard case .truncated = half else {
      Issue.record("\(sample): \(String(describing: half))")
      return
    }
  }

  @Test func aMissingScanIsTruncated() throws {
    for isProgressive in [true, false] {
      var sample = JPEGSample(width: 40, height: 40, sampling: .full)
      (sample.isProgressive, sample.hasScans) = (isProgressive, !isProgressive)
      let bytes = sample.bytes()
      let scans = bytes.indices.dropLast().filter { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA }
      // Before the tables of a scan, or before the scan.
      for scan in scans.dropFirst() {
        for start in [scan, bytes[..<scan].lastRange(of: [0xFF, 0xC4])?.lowerBound ?? scan] {
          let error = failure(of: Array(bytes[..<start]))
          #expect(error == .truncated(.jpeg, offset: start), "\(sample)")
        }
      }
    }
  }

  @Test(arguments: [48, 120, 640])
  func aThumbnailNeedsNoEndMarker(_ side: Int) throws {
    var sample = JPEGSample(width: 1_300, height: 1_300, sampling: .quarter)
    sample.isProgressive = true
    let (bytes, fitting) = (sample.bytes(), Fitting.cover(PixelSize(width: side, height: side)))
    let whole = try outcome(of: bytes, fitting).get()
    let open = try outcome(of: bytes.dropLast(2), fitting).get()
    #expect(try open.signalToNoise(whole) > 45)
    let cut = failure(of: bytes.dropLast(3), fitting)
    #expect(cut == .truncated(.jpeg, offset: bytes.count - 3))
  }
}

extension ArraySlice where Element == UInt8 {
  fileprivate func lastRange(of pattern: [UInt8]) -> Range<Int>? {
    ranges(of: pattern).last
  }
}
