#if HEIC
import IkranCodecs
import IkranPixels
import Testing

/// Files for which libheif 1.15 ends the process, or does not end: what they refer to makes no
/// sense.
@Suite(.timeLimit(.minutes(5))) struct PicturePartsTests {
  private typealias Sample = HEIFSample

  /// A turned picture of metadata, which is none.
  private let noPicture = Sample(
    items: [(1, "iden", [0]), (2, "Exif", [0, 0, 0, 0])],
    references: [Sample.reference("dimg", 1, [2])]
  )

  private func isRefused(_ bytes: [UInt8]) -> Bool {
    switch failure(of: bytes) {
    case .malformed, .unsupported: true
    default: false
    }
  }

  @Test func aSampleThatMakesSenseIsNotRefusedForItsParts() {
    let sample = Sample(
      items: [(1, "iden", [0]), (2, "iovl", Sample.overlay)],
      references: [Sample.reference("dimg", 1, [2])]
    )
    // Nothing is coded in it: libheif has looked at it.
    #expect(!isRefused(sample.bytes), "\(String(describing: failure(of: sample.bytes)))")
  }

  @Test func aPartThatIsNoPictureIsRefused() {
    #expect(failure(of: noPicture.bytes) == .unsupported(.heic, feature: "parts of kind Exif"))
  }

  /// The alpha of a part is decoded, too.
  @Test func alphaOfAPartThatIsNoPictureIsRefused() {
    let sample = Sample(
      items: [
        (1, "iden", [0]), (2, "iovl", Sample.overlay), (3, "iden", [0]), (4, "Exif", [0, 0, 0, 0]),
      ],
      references: [
        Sample.reference("dimg", 1, [2]), Sample.reference("auxl", 3, [2]),
        Sample.reference("dimg", 3, [4]),
      ],
      alpha: [3]
    )
    #expect(failure(of: sample.bytes) == .unsupported(.heic, feature: "parts of kind Exif"))
  }

  @Test(arguments: [(-100, 50), (0, 8), (8, -1)])
  func aCleanApertureWithoutPixelsIsRefused(_ size: (width: Int, height: Int)) {
    var sample = Sample(items: [(1, "iovl", Sample.overlay)])
    sample.aperture = size
    guard case .failure(.malformed) = probe(sample.bytes) else {
      Issue.record("\(probe(sample.bytes))")
      return
    }
  }

  @Test func aCleanApertureIsTheSizeOfThePicture() throws {
    var sample = Sample(items: [(1, "iovl", Sample.overlay)])
    sample.aperture = (8, 6)
    #expect(try probe(sample.bytes).get().size == PixelSize(width: 8, height: 6))
  }

  @Test func tablesWithTooManyEntriesAreRefusedWhateverTheyCount() throws {
    var sample = Sample(items: [(1, "iovl", Sample.overlay)])
    sample.uncountedAssociations = 9_999
    sample.uncountedEntries = 9_999
    _ = try probe(sample.bytes).get()
    sample.uncountedAssociations = 10_000
    #expect((try? probe(sample.bytes).get()) == nil)
    sample.uncountedAssociations = 0
    sample.uncountedEntries = 10_000
    #expect((try? probe(sample.bytes).get()) == nil)
  }

  @Test func thumbnailsAndGainMapsOfNoPicturesRefuseNothing() {
    var sample = Sample(
      items: [(1, "iovl", Sample.overlay), (2, "iden", [0]), (3, "Exif", [0, 0, 0, 0])],
      references: [Sample.reference("thmb", 2, [1]), Sample.reference("dimg", 2, [3])]
    )
    #expect(!isRefused(sample.bytes), "\(String(describing: failure(of: sample.bytes)))")
    sample.references[0] = Sample.reference("auxl", 2, [1])
    #expect(isRefused(sample.bytes))
    sample.gainMaps = [2]
    #expect(!isRefused(sample.bytes), "\(String(describing: failure(of: sample.bytes)))")
    // One that is both.
    sample.alpha = [2]
    #expect(isRefused(sample.bytes))
  }

  @Test func theLastOfManyAlphasIsLookedAtToo() {
    var sample = Sample(items: [(1, "iovl", Sample.overlay)])
    for number in 10..<27 {
      sample.items.append((number, "iden", [0]))
      sample.references.append(Sample.reference("auxl", number, [1]))
      sample.alpha.append(number)
    }
    sample.items.append((60, "Exif", [0, 0, 0, 0]))
    sample.references.append(Sample.reference("dimg", 26, [60]))
    #expect(failure(of: sample.bytes) == .unsupported(.heic, feature: "parts of kind Exif"))
  }

  @Test(arguments: ["iref", "iinf", "pitm", "idat", "iloc", "iprp"])
  func aListThatIsThereTwiceIsRefused(type: String) {
    var sample = noPicture
    sample.references = []
    sample.more = Sample.full(type, 0, [0, 0, 0, 0])
    #expect(isRefused(sample.bytes))
  }

  @Test func twoListsOfPicturesAreRefused() {
    let sound = Sample(items: [(1, "iovl", Sample.overlay)])
    #expect(isRefused(sound.bytes + noPicture.meta))
    #expect(isRefused(noPicture.bytes + sound.meta))
  }

  /// libheif goes by the count of a reference, and not by the length of its box.
  @Test func aReferenceThatHasAnotherInItIsRefused() {
    var sample = noPicture
    sample.references = [
      Sample.box("free", Sample.number(9, 2) + [0, 0] + Sample.reference("dimg", 1, [2]))
    ]
    #expect(isRefused(sample.bytes))
  }

  @Test func aReferenceThatIsLongerThanTheListIsRefused() {
    var sample = noPicture
    sample.references = [Sample.reference("dimg", 1, [2])]
    sample.references[0][0] = 7
    #expect(isRefused(sample.bytes))
  }

  @Test func anItemWithTwoEntriesIsRefused() {
    var sample = noPicture
    let old = Sample.full("infe", 0, Sample.number(2, 2) + [0, 0, 0, 0, 0])
    sample.entries = [Sample.entry(1, "iden"), old, Sample.entry(2, "hvc1")]
    #expect(isRefused(sample.bytes))
  }

  @Test(
    arguments: [
      [(1, "iden", [1])], [(1, "iovl", [1])], [(1, "iden", [2]), (2, "iden", [1])],
    ] as [[(Int, String, [Int])]]
  )
  func picturesThatAreMadeOfEachOtherAreRefused(items: [(Int, String, [Int])]) {
    let sample = Sample(
      items: items.map { ($0.0, $0.1, Sample.overlay + [0, 0, 0, 0]) },
      references: items.map { Sample.reference("dimg", $0.0, $0.2) }
    )
    #expect(isRefused(sample.bytes))
  }

  @Test func picturesThatAreAlphaOfEachOtherAreRefused() {
    let sample = Sample(
      items: [(1, "iovl", Sample.overlay), (2, "iovl", Sample.overlay)],
      references: [Sample.reference("auxl", 2, [1]), Sample.reference("auxl", 1, [2])],
      alpha: [1, 2]
    )
    #expect(isRefused(sample.bytes))
  }

  /// Each shows the next one twice.
  @Test func overlaysInOverlaysAreRefused() {
    let sample = Sample(
      items: (1...30).map { ($0, "iovl", Sample.overlay + [0, 0, 0, 0, 0, 0, 0, 0]) },
      references: (1..<30).map { Sample.reference("dimg", $0, [$0 + 1, $0 + 1]) }
    )
    #expect(isRefused(sample.bytes))
  }
}
#endif
