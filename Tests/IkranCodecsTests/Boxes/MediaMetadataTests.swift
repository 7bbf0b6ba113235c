#if AVIF || HEIC
import TestBasics
import Testing

@testable import IkranCodecs

/// Metadata of files of the corpus.
@Suite(.enabled(if: Corpus.isAvailable, "set IKRAN_CORPUS"), .timeLimit(.minutes(10)))
struct MediaMetadataTests {
  @Test func anAVIFFileHasAllThree() throws {
    let metadata = try ImageMetadata(of: Corpus.bytes("avif/libavif--paris_icc_exif_xmp.avif"))
    #expect(metadata.exif?.prefix(4) == [0x49, 0x49, 0x2A, 0])
    #expect(metadata.exifFacts != nil)
    #expect(metadata.xmp.map { String(decoding: $0, as: UTF8.self).contains("<x:xmpmeta") } == true)
    #expect(metadata.iccProfile?.count == 596)
    #expect(metadata.profileFacts != nil)
  }

  @Test(arguments: 2...8)
  func exifOfHEICIsRead(_ number: Int) throws {
    let metadata = try ImageMetadata(of: Corpus.bytes("heic/exif-orientation-\(number).heic"))
    #expect(metadata.exifFacts != nil)
  }

  @Test func exifAndXMPOfOtherWritersAreRead() throws {
    let file = try Corpus.bytes("heic/pillow_heif--heif_other-L_exif_xmp_iptc.heic")
    let metadata = ImageMetadata(of: file)
    #expect(metadata.exifFacts != nil)
    #expect(metadata.xmp != nil)
  }

  @Test func metadataMayFollowTheHeader() throws {
    let file = try Corpus.bytes("avif/libavif--paris_icc_exif_xmp.avif")
    func mayFollow(_ bytes: [UInt8]) -> Bool { ImageMetadata.mayFollow(bytes.span) }
    #expect(mayFollow(Array(file[..<1_100])))
    #expect(!mayFollow(file))
    let plain = try Corpus.bytes("avif/8bit-yuv420.avif")
    #expect(!mayFollow(Array(plain[..<1_000])))
  }

  @Test func aFileThatIsCutOffHasWhatIsThere() throws {
    let file = try Corpus.bytes("avif/libavif--paris_icc_exif_xmp.avif")
    let whole = ImageMetadata(of: file)
    for count in stride(from: 0, to: file.count, by: 97) {
      let metadata = ImageMetadata(of: Array(file[..<count]))
      #expect(metadata.exif == nil || metadata.exif == whole.exif)
      #expect(metadata.xmp == nil || metadata.xmp == whole.xmp)
      #expect(metadata.iccProfile == nil || metadata.iccProfile == whole.iccProfile)
    }
  }
}
#endif
