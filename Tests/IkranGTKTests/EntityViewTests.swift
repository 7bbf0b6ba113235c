import CGTK
import FoundationEssentials
import IkranGTK
import IkranStores
import IkranTesting
import Support
import Testing

extension GTKTests {
  /// Images of entities in views.
  @Suite @MainActor
  struct EntityViewTests {
    private struct Member: ImageEntity {
      var entityID = TableID("ana")
      var sourceVersionID = TableID("1")
      var sourceURL: URL? = TestURL.face(7)
    }

    private let folder: TemporaryDirectory
    private let transport = TestURL.origin()
    private let format = TableFormat("small", size: PixelSize(width: 16, height: 16))

    init() throws {
      try Display.open()
      folder = try TemporaryDirectory()
    }

    private func cache() throws -> EntityImageCache {
      let pipeline = ImagePipeline.deterministic(transport: transport)
      return try EntityImageCache(directory: folder.path, formats: [format]) { _, url in
        try await pipeline.image(from: url)
      }
    }

    @Test func itIsDrawnFromItsSourceAndThenInTheTable() throws {
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      let cache = try cache()
      view.setImage(Member(), format: "small", from: cache)
      #expect(view.url == TestURL.face(7))
      try Display.run { view.state.isShown }
      try window.drawFrames(1)
      #expect(try window.pixels().middle == TestURL.color(7))
      let again = try Window(width: 16, height: 16)
      let states = StateRecorder()
      let other = ImageTarget(again.widget)
      other.setImage(Member(), format: "small", from: cache, options: states.options)
      #expect(states.names == ["shown table"])
      #expect(transport.requests.count == 1)
    }

    @Test func anotherPictureOfAnEntityTakesThePlaceOfTheOldOne() throws {
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      let cache = try cache()
      view.setImage(Member(), format: "small", from: cache)
      try Display.run { view.state.isShown }
      let member = Member(sourceVersionID: TableID("2"), sourceURL: TestURL.face(8))
      view.setImage(member, format: "small", from: cache)
      try Display.run { view.state.isShown }
      try window.drawFrames(1)
      #expect(try window.pixels().middle == TestURL.color(8))
    }

    @Test func aNewImageEndsTheWaitForAnEntity() throws {
      let door = Latch()
      let seen = Recorder<String>()
      let cache = try EntityImageCache(directory: folder.path, formats: [format]) { _, _ in
        seen.add("asked")
        guard await door.wait() else {
          seen.add("gone")
          throw CancellationError()
        }
        return try TestURL.picture(7)
      }
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      view.setImage(Member(), format: "small", from: cache)
      try Display.run { seen.items == ["asked"] }
      view.setImage(try TestURL.picture(2))
      try Display.run { seen.items.last == "gone" }
      try window.drawFrames(2)
      #expect(try window.pixels().middle == TestURL.color(2))
    }

    @Test func aFormatThatTheCacheHasNotIsAFailure() throws {
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      view.setImage(Member(), format: "huge", from: try cache())
      try Display.run { view.state.hasFailed }
    }

    @Test func theScaleSaysHowManyPixelsMakeAPoint() throws {
      let picture = try #require(gtk_picture_new())
      g_object_ref_sink(picture)
      defer { g_object_unref(picture) }
      let cache = try cache()
      let window = try Window(width: 16, height: 16)
      ImageTarget(window.widget).setImage(Member(), format: "small", from: cache)
      try Display.run { ImageTarget(window.widget).state.isShown }
      for (scale, points) in [(1.0, 16), (2, 8)] {
        ImageTarget(picture).setImage(Member(), format: "small", from: cache, scale: scale)
        let paintable = gtk_picture_get_paintable(OpaquePointer(picture))
        #expect(gdk_paintable_get_intrinsic_width(paintable) == CInt(points))
      }
    }
  }
}
