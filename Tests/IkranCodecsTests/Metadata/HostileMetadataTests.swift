import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// Blocks that lie about themselves cost no more than their bytes and never trap.
@Suite(.timeLimit(.minutes(10)))
struct HostileMetadataTests {
  /// An entry whose value is a number, as the four bytes of its field.
  private static func block(
    _ entries: [(tag: Int, type: Int, count: Int, value: Int)],
    next: Int = 0
  ) -> [UInt8] {
    func little(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
    var bytes: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0] + little(entries.count, 2)
    for entry in entries {
      bytes += little(entry.tag, 2) + little(entry.type, 2)
      bytes += little(entry.count, 4) + little(entry.value, 4)
    }
    return bytes + little(next, 4)
  }

  private func read(_ exif: [UInt8]) -> ExifFacts? {
    let metadata = ImageMetadata(exif: exif)
    for retention in MetadataRetention.allCases { _ = metadata.retaining(retention) }
    return metadata.exifFacts
  }

  @Test func directoriesInACircleEnd() {
    let circle = Self.block([(0x8769, 4, 1, 8), (0x8825, 4, 1, 8), (0xA005, 4, 1, 8)], next: 8)
    let facts = read(circle)
    #expect(facts != nil)
    #expect(facts?.hasThumbnail == false)
  }

  @Test func countsOfFourBillionAreLeftOut() {
    for type in 0...20 {
      let facts = read(
        Self.block([(0x8298, type, 0xFFFF_FFFF, 8), (0x013B, type, 0x4000_0001, 0)])
      )
      #expect(facts?.copyright == nil)
      #expect(facts?.artist == nil)
    }
  }

  @Test func offsetsOutsideAreLeftOut() {
    let facts = read(
      Self.block(
        [(0x010F, 2, 8, 0xFFFF_FFFF), (0x8769, 4, 1, 0xFFFF_FFFF), (0x8825, 4, 1, 60_000)],
        next: 0xFFFF_FFF0
      )
    )
    #expect(facts?.make == nil)
    #expect(facts?.hasLocation == false)
  }

  @Test func entriesThatShareTheirBytesAreNotMultiplied() throws {
    let entries = (0..<500).map { (tag: 0x9300 + $0, type: 7, count: 7_000, value: 8) }
    let block = Self.block(entries) + [UInt8](repeating: 65, count: 2_000)
    let kept = try #require(ImageMetadata(exif: block).retaining(.keep).exif)
    #expect(kept.count <= block.count * 2)
  }

  @Test func aBombOfAProfileIsLeftOut() throws {
    let bomb = try #require(
      PNGDeflation.compressed([UInt8](repeating: 0, count: ImageMetadata.largestBlock + 1))
    )
    var file = Array(try MetadataSample.picture(.png)[..<33])
    file.appendChunk("iCCP", [0x61, 0, 0] + bomb)
    file.appendChunk("IEND", [])
    let read = ImageMetadata(of: file)
    #expect(read.iccProfile == nil)
  }

  @Test func elementsWithoutAnEndAreSearchedOnce() {
    let text = String(repeating: "<dc:creator <rdf:li dc:rights=", count: 40_000) + "/>"
    let facts = ImageMetadata(xmp: Array(text.utf8)).xmpFacts
    #expect(facts?.creators == [])
  }

  @Test func mutatedBlocksAreOnlyRead() throws {
    let seed: UInt64 = 20_261_126
    var random = SeededGenerator(seed: seed)
    print("seed \(seed)")
    let file = try MetadataSample.jpeg(
      exif: MetadataSample.exif(isBigEndian: true),
      xmp: Array(MetadataSample.xmp.utf8),
      profile: MetadataSample.profile()
    )
    let png = try ImageMetadata(of: file).embedded(in: MetadataSample.picture(.png))
    let webp = try ImageMetadata(of: file).embedded(in: MetadataSample.picture(.webp()))
    for _ in 0..<Rounds.fewer(20_000, atLeast: 2_000) {
      var bytes = [file, png, webp].randomElement(using: &random) ?? file
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        let place = Int.random(in: 2..<bytes.count, using: &random)
        bytes[place] =
          [0, 1, 0xFF, UInt8.random(in: 0...255, using: &random)]
          .randomElement(using: &random) ?? 0
      }
      bytes.removeLast(Int.random(in: 0...3, using: &random) == 0 ? bytes.count / 3 : 0)
      let metadata = ImageMetadata(of: bytes)
      _ = (metadata.exifFacts, metadata.xmpFacts, metadata.profileFacts)
      for retention in MetadataRetention.allCases {
        let kept = metadata.retaining(retention)
        #expect(kept.retaining(retention).exif == kept.exif, "seed \(seed)")
        #expect(kept.exif?.count ?? 0 <= 2 * (metadata.exif?.count ?? 0) + 64, "seed \(seed)")
      }
    }
  }
}
