import CGTK
import FoundationEssentials
import IkranGTK
import IkranTesting
import Support
import Testing

extension GTKTests {
  /// Lists of images that a factory makes.
  @Suite @MainActor
  struct ImageListFactoryTests {
    private let transport = TestURL.origin()
    private let pipeline: ImagePipeline

    init() throws {
      try Display.open()
      pipeline = ImagePipeline.deterministic(transport: transport)
    }

    private func model(_ count: Int) throws -> OpaquePointer {
      let model = try #require(gtk_string_list_new(nil))
      for number in 0..<count { gtk_string_list_append(model, "\(number)") }
      return model
    }

    /// A window with a list of 200 × 200 points, 40 points a row.
    private func list(
      of model: OpaquePointer,
      _ factory: ImageListFactory
    ) throws -> (window: Window, scrolled: OpaquePointer) {
      let list = try #require(gtk_list_view_new(gtk_no_selection_new(model), nil))
      gtk_list_view_set_factory(OpaquePointer(list), factory.pointer)
      let scrolled = try #require(gtk_scrolled_window_new())
      gtk_scrolled_window_set_child(OpaquePointer(scrolled), list)
      return (try Window(scrolled, width: 200, height: 200), OpaquePointer(scrolled))
    }

    /// In two steps, as the rows stay where they are at a list's first one (GTK 4.8).
    private func scroll(_ scrolled: OpaquePointer, in window: Window, to value: Double) throws {
      let adjustment = gtk_scrolled_window_get_vadjustment(scrolled)
      let isBackward = value < gtk_adjustment_get_value(adjustment)
      for step in [value + (isBackward ? 40 : -40), value] {
        gtk_adjustment_set_value(adjustment, step)
        try window.drawFrames(3)
      }
    }

    private func request(_ item: ImageListFactory.Item) -> ImageRequest? {
      ImageRequest(TestURL.face(item.position), style: .small)
    }

    private var numbers: Set<Int> { Set(transport.requests.map { TestURL.number($0.url) }) }

    @Test func everyRowShowsTheImageOfItsItem() throws {
      let model = try model(100)
      let factory = ImageListFactory(width: 40, height: 40, from: pipeline) { request($0) }
      let (window, _) = try list(of: model, factory)
      try Display.run { numbers.isSuperset(of: 0..<5) }
      try window.drawFrames(4)
      let pixels = try window.pixels()
      #expect(pixels.color(x: 100, y: 20) == TestURL.color(0))
      window.close()
    }

    @Test func anItemSaysItsText() throws {
      let model = try model(3)
      var texts: [String] = []
      let factory = ImageListFactory(width: 40, height: 40, from: pipeline) { item in
        if let text = item.text { texts.append(text) }
        return nil
      }
      let (window, _) = try list(of: model, factory)
      try window.drawFrames(2)
      #expect(Set(texts) == ["0", "1", "2"])
      window.close()
    }

