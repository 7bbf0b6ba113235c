import IkranCodecs
import IkranPixels
import TestBasics
import Testing

/// JPEG files whose height follows the first scan (DNL), and those of other processes.
@Suite struct LineCountTests {
  /// Where the frame header begins: a marker, a length, the bits of a sample, height and width.
  private func frame(_ bytes: [UInt8]) throws -> Int {
    try #require(
      bytes.indices.dropLast().first { bytes[$0] == 0xFF && (0xC0...0xC2).contains(bytes[$0 + 1]) }
    )
  }

  /// A file without a height in its frame header, and with one after its first scan.
  private func moved(_ bytes: [UInt8], height: [UInt8]? = nil) throws -> [UInt8] {
    let place = try frame(bytes) + 5
    let line = [0xFF, 0xDC, 0, 4] + (height ?? Array(bytes[place..<place + 2]))
    let scan = try #require(
      bytes.indices.dropLast().first { bytes[$0...].starts(with: [0xFF, 0xDA]) }
    )
    let end = try #require(
      bytes.indices.dropLast().first {
        $0 > scan + 1 && bytes[$0] == 0xFF && bytes[$0 + 1] != 0
          && !(0xD0...0xD7).contains(bytes[$0 + 1])
      }
    )
    return Array(bytes[..<place]) + [0, 0] + bytes[(place + 2)..<end] + line + bytes[end...]
  }

  @Test(arguments: ["420", "422", "444", "progressive", "gray", "cmyk", "orientation-6", "wide"])
  func aHeightAfterTheFirstScanIsUsed(_ name: String) throws {
    let whole = try Fixtures.bytes("areas-\(name).jpg")
    let file = try moved(whole)
    #expect(try probe(file).get() == probe(whole).get())
    for fitting in [Fitting.original, .cover(PixelSize(width: 7, height: 5))] {
      #expect(
        try outcome(of: file, fitting).get().hasSamePixels(as: outcome(of: whole, fitting).get())
      )
    }
  }

  @Test func rectanglesAreThoseOfTheFileWithAHeight() throws {
    let whole = try Fixtures.bytes("areas-420.jpg")
    let file = try moved(whole)
    var decoders = (try RegionDecoder(whole.span), try RegionDecoder(file.span))
    for y in [0, 8, 20] {
      let region = PixelRectangle(x: 9, y: y, width: 12, height: 10)
      let wanted = try decoders.0.decode(region, of: whole.span)
      #expect(try decoders.1.decode(region, of: file.span).hasSamePixels(as: wanted))
    }
  }

  @Test func aHeightThatHasNotArrivedIsCutOff() throws {
    let file = try moved(Fixtures.bytes("areas-420.jpg"))
    for count in [file.count - 3, file.count - 5, file.count - 9, file.count / 2] {
      #expect(probe(Array(file[..<count])) == .failure(.truncated(.jpeg, offset: count)))
    }
    #expect(throws: Never.self) { try probe(Array(file[..<(file.count - 2)])).get() }
  }

  @Test func aHeightThatIsNowhereIsDamage() throws {
    var file = try Fixtures.bytes("areas-420.jpg")
    let place = try frame(file) + 5
    (file[place], file[place + 1]) = (0, 0)
    guard case .malformed(.jpeg, _, let reason) = failure(of: file) else {
      Issue.record("\(String(describing: failure(of: file)))")
      return
    }
    #expect(reason == "the frame has no height, and none follows its first scan (DNL)")
    let zero = try moved(Fixtures.bytes("areas-420.jpg"), height: [0, 0])
    guard case .malformed = failure(of: zero) else {
      Issue.record("a height of 0 is decoded")
      return
    }
  }

  @Test func aHeightAfterTheScanIsHeldAgainstTheLimits() throws {
    let file = try moved(Fixtures.bytes("areas-420.jpg"), height: [0xFF, 0xFF])
    var limits = DecodeLimits()
    limits.maximumDimension = 60_000
    let error = DecodeError.overLimit(.dimension, value: 65_535, limit: 60_000)
    #expect(failure(of: file, limits: limits) == error)
  }

  @Test func changedBytesArePicturesOrErrors() throws {
    let file = try moved(Fixtures.bytes("areas-420.jpg"))
    var random = SeededGenerator(seed: 20_261_127)
    for _ in 0..<Rounds.fewer(2_000, atLeast: 200) {
      var bytes = file
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(
          in: 0...255,
          using: &random
        )
      }
      _ = outcome(of: bytes)
      _ = outcome(of: bytes, by: DecodeRules(acceptsCutFiles: true))
    }
  }

  // MARK: - What libjpeg-turbo 2.1 does not decode

  @Test func twelveBitsAreNamed() throws {
    var file = try Fixtures.bytes("areas-420.jpg")
    let place = try frame(file)
    (file[place + 1], file[place + 4]) = (0xC1, 12)
    let error = failure(of: file)
    #expect(error == .unsupported(.jpeg, feature: "12 bits per channel"))
    let text = "this JPEG file uses 12 bits per channel, which Ikran does not support"
    #expect(error?.description == text)
  }

  @Test(arguments: [(0xC3, "lossless coding"), (0xC5, "hierarchical coding")] as [(UInt8, String)])
  func otherProcessesAreNamed(marker: UInt8, feature: String) throws {
    var file = try Fixtures.bytes("areas-420.jpg")
    file[try frame(file) + 1] = marker
    #expect(failure(of: file) == .unsupported(.jpeg, feature: feature))
  }
}
