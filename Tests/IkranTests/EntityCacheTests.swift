import FoundationEssentials
import IkranStores
import Support
import Testing

@testable import Ikran

/// A member with a photo, as a program that knew FastImageCache has them.
struct TestMember: ImageEntity {
  var name = "ana"
  var version = "1"
  var sourceURL: URL? = URL(string: "photos://ana")
  var drawing: @Sendable (Bitmap, inout Canvas, TableFormat) throws -> Void = { image, canvas, _ in
    try canvas.draw(image)
  }

  var entityID: TableID { TableID(name) }
  var sourceVersionID: TableID { TableID(version) }

  func draw(_ source: Bitmap, into canvas: inout Canvas, format: TableFormat) throws {
    try drawing(source, &canvas, format)
  }
}

/// Where the tests' caches are and what they hold.
struct EntityFixture {
  static let small = TableFormat("small", size: .init(width: 8, height: 8), family: "member")
  static let large = TableFormat(
    "large",
    size: PixelSize(width: 16, height: 12),
    pixels: .bgr,
    family: "member"
  )
  static let lonely = TableFormat("lonely", size: .init(width: 9, height: 9), pixels: .gray)

  let folder: TemporaryDirectory
  let errors = Recorder<ImageError>()

  init() throws { folder = try TemporaryDirectory() }

  func cache(
    _ options: EntityCacheOptions = EntityCacheOptions(),
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    source: @escaping SourceProvider
  ) throws -> EntityImageCache {
    let formats = [Self.small, Self.large, Self.lonely]
    let tables = try EntityTables(directory: folder.path, formats: formats) { [errors] in
      errors.add($0)
    }
    return EntityImageCache(tables, options: options, source: source, sleep: sleep)
  }

  /// A picture of one gray.
  static func plain(_ level: UInt8) throws -> Bitmap {
    var canvas = try Canvas(size: PixelSize(width: 20, height: 20), format: .bgrx)
    canvas.withMutableBytes { bytes in
      for index in bytes.indices { bytes[index] = index % 4 == 3 ? 255 : level }
    }
    return canvas.finish()
  }

  /// The gray of a picture that has only one; nil when it has several.
  static func level(_ image: Bitmap?) throws -> UInt8? {
    guard let pixels = try image?.straightRGBA() else { return nil }
    let levels = Set(pixels.indices.lazy.filter { $0 % 4 != 3 }.map { pixels[$0] })
    return levels.count == 1 ? levels.first : nil
  }
}

@Suite(.timeLimit(.minutes(10)))
struct EntityCacheTests {
  private let fixture: EntityFixture
  private let asked = Counter()

  init() throws { fixture = try EntityFixture() }

  /// A cache whose sources are pictures of one gray, at once.
  private func cache(
    _ level: UInt8 = 100,
    _ options: EntityCacheOptions = EntityCacheOptions()
  ) throws -> EntityImageCache {
    try fixture.cache(options) { [asked] _, _ in
      asked.add()
      return try EntityFixture.plain(level)
    }
  }

  @Test func anImageIsDrawnOnceAndThenThereAtOnce() async throws {
    let cache = try cache()
    let ana = TestMember()
    #expect(cache.image(for: ana, format: "small") == nil)
    #expect(!cache.exists(ana, format: "small"))
    let image = try await cache.retrieve(ana, format: "small")
    #expect(image.size == EntityFixture.small.size)
    #expect(try EntityFixture.level(image) == 100)
    #expect(try EntityFixture.level(cache.image(for: ana, format: "small")) == 100)
    #expect(cache.exists(ana, format: "small"))
    _ = try await cache.retrieve(ana, format: "small")
    #expect(asked.count == 1)
  }

  @Test func aLaterProcessFindsIt() async throws {
    try await cache().retrieve(TestMember(), format: "small")
    #expect(try cache().image(for: TestMember(), format: "small") != nil)
    #expect(asked.count == 1)
  }

  @Test func oneSourceFillsTheFamilyAndNoOther() async throws {
    let cache = try cache()
    try await cache.retrieve(TestMember(), format: "small")
    let large = cache.image(for: TestMember(), format: "large")
    #expect(large?.size == EntityFixture.large.size)
    #expect(large?.format == .bgr)
    #expect(cache.image(for: TestMember(), format: "lonely") == nil)
    #expect(asked.count == 1)
  }

  @Test func aFamilyIsDrawnOneByOneOnRequest() async throws {
    let cache = try cache(100, EntityCacheOptions(drawsWholeFamily: false))
    try await cache.retrieve(TestMember(), format: "small")
    #expect(cache.image(for: TestMember(), format: "large") == nil)
  }

  @Test func whatTheFamilyHasAlreadyIsNotDrawnAgain() async throws {
    let drawn = Recorder<String>()
    var ana = TestMember()
    ana.drawing = { image, canvas, format in
      drawn.add(format.name)
      try canvas.draw(image)
    }
    let cache = try cache()
    try await cache.retrieve(ana, format: "small")
    try await cache.delete(ana, format: "large")
    try await cache.retrieve(ana, format: "large")
    #expect(drawn.items == ["small", "large", "large"])
  }

