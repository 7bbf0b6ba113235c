import IkranCodecs
import IkranImageIO
import Testing

@Suite struct ImageIOTypeTests {
  @Test(arguments: [
    ("public.jpeg", ImageFormat.jpeg), ("public.heic", .heic), ("public.avif", .avif),
    ("org.webmproject.webp", .webp), ("com.compuserve.gif", .gif), ("public.jpeg-xl", .jpegXL),
  ])
  func typesOfFormatsThatIkranKnowsHaveTheirNames(identifier: String, format: ImageFormat) {
    #expect(ImageIOType(identifier).format == format)
  }

  @Test func anotherTypeIsAFormatOfItsOwn() {
    #expect(ImageIOType("com.pentax.raw-image").format.rawValue == "com.pentax.raw-image")
    // A sequence moves, and a collection of HEIC does not.
    #expect(ImageIOType("public.heics").format != .heic)
  }

  @Test func eachFormatHasOneCodecAndDocumentsHaveNone() {
    let types = ImageIOType.codecs(of: [
      "public.heic", "com.adobe.pdf", "public.jpeg", "public.heic", "public.new-format",
    ])
    #expect(types.map(\.identifier) == ["public.heic", "public.jpeg", "public.new-format"])
  }

  @Test func heicAndJPEGAreEncoded() {
    #expect(ImageIOType(encoding: .heic)?.identifier == "public.heic")
    #expect(ImageIOType(encoding: .jpeg)?.identifier == "public.jpeg")
    #expect(ImageIOType(encoding: .webp) == nil)
  }
}
