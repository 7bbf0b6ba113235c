import CGTK
import FoundationEssentials
import IkranGTK
import Support
import Testing

extension GTKTests {
  /// The code of the article "Pictures on GTK 4 widgets".
  @Suite @MainActor
  struct GTKArticleTests {
    private let pipeline = ImagePipeline.deterministic(transport: TestURL.origin())
    private let url = TestURL.face(1)

    @Test func allOfItIsCompiled() throws {
      let programs = ["PictureWindow", "FaceList", "MemberRow"]
      let missing = try Article("GTKViews")
        .lines(missingIn: "IkranGTKTests/GTKArticleTests", programs: programs)
      #expect(missing == [])
    }

    @Test func theViewOfTheOverviewShowsItsImage() throws {
      let window = try Window(width: 48, height: 48)
      let picture = window.widget
      let hash = try TestURL.picture(1).thumbHash()
      do {
        let view = ImageTarget(picture)
        var request = ImageRequest(url, style: .circle(48))
        request.filters = [.grayed()]
        view.setImage(
          request,
          from: pipeline,
          options: DisplayOptions(
            placeholder: .thumbHash(hash),
            failure: .color(.black),
            indicator: .progress,
            transition: .fade(),
            contentMode: .cover
          )
        )
        ImageTarget(picture, slot: .hovered).setImage(
          url,
          style: .circle(48),
          filters: [.brightness(0.1)]
        )
        try Display.run { view.state.isShown }
      }
    }

    @Test func aStandInIsShownUntilTheImageIsThere() throws {
      let window = try Window(width: 48, height: 48)
      let picture = window.widget
      let (url, smallURL) = (URL(filePath: "/nowhere/3"), URL(filePath: "/nowhere/4"))
      ImageTarget(picture).setImage(try TestURL.picture(1))
      var options = DisplayOptions(placeholder: .color(.black), transition: .fade())
      options.standIns = [
        .style(.fill(width: 96, height: 96)), .request(ImageRequest(smallURL)), .present,
      ]
      ImageTarget(picture).setImage(ImageRequest(url), options: options)
      try Display.run { ImageTarget(picture).state.hasFailed }
      try window.drawFrames(1)
      #expect(try window.pixels().middle == TestURL.color(1))
    }

    @Test func aTransitionOfTheProgramEndsWithTheImage() throws {
      let window = try Window(width: 48, height: 48)
      let picture = window.widget
      do {
        let request = ImageRequest(url, style: .rectangle(width: 48, height: 48))
        let zoom = Transition.custom(id: "zoom", .milliseconds(300)) { progress in
          Transition.Moment(
            old: Transition.Placement(scale: 1 + progress / 2),
            new: Transition.Placement(opacity: progress, scale: 0.5 + progress / 2)
          )
        }
        ImageTarget(picture).setImage(
          request,
          from: pipeline,
          options: DisplayOptions(placeholder: .color(.black), transition: zoom)
        )
        try Display.run { ImageTarget(picture).state.isShown }
        try Display.run { (try? window.pixels().middle) == TestURL.color(1) }
      }
    }

    @Test func aClosureFindsThePixels() throws {
      let window = try Window(width: 48, height: 48)
      let view = ImageTarget(window.widget)
      var sizes: [PixelSize] = []
      func print(_ size: PixelSize) { sizes.append(size) }
      var options = DisplayOptions()
      options.onChange = { state in
        if case .shown = state, let image = view.image { print(image.size) }
      }
      let request = ImageRequest(url, style: .circle(48))
      view.setImage(request, from: pipeline, options: options)
      try Display.run { view.state.isShown }
      #expect(sizes == [PixelSize(width: 48, height: 48)])
    }