  @Test func aNewVersionIsDrawnAnew() async throws {
    try await cache(100).retrieve(TestMember(), format: "small")
    let cache = try cache(200)
    let newer = TestMember(version: "2")
    #expect(cache.image(for: newer, format: "small") == nil)
    #expect(try EntityFixture.level(await cache.retrieve(newer, format: "small")) == 200)
    #expect(cache.image(for: TestMember(), format: "small") == nil)
  }

  @Test func anImageOfOnesOwnIsSet() async throws {
    let cache = try cache()
    let ana = TestMember(sourceURL: nil)
    try await cache.setImage(EntityFixture.plain(50), for: ana, format: "small")
    #expect(try EntityFixture.level(cache.image(for: ana, format: "small")) == 50)
    #expect(try EntityFixture.level(cache.image(for: ana, format: "large")) == 50)
    try await cache.setImage(EntityFixture.plain(60), for: ana, format: "large")
    #expect(try EntityFixture.level(cache.image(for: ana, format: "small")) == 60)
    #expect(asked.count == 0)
  }

  @Test func deletingTakesOneFormatOrAll() async throws {
    let cache = try cache()
    let (ana, ben) = (TestMember(), TestMember(name: "ben"))
    for member in [ana, ben] { try await cache.retrieve(member, format: "small") }
    try await cache.delete(ana, format: "small")
    #expect(!cache.exists(ana, format: "small"))
    #expect(cache.exists(ana, format: "large"))
    try await cache.delete(ana)
    #expect(!cache.exists(ana, format: "large"))
    #expect(cache.exists(ben, format: "small"))
  }

  @Test func resettingEmptiesTheTablesAndLeavesWhatViewsHold() async throws {
    let cache = try cache()
    let held = try await cache.retrieve(TestMember(), format: "small")
    try await cache.retrieve(TestMember(), format: "lonely")
    try await cache.reset(format: "small")
    #expect(!cache.exists(TestMember(), format: "small"))
    #expect(cache.exists(TestMember(), format: "large"))
    try await cache.reset()
    #expect(!cache.exists(TestMember(), format: "lonely"))
    #expect(try EntityFixture.level(held) == 100)
  }

  @Test func filesThatAreNotTheFormatsAreLeftAlone() async throws {
    let names = ["old-format.table", "notes.txt"]
    for name in names { try Files.create(fixture.folder.path + "/" + name, [1, 2, 3]) }
    let cache = try cache()
    try await cache.retrieve(TestMember(), format: "small")
    try await cache.reset()
    for name in names { #expect(try Files.read(fixture.folder.path + "/" + name) == [1, 2, 3]) }
  }

  @Test(arguments: [
    [], [EntityFixture.small, EntityFixture.small],
    [TableFormat("", size: PixelSize(width: 1, height: 1))],
    [TableFormat("flat", size: PixelSize(width: 0, height: 5))],
    [TableFormat("none", size: PixelSize(width: 5, height: 5), maximumCount: 0)],
  ])
  func formatsThatMakeNoSenseAreRefused(formats: [TableFormat]) throws {
    #expect {
      try EntityImageCache(directory: fixture.folder.path, formats: formats) { _, _ in nil }
    } throws: { error in
      if case ImageError.table(.invalidFormat) = error { true } else { false }
    }
  }

  @Test func anUnknownFormatIsAnErrorThatNamesTheKnown() async throws {
    let cache = try cache()
    #expect(cache.image(for: TestMember(), format: "huge") == nil)
    await #expect {
      try await cache.retrieve(TestMember(), format: "huge")
    } throws: { error in
      "\(error)".contains("huge") && "\(error)".contains("small, large, lonely")
    }
  }

  @Test func aTableThatFailsIsReportedAndItsImagesAreDrawnAllTheSame() async throws {
    let foreign = Array("somebody else's".utf8)
    try Files.create(fixture.folder.path + "/small.table", foreign)
    let cache = try cache()
    let image = try await cache.retrieve(TestMember(), format: "small")
    #expect(try EntityFixture.level(image) == 100)
    #expect(!cache.exists(TestMember(), format: "small"))
    #expect(fixture.errors.items.contains { if case .table = $0 { true } else { false } })
    #expect(try Files.read(fixture.folder.path + "/small.table") == foreign)
  }

  @Test func aFolderThatCannotBeMadeCostsTheTablesOnly() async throws {
    let cache = try EntityImageCache(
      directory: "/proc/none",
      formats: [EntityFixture.small],
      onError: { [errors = fixture.errors] in errors.add($0) }
    ) { _, _ in try EntityFixture.plain(9) }
    #expect(try EntityFixture.level(await cache.retrieve(TestMember(), format: "small")) == 9)
    #expect(!fixture.errors.items.isEmpty)
  }

  @Test func aBitmapThatIsHeldOutlivesItsReplacement() async throws {
    let cache = try cache()
    let held = try await cache.retrieve(TestMember(), format: "small")
    try await cache.setImage(EntityFixture.plain(7), for: TestMember(), format: "small")
    #expect(try EntityFixture.level(held) == 100)
    #expect(try EntityFixture.level(cache.image(for: TestMember(), format: "small")) == 7)
  }

  @Test func prefetchingIsHarmless() async throws {
    let cache = try cache()
    try await cache.retrieve(TestMember(), format: "small")
    cache.prefetch([TestMember(), TestMember(name: "nobody")], format: "small")
    cache.prefetch([TestMember()], format: "unknown")
    #expect(cache.image(for: TestMember(), format: "small") != nil)
  }
}
