import IkranCodecs
import IkranImageIO
import IkranPixels
import Testing

@Suite struct SourceFactsTests {
  private let picture = {
    var picture = SourceFacts.Picture()
    (picture.width, picture.height) = (40, 30)
    return picture
  }()

  private func animation(_ format: ImageFormat, _ durations: [Int]) -> SourceFacts {
    var facts = SourceFacts(format, count: durations.count)
    facts.durations = durations
    return facts
  }

  @Test func aHeaderSaysWhatImageIOSays() throws {
    var picture = picture
    picture.orientation = 6
    picture.hasAlpha = true
    picture.depth = 10
    let info = try SourceFacts(.heic, count: 1).info(picture)
    #expect(info.size == PixelSize(width: 40, height: 30))
    #expect(info.uprightSize == PixelSize(width: 30, height: 40))
    #expect(info.hasAlpha)
    #expect(info.bitsPerChannel == 10)
    #expect(info.frames == 1)
    #expect(info.loops == nil)
  }

  @Test(arguments: [0, 9, -1, 100_000])
  func anOrientationThatIsNoneIsUpright(orientation: Int) throws {
    var picture = picture
    picture.orientation = orientation
    #expect(try SourceFacts(.heic, count: 1).info(picture).orientation == .up)
  }

  @Test(arguments: [(nil, 30), (40, nil), (0, 30), (-40, 30)] as [(Int?, Int?)])
  func aPictureWithoutASizeIsRefused(width: Int?, height: Int?) {
    var picture = SourceFacts.Picture()
    (picture.width, picture.height) = (width, height)
    #expect(throws: DecodeError.unsupported(.avif, feature: "a picture without a size")) {
      try SourceFacts(.avif, count: 1).info(picture)
    }
  }

  @Test func aCollectionHasPagesOfWhichThePrimaryOneIsFirst() throws {
    var facts = SourceFacts(.heic, count: 4)
    facts.primary = 2
    #expect(try (0..<4).map { try facts.index(ofPage: $0) } == [2, 0, 1, 3])
    #expect(throws: DecodeError.noPage(.heic, 4, count: 4)) { try facts.index(ofPage: 4) }
    #expect(throws: DecodeError.noPage(.heic, -1, count: 4)) { try facts.index(ofPage: -1) }
    #expect(try facts.info(picture).frames == 4)
    #expect(try !facts.info(picture).isAnimated)
  }

  @Test func aPrimaryPictureThatIsNotThereIsTheFirst() throws {
    var facts = SourceFacts(.tiff, count: 2)
    facts.primary = 7
    #expect(try facts.index(ofPage: 0) == 0)
  }

  @Test func theSizesOfAnIconAreNeitherFramesNorPages() throws {
    let facts = SourceFacts(.ico, count: 5)
    #expect(try facts.info(picture).frames == 1)
    #expect(throws: DecodeError.noPage(.ico, 1, count: 1)) { try facts.index(ofPage: 1) }
  }

  @Test func framesHaveTheirTimes() throws {
    var facts = animation(.webp, [20, 0, 300])
    facts.loops = 2
    let info = try facts.info(picture)
    #expect(info.durations == [20, 0, 300])
    #expect(info.loops == 2)
    #expect(info.isAnimated)
    let frames = facts.animation(info, complete: 3, isPrefix: false, byteCount: 99)
    #expect(frames?.frames.map(\.duration) == [20, 100, 300])
    #expect(frames?.frames.allSatisfy(\.isKey) == true)
    #expect(frames?.plays == 2)
    #expect(frames?.isComplete == true)
  }

  @Test func ofAFileThatIsCutOffTheFirstFramesAreThere() throws {
    let facts = animation(.png, [20, 20, 20])
    let info = try facts.info(picture)
    let cut = facts.animation(info, complete: 2, isPrefix: false, byteCount: 99)
    #expect(cut?.frames.count == 2)
    #expect(cut?.end == .broken(.truncated(.png, offset: 99)))
    let beginning = facts.animation(info, complete: 1, isPrefix: true, byteCount: 99)
    #expect(beginning?.frames.count == 1)
    #expect(beginning?.end == .arriving)
  }

  @Test func oneFrameOfAWholeFileIsAStill() throws {
    let facts = animation(.gif, [20])
    let info = try facts.info(picture)
    #expect(facts.animation(info, complete: 1, isPrefix: false, byteCount: 99) == nil)
    #expect(!info.isAnimated)
    let none = animation(.gif, [20, 20])
    #expect(none.animation(info, complete: 0, isPrefix: true, byteCount: 99) == nil)
  }

  @Test(arguments: [ImageFormat.jpeg, .png])
  func pixelsArriveInRowsOrPasses(format: ImageFormat) {
    var picture = picture
    #expect(SourceFacts(format, count: 1).order(picture) == .rows)
    picture.hasPasses = true
    #expect(SourceFacts(format, count: 1).order(picture) == .passes)
    #expect(SourceFacts(format, count: 0).order(picture) == nil)
    #expect(SourceFacts(format, count: 1).order(SourceFacts.Picture()) == nil)
  }

  @Test func ofOtherFormatsAndAnimationsNoPartIsShown() {
    #expect(SourceFacts(.heic, count: 1).order(picture) == .unknown)
    #expect(animation(.png, [20]).order(picture) == .unknown)
  }
}