    @Test func aRowOfTheProgramsOwnWidgetsHasItsImageInOneOfThem() throws {
      let model = try model(3)
      var pictures: [ImageTarget] = []
      var bound: [Int] = []
      let factory = ImageListFactory(
        from: pipeline,
        setUp: {
          guard let box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0),
            let picture = gtk_picture_new()
          else { return nil }
          gtk_widget_set_size_request(picture, 40, 40)
          gtk_box_append(UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self), picture)
          pictures.append(ImageTarget(picture))
          return ImageListFactory.Widgets(row: box, picture: picture)
        },
        bind: { item, _ in bound.append(item.position) },
        request: { request($0) }
      )
      let (window, _) = try list(of: model, factory)
      try Display.run { pictures.filter(\.state.isShown).count == 3 }
      #expect(Set(bound) == [0, 1, 2])
      window.close()
    }

    @Test func theNextItemsAreLoadedBeforeTheirRowsCome() throws {
      let model = try model(2000)
      var bound: [Int] = []
      let factory = ImageListFactory(
        from: pipeline,
        setUp: { gtk_label_new("").map { .init(row: $0, picture: $0) } },
        bind: { item, _ in bound.append(item.position) },
        request: { request($0) }
      )
      factory.prefetch(from: model, count: 50)
      let (window, _) = try list(of: model, factory)
      try window.drawFrames(4)
      let last = try #require(bound.max())
      try Display.run { numbers.contains(last + 50) }
      #expect(numbers.max() == last + 50)
      window.close()
    }

    @Test func whereTheListIsScrolledBackTheItemsBeforeAreLoaded() throws {
      let model = try model(2000)
      let factory = ImageListFactory(width: 40, height: 40, from: pipeline) { request($0) }
      factory.prefetch(from: model, count: 300)
      let (window, scrolled) = try list(of: model, factory)
      try Display.run { numbers.contains(400) }
      try scroll(scrolled, in: window, to: 40_000)
      // Ahead of the rows around the thousandth.
      try Display.run { numbers.contains(1300) }
      #expect(!numbers.contains(700))
      try scroll(scrolled, in: window, to: 36_000)
      try Display.run { numbers.contains(700) }
      window.close()
    }

    @Test func imagesWithoutAStyleAreLoadedAheadInTheSizeOfTheRows() throws {
      let file = try TestURL.picture(1, width: 600, height: 600).encoded(as: .png)
      let transport = FakeTransport(body: file)
      let pipeline = ImagePipeline.deterministic(transport: transport)
      let model = try model(500)
      let factory = ImageListFactory(width: 40, height: 40, from: pipeline) { item in
        ImageRequest(TestURL.face(item.position))
      }
      factory.prefetch(from: model, count: 200)
      let (window, _) = try list(of: model, factory)
      let far = ImageRequest(
        TestURL.face(300),
        style: .fit(width: 224, height: 40, enlarges: false)
      )
      try Display.run { pipeline.cached(for: far) != nil }
      window.close()
    }

    @Test func whatTheListHasPassedIsCancelled() throws {
      let door = Latch()
      let pipeline = ImagePipeline.deterministic(transport: TestURL.origin(door))
      let model = try model(4000)
      var bound: Set<Int> = []
      let factory = ImageListFactory(width: 40, height: 40, from: pipeline) { item in
        bound.insert(item.position)
        return request(item)
      }
      factory.prefetch(from: model, count: 200, options: PrefetchOptions(maximumConcurrent: 200))
      let (window, scrolled) = try list(of: model, factory)
      try Display.run { pipeline.activity.requests >= 200 }
      try scroll(scrolled, in: window, to: 120_000)
      #expect(bound.contains(3000))
      // Rows in sight and out of it, and those ahead; nothing of the beginning.
      try Display.run { pipeline.activity.requests <= 420 }
      try scroll(scrolled, in: window, to: 40_000)
      #expect(bound.contains(1000))
      try Display.run { pipeline.activity.requests <= 420 }
      door.open()
      window.close()
    }

    @Test func aModelThatBecomesEmptyEndsWhatWasBegun() throws {
      let door = Latch()
      let pipeline = ImagePipeline.deterministic(transport: TestURL.origin(door))
      let model = try model(400)
      let factory = ImageListFactory(width: 40, height: 40, from: pipeline) { request($0) }
      factory.prefetch(from: model, count: 50)
      let (window, _) = try list(of: model, factory)
      try Display.run { pipeline.activity.requests > 0 }
      gtk_string_list_splice(model, 0, 400, nil)
      try Display.run { pipeline.activity.requests == 0 }
      window.close()
    }

    @Test func aListKeepsWhatItNeedsOfItsFactory() throws {
      let model = try model(100)
      var factory: ImageListFactory? = ImageListFactory(width: 40, height: 40, from: pipeline) {
        request($0)
      }
      weak let released = factory
      let (window, _) = try list(of: model, try #require(factory))
      factory = nil
      #expect(released == nil)
      try Display.run { numbers.isSuperset(of: 0..<5) }
      window.close()
    }

    @Test func aFactoryWithoutAListEndsWithWhatItHolds() throws {
      final class Owner {}
      weak var held: Owner?
      do {
        let owner = Owner()
        held = owner
        let factory = ImageListFactory(width: 40, height: 40, from: pipeline) { _ in
          withExtendedLifetime(owner) { nil }
        }
        _ = factory.pointer
      }
      #expect(held == nil)
    }
  }
}