    @Test func aProgramTakesTheImageAndShowsItsOwn() throws {
      let window = try Window(width: 48, height: 48)
      let view = ImageTarget(window.widget)
      do {
        var options = DisplayOptions(placeholder: .color(.black))
        options.onImage = { image, _ in
          let toned = try? image.filtered([.sepia()])
          view.setImage(toned ?? image)
        }
        let request = ImageRequest(url, style: .circle(48))
        view.setImage(request, from: pipeline, options: options)
        try Display.run { view.state.isShown }
        #expect(view.url == nil)
      }
    }

    @Test func aLargePictureIsZoomed() throws {
      let window = try Window(width: 48, height: 48)
      let picture = window.widget
      do {
        let view = ZoomView(picture)
        view.show(ImageRequest(url), from: pipeline)
        view.zoom(by: 2)
        try Display.run { view.isSharp }
      }
    }

    @Test func aWidgetOfAdwaitaSwiftShowsAnImage() throws {
      try Display.open()
      // A file that is not there: nothing is loaded from a network.
      let url = URL(filePath: "/nowhere/1")
      let storage = RemotePicture(url: url).container(data: WidgetData(), type: RenderData.self)
      let picture = try #require(storage.opaquePointer)
      #expect(ImageTarget(picture).url == url)
      g_object_unref(g_object_ref_sink(UnsafeMutableRawPointer(picture)))
    }

    @Test func aButtonOfSwiftCrossUIShowsAnImage() throws {
      let window = try Window(gtk_button_new(), width: 48, height: 48)
      let url = URL(filePath: "/nowhere/2")
      func openProfile() {}
      _ = CrossUI(widget: window.widget).build { Button in
        Button("Ana") { openProfile() }
          .inspect { (button: Gtk.Button) in
            let target = ImageTarget(UnsafeMutableRawPointer(button.widgetPointer))
            target.setImage(url, style: .circle(48))
          }
      }
      #expect(ImageTarget(window.widget).url == url)
    }
  }
}

// What the article names of adwaita-swift, as its declarations are.
private protocol ViewRenderData {}
private struct RenderData: ViewRenderData {}
private struct WidgetData {}

private final class ViewStorage {
  let opaquePointer: OpaquePointer?
  init(_ pointer: OpaquePointer?) { opaquePointer = pointer }
}

private protocol AdwaitaWidget {
  func container<Data>(data: WidgetData, type: Data.Type) -> ViewStorage where Data: ViewRenderData
  func update<Data>(
    _ storage: ViewStorage,
    data: WidgetData,
    updateProperties: Bool,
    type: Data.Type
  ) where Data: ViewRenderData
}

/// A picture that comes from a URL.
private struct RemotePicture: AdwaitaWidget {
  let url: URL?

  func container<Data>(data: WidgetData, type: Data.Type) -> ViewStorage
  where Data: ViewRenderData {
    let storage = ViewStorage(gtk_picture_new().map { OpaquePointer($0) })
    update(storage, data: data, updateProperties: true, type: type)
    return storage
  }

  func update<Data>(
    _ storage: ViewStorage,
    data: WidgetData,
    updateProperties: Bool,
    type: Data.Type
  ) where Data: ViewRenderData {
    guard updateProperties, let pointer = storage.opaquePointer else { return }
    nonisolated(unsafe) let widget = pointer  // views are updated on the main thread
    MainActor.assumeIsolated { ImageTarget(widget).setImage(url, style: .circle(48)) }
  }
}

// What the article names of SwiftCrossUI: a button whose widget is there already.
private enum Gtk {
  @MainActor struct Button { let widgetPointer: UnsafeMutablePointer<GtkWidget> }
}

@MainActor
private struct CrossUI {
  let widget: UnsafeMutablePointer<GtkWidget>

  @MainActor struct View {
    let widget: UnsafeMutablePointer<GtkWidget>
    func inspect(_ action: @MainActor (Gtk.Button) -> Void) -> View {
      action(Gtk.Button(widgetPointer: widget))
      return self
    }
  }

  func build(_ body: ((String, @escaping () -> Void) -> View) -> View) -> View {
    body { _, _ in View(widget: widget) }
  }
}
