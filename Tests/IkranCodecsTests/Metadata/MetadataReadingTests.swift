import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// EXIF, XMP and ICC facts of files, read without decoding pixels.
@Suite(.timeLimit(.minutes(10)))
struct MetadataReadingTests {
  private static let blocks = ImageMetadata(
    exif: MetadataSample.exif(),
    xmp: Array(MetadataSample.xmp.utf8),
    iccProfile: MetadataSample.profile()
  )

  @Test func jpegHasAllThreeInItsSegments() throws {
    let wanted = Self.blocks
    let file = try MetadataSample.jpeg(
      exif: wanted.exif,
      xmp: wanted.xmp,
      profile: wanted.iccProfile
    )
    let read = ImageMetadata(of: file)
    #expect(read == wanted)
  }

  @Test func aProfileWithoutOneOfItsPartsIsNone() throws {
    var file = try MetadataSample.jpeg(exif: nil, xmp: nil, profile: MetadataSample.profile())
    let part = try #require(file.position(of: "ICC_PROFILE\0", from: 0))
    file[part] = 0x58
    let read = ImageMetadata(of: file)
    #expect(read.iccProfile == nil)
  }

  @Test(arguments: [false, true])
  func pngHasAllThreeInItsChunks(isCompressed: Bool) throws {
    let wanted = Self.blocks
    let plain = try MetadataSample.picture(.png)
    var file = Array(plain[..<33])
    let stream = try Self.zlib(try #require(wanted.iccProfile))
    file.appendChunk("iCCP", Array("Test\0\0".utf8) + stream)
    let xmp = try #require(wanted.xmp)
    let keyword = Array("XML:com.adobe.xmp\0".utf8)
    let text = isCompressed ? try Self.zlib(xmp) : xmp
    file.appendChunk(
      "iTXt",
      keyword + [isCompressed ? 1 : 0, 0] + Array("en\0title\0".utf8) + text
    )
    // As some programs write it, after the pixels, with JPEG's name before it.
    file += plain[33..<plain.count - 12]
    file.appendChunk("eXIf", Array("Exif\0\0".utf8) + (try #require(wanted.exif)))
    file += plain[(plain.count - 12)...]
    let read = ImageMetadata(of: file)
    #expect(read == wanted)
  }

  @Test func webPHasAllThreeInItsChunks() throws {
    let wanted = Self.blocks
    let file = try MetadataSample.picture(.webp())
    func chunk(_ type: String, _ body: [UInt8]) -> [UInt8] {
      let length = Array(MetadataSample.four(body.count).reversed())
      return Array(type.utf8) + length + body + (body.count % 2 == 1 ? [0] : [])
    }
    let extended = chunk("VP8X", [0x2C, 0, 0, 0, 23, 0, 0, 15, 0, 0])
    let chunks =
      extended + chunk("ICCP", try #require(wanted.iccProfile)) + file[12...]
      + chunk("EXIF", try #require(wanted.exif)) + chunk("XMP ", try #require(wanted.xmp))
    let length = Array(MetadataSample.four(chunks.count + 4).reversed())
    let bytes = Array("RIFF".utf8) + length + Array("WEBP".utf8) + chunks
    let read = ImageMetadata(of: bytes)
    #expect(read == wanted)
  }

  @Test(arguments: [true, false])
  func gifHasXMPAndAProfileInItsExtensions(isBefore: Bool) throws {
    let (xmp, profile) = (Array(MetadataSample.xmp.utf8), MetadataSample.profile())
    let plain = try Fixtures.bytes("animation-3-frames.gif")
    let trailer = [0x01] + (0...255).reversed().map { UInt8($0) } + [0]
    var blocks: [UInt8] = [0x21, 0xFF, 11] + Array("XMP DataXMP".utf8) + xmp + trailer
    blocks += [0x21, 0xFF, 11] + Array("ICCRGBG1012".utf8)
    for start in stride(from: 0, to: profile.count, by: 60) {
      let block = profile[start..<min(start + 60, profile.count)]
      blocks += [UInt8(block.count)] + block
    }
    blocks.append(0)
    let palette = plain[10] & 0x80 != 0 ? 3 << (Int(plain[10] & 7) + 1) : 0
    let place = isBefore ? 13 + palette : plain.count - 1
    let file = plain[..<place] + blocks + plain[place...]
    let metadata = ImageMetadata(of: Array(file))
    #expect(metadata == ImageMetadata(xmp: xmp, iccProfile: profile))
  }

  @Test(arguments: [false, true])
  func exifTellsHowThePictureWasTaken(isBigEndian: Bool) throws {
    let metadata = ImageMetadata(exif: MetadataSample.exif(isBigEndian: isBigEndian))
    let facts = try #require(metadata.exifFacts)
    #expect(facts.make == "ACME")
    #expect(facts.model == "Model 1")
    #expect(facts.lens == "35mm F2.8")
    #expect(facts.software == "Firmware 2")
    #expect(facts.dateTime == "2026:11:25 13:45:00")
    #expect(facts.timeOffset == "+01:00")
    #expect(facts.orientation?.rawValue == 6)
    #expect(facts.exposureTime.map { [$0.numerator, $0.denominator] } == [1, 250])
    #expect(facts.fNumber == 2.8)
    #expect(facts.sensitivity == 400)
    #expect(facts.focalLength == 35)
    #expect(facts.firedFlash == true)
    #expect(facts.hasLocation)
    #expect(facts.location.map { abs($0.latitude - 52.516_667) < 0.000_001 } == true)
    #expect(facts.location.map { abs($0.longitude - 13.4) < 0.000_001 } == true)
    #expect(facts.hasThumbnail)
    #expect(facts.description == "A cat")
    #expect(facts.artist == "Ana")
    #expect(facts.copyright == "(c) 2026 Ana")
    #expect(facts.colorSpace == .adobeRGB)
  }

  private func facts(ofPlace fields: [ExifBlock.Field]) -> ExifFacts? {
    var block = ExifBlock(isBigEndian: true)
    let place = block.directory(fields)
    let first = block.directory([.long(0x8825, place)])
    block.setFirst(first)
    return ImageMetadata(exif: block.bytes).exifFacts
  }

  @Test func aLatitudeAloneIsAPlaceWithoutNumbers() {
    let facts = facts(ofPlace: [.fractions(0x0002, [(52, 1), (31, 1), (0, 1)])])
    #expect(facts?.hasLocation == true)
    #expect(facts?.location == nil)
  }

  @Test func theSouthAndTheWestAreNegative() {
    let facts = facts(ofPlace: [
      .text(0x0001, "S"), .fractions(0x0002, [(33, 1), (3090, 100)]), .text(0x0003, "w"),
      .fractions(0x0004, [(705, 10)]),
    ])
    #expect(facts?.location.map { abs($0.latitude + 33.515) < 0.000_001 } == true)
    #expect(facts?.location?.longitude == -70.5)
  }

  @Test(arguments: [
    [(91, 1)], [(0, 0), (0, 0), (0, 0)], [(89, 1), (4_294_967_295, 1)], [],
    [(1, 1), (1, 1), (1, 1), (1, 1)], [(1, 1), (60, 1), (0, 1)], [(1, 1), (1, 1), (60, 1)],
    [(1, 1), (0, 0), (1, 1)], [(1, 1), (1, 1), (1, 0)],
  ])
  func aLatitudeThatCannotBeIsLeftOut(parts: [(Int, Int)]) {
    let facts = facts(ofPlace: [
      .text(0x0001, "N"), .fractions(0x0002, parts), .text(0x0003, "E"),
      .fractions(0x0004, [(13, 1)]),
    ])
    #expect(facts?.location == nil)
  }

  @Test func secondsThatAreNotKnownLeaveThePlace() {
    let facts = facts(ofPlace: [
      .text(0x0001, "N"), .fractions(0x0002, [(52, 1), (30, 1), (0, 0)]), .text(0x0003, "E"),
      .fractions(0x0004, [(13, 1), (5999, 100), (5999, 100)]),
    ])
    #expect(facts?.location?.latitude == 52.5)
    #expect(facts?.location.map { $0.longitude < 14.02 && $0.longitude > 14 } == true)
  }

  @Test func aPlaceWithoutItsHemisphereIsLeftOut() {
    let facts = facts(ofPlace: [.fractions(0x0002, [(52, 1)]), .fractions(0x0004, [(13, 1)])])
    #expect(facts?.location == nil)
  }

  @Test func xmpTellsWhoMadeIt() throws {
    let packet = Array(MetadataSample.xmp.utf8)
    let facts = try #require(ImageMetadata(xmp: packet).xmpFacts)
    #expect(facts.byteCount == packet.count)
    #expect(facts.creators == ["Ana & Bob", "Céline"])
    #expect(facts.rights == "© 2026 Ana <a@b.test>")
  }

  @Test func xmpTellsWhatIsInAttributes() {
    let packet = "<rdf:Description dc:rights='mine' dc:creator=\"Ana\"/>"
    let facts = ImageMetadata(xmp: Array(packet.utf8)).xmpFacts
    #expect(facts?.creators == ["Ana"])
    #expect(facts?.rights == "mine")
  }

  @Test(arguments: [2, 4] as [UInt8])
  func aProfileTellsItsName(version: UInt8) throws {
    let profile = MetadataSample.profile(version: version, name: "Test RGB 1")
    let facts = try #require(ImageMetadata(iccProfile: profile).profileFacts)
    #expect(facts.description == "Test RGB 1")
    #expect(facts.colorSpace == "RGB")
    #expect(facts.deviceClass == "display")
    #expect(facts.version == "\(version).3")
    #expect(facts.byteCount == profile.count)
  }

  @Test func filesWithoutMetadataHaveNone() throws {
    for encoding in [ImageEncoding.jpeg(), .png, .webp(), .webpLossless, .gif] {
      let file = try MetadataSample.picture(encoding)
      let read = ImageMetadata(of: file)
      #expect(read.isEmpty)
    }
    let nothing: [UInt8] = []
    let none = ImageMetadata(of: nothing)
    #expect(none.isEmpty)
  }

  @Test func theBeginningOfAFileTellsWhetherMoreFollows() throws {
    let png = try MetadataSample.picture(.png)
    let jpeg = try MetadataSample.picture(.jpeg())
    let webp = try MetadataSample.picture(.webp())
    var announcing = webp
    announcing.replaceSubrange(12..<16, with: Array("VP8X".utf8))
    announcing[20] = 0x08
    let files = [Array(png[..<33]), png, jpeg, webp, announcing]
    let answers = files.map { ImageMetadata.mayFollow($0.span) }
    #expect(answers == [true, false, false, false, true])
  }

  /// A zlib stream of blocks that are not compressed.
  static func zlib(_ bytes: [UInt8]) throws -> [UInt8] {
    try #require(bytes.count < 65_536)
    let count = UInt16(bytes.count)
    let header = [UInt8(truncatingIfNeeded: count), UInt8(count >> 8)]
    let sum = InflateHandle.adler32(bytes)
    return [0x78, 0x01, 1] + header + header.map { ~$0 } + bytes + MetadataSample.four(sum)
  }
}
