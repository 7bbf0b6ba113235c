import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// What encoders write of a file's metadata.
@Suite(.timeLimit(.minutes(10)))
struct MetadataWritingTests {
  private static let encodings = [
    ImageEncoding.jpeg(), .png, .webp(), .webpLossless,
  ]

  private static func metadata(isBigEndian: Bool = false) -> ImageMetadata {
    ImageMetadata(
      exif: MetadataSample.exif(isBigEndian: isBigEndian),
      xmp: Array(MetadataSample.xmp.utf8),
      iccProfile: MetadataSample.profile()
    )
  }

  private func picture(hasAlpha: Bool = false) throws -> Bitmap {
    let picture = try gradient(width: 24, height: 16)
    return hasAlpha ? try picture.converted(to: .bgra) : picture
  }

  @Test(arguments: encodings, [false, true])
  func whatIsKeptIsUprightAndHasNoThumbnail(_ encoding: ImageEncoding, isBigEndian: Bool) throws {
    let metadata = Self.metadata(isBigEndian: isBigEndian)
    let file = try picture().encoded(as: encoding, metadata: metadata)
    let written = ImageMetadata(of: file)
    let (old, new) = (try #require(metadata.exifFacts), try #require(written.exifFacts))
    var wanted = old
    (wanted.orientation, wanted.hasThumbnail, wanted.colorSpace) = (.up, false, nil)
    #expect(new == wanted)
    #expect(try probe(file).get().orientation == .up)
    let exif = try #require(written.exif)
    for text in ["THUMBNAILBYTES", "MAKERNOTE"] { #expect(exif.position(of: text, from: 0) == nil) }
    let xmp = try #require(written.xmp)
    #expect(xmp.position(of: "tiff:Orientation=\"1\"", from: 0) != nil)
    #expect(xmp.position(of: "SMALLPICTURE", from: 0) == nil)
    #expect(written.xmpFacts?.creators == metadata.xmpFacts?.creators)
    #expect(written.iccProfile == nil)
  }

  @Test(arguments: encodings)
  func theCopyrightAloneIsKept(_ encoding: ImageEncoding) throws {
    let metadata = Self.metadata()
    let file = try picture().encoded(as: encoding, metadata: metadata, retaining: .copyright)
    let written = ImageMetadata(of: file)
    let exif = try #require(written.exif)
    let facts = try #require(written.exifFacts)
    #expect([facts.artist, facts.copyright] == ["Ana", "(c) 2026 Ana"])
    #expect(facts.make == nil)
    #expect(facts.dateTime == nil)
    #expect(facts.orientation == nil)
    #expect(!facts.hasLocation)
    let reader = TIFFReader(exif.span)
    let tiff = try #require(reader)
    let tags = tiff.entries(of: exif.span, at: tiff.firstDirectory).entries.map(\.tag)
    #expect(tags == [0x013B, 0x8298])
    #expect(written.xmpFacts?.rights == "© 2026 Ana <a@b.test>")
    #expect(written.xmpFacts?.creators == ["Ana & Bob", "Céline"])
  }

  @Test(arguments: encodings + [.gif])
  func nothingIsKept(_ encoding: ImageEncoding) throws {
    let plain = try picture().encoded(as: encoding)
    let file = try picture().encoded(as: encoding, metadata: Self.metadata(), retaining: .none)
    #expect(file == plain)
  }

  @Test(arguments: ["xmp", "xap"])
  func noThumbnailIsKeptHoweverManyThereAre(_ prefix: String) throws {
    let one = "<\(prefix):Thumbnails><rdf:li>AAAASMALLPICTURE</rdf:li></\(prefix):Thumbnails>"
    let packet = "<rdf:RDF><rdf:Description>\(one) \(one)<a/>\(one)</rdf:Description></rdf:RDF>"
    let file = try picture().encoded(as: .png, metadata: ImageMetadata(xmp: Array(packet.utf8)))
    let written = try #require(ImageMetadata(of: file).xmp)
    #expect(written.position(of: "SMALLPICTURE", from: 0) == nil)
    #expect(written.position(of: "<a/>", from: 0) != nil)
  }

  @Test func aPacketOfManyThumbnailsKeepsTheRest() throws {
    let one = Array("<xmp:Thumbnails>a</xmp:Thumbnails>".utf8)
    let many = [[UInt8]](repeating: one, count: 20_000).joined()
    let packet = Array("<rdf:RDF>".utf8) + many + Array("<a/></rdf:RDF>".utf8)
    let kept = try #require(ImageMetadata(xmp: packet).retaining(.keep).xmp)
    #expect(kept == Array("<rdf:RDF><a/></rdf:RDF>".utf8))
  }

  @Test func ofNoCopyrightNothingIsWritten() throws {
    var block = ExifBlock(isBigEndian: true)
    let first = block.directory([.text(0x010F, "ACME")])
    block.setFirst(first)
    let metadata = ImageMetadata(exif: block.bytes, xmp: Array("<rdf:RDF></rdf:RDF>".utf8))
    #expect(metadata.retaining(.copyright).isEmpty)
  }

  @Test(arguments: encodings, [false, true])
  func pixelsStayTheSame(_ encoding: ImageEncoding, hasAlpha: Bool) throws {
    let picture = try picture(hasAlpha: hasAlpha)
    let plain = try picture.encoded(as: encoding)
    let file = try picture.encoded(as: encoding, metadata: Self.metadata())
    let (before, after) = (try probe(plain).get(), try probe(file).get())
    #expect(after.hasAlpha == before.hasAlpha)
    #expect(after.size == before.size)
    #expect(try outcome(of: file).get().distance(to: outcome(of: plain).get()) == 0)
  }

  @Test func blocksThatDoNotFitAJPEGLoseAllButTheRights() throws {
    var block = ExifBlock(isBigEndian: false)
    let large = [UInt8](repeating: 65, count: 70_000)
    let first = block.directory([.text(0x013B, "Ana"), .undefined(0x9286, large)])
    block.setFirst(first)
    let xmp = MetadataSample.xmp.replacing("<xmp:T", with: String(repeating: " ", count: 70_000))
    let metadata = ImageMetadata(exif: block.bytes, xmp: Array(xmp.utf8))
    let jpeg = ImageMetadata(of: try picture().encoded(as: .jpeg(), metadata: metadata))
    #expect(jpeg.exifFacts?.artist == "Ana")
    #expect(jpeg.xmpFacts?.rights == "© 2026 Ana <a@b.test>")
    #expect(jpeg.exif?.count ?? 0 < 100)
    let png = ImageMetadata(of: try picture().encoded(as: .png, metadata: metadata))
    #expect(png.exif?.count ?? 0 > 70_000)
  }

  @Test func framesOfAnAnimationStay() throws {
    let file = try Fixtures.bytes("animation-3-frames.webp")
    let written = Self.metadata().retaining(.keep).embedded(in: file)
    let read = ImageMetadata(of: written)
    #expect(read.exif != nil)
    #expect(try probe(written).get().durations == probe(file).get().durations)
  }
}
