import CGTK
import Glibc
import IkranGTK
import IkranTesting
import Testing

extension GTKTests {
  /// Which widgets show pictures.
  @Suite @MainActor
  struct WidgetKindTests {
    typealias Widget = UnsafeMutablePointer<GtkWidget>

    private let pipeline = ImagePipeline.deterministic(transport: TestURL.origin())

    /// Shows image 7 on a widget and says what is then in its middle.
    private func middle(_ widget: Widget?, inside child: (Widget) -> Widget? = { $0 }) throws
      -> Color?
    {
      let window = try Window(widget, width: 64, height: 64)
      let view = ImageTarget(window.widget)
      view.setImage(ImageRequest(TestURL.face(7), style: .small), from: pipeline)
      try Display.run { view.state.isShown }
      try window.drawFrames(2)
      return try window.pixels(of: try #require(child(window.widget))).middle
    }

    @Test func aPictureShowsIt() throws {
      try Display.open()
      #expect(try middle(gtk_picture_new()) == TestURL.color(7))
    }

    @Test func anImageShowsIt() throws {
      try Display.open()
      #expect(try middle(gtk_image_new()) == TestURL.color(7))
    }

    @Test func anImageIsAsLargeAsItsStyle() throws {
      for (own, expected) in [(-1, 48), (20, 20)] as [(CInt, CInt)] {
        try Display.open()
        let image = try #require(gtk_image_new())
        gtk_image_set_pixel_size(OpaquePointer(image), own)
        let window = try Window(image, width: -1, height: -1)
        let view = ImageTarget(image)
        let request = ImageRequest(TestURL.face(7), style: .rectangle(width: 48, height: 48))
        view.setImage(request, from: pipeline)
        try Display.run { view.state.isShown }
        try window.drawFrames(2)
        #expect(gtk_widget_get_width(image) == expected)
        let pixels = try window.pixels()
        for corner in [0, Int(expected) - 1] {
          #expect(pixels.color(x: corner, y: corner) == TestURL.color(7))
        }
        view.clearImage()
        for style in [Style.fit(width: 60, height: 50), .rectangle(width: 24, height: 24)] {
          view.setImage(ImageRequest(TestURL.face(7), style: style), from: pipeline)
          try Display.run { view.state.isShown }
        }
        #expect(gtk_image_get_pixel_size(OpaquePointer(image)) == (own < 0 ? 24 : own))
      }
    }

    @Test func aPictureIsMeasuredAsItsStyleSaysAlsoWhenItsSizeIsTheSame() throws {
      try Display.open()
      let picture = try #require(gtk_picture_new())
      let window = try Window(picture, width: 16, height: 16)
      let view = ImageTarget(picture)
      let fixed = Style.rectangle(width: 80, height: 80)
      let free = Style.fit(width: 80, height: 80)
      for (style, height) in [(fixed, 80), (free, 200), (fixed, 80)] as [(Style, CInt)] {
        view.setImage(ImageRequest(TestURL.face(7), style: style), from: pipeline)
        try Display.run { view.state.isShown }
        try window.drawFrames(2)
        var natural = CInt(0)
        gtk_widget_measure(picture, GTK_ORIENTATION_VERTICAL, 200, nil, &natural, nil, nil)
        #expect(natural == height)
      }
    }

    @Test func aStillOfThePictureStaysAsItIs() throws {
      try Display.open()
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      view.setImage(ImageRequest(TestURL.face(7), style: .small), from: pipeline)
      try Display.run { view.state.isShown }
      let paintable = try #require(gtk_picture_get_paintable(OpaquePointer(window.widget)))
      let still = try #require(gdk_paintable_get_current_image(paintable))
      #expect(still != paintable)
      #expect(gdk_paintable_get_intrinsic_width(still) == 16)
      let other = try Window(width: 16, height: 16)
      gtk_picture_set_paintable(OpaquePointer(other.widget), still)
      g_object_unref(UnsafeMutableRawPointer(still))
      view.clearImage()
      try other.drawFrames(2)
      #expect(try other.pixels().middle == TestURL.color(7))
    }

    @Test func aClosureIsReleasedOnceItHasThePaintable() throws {
      final class Owner {}
      try Display.open()
      let window = try Window(gtk_center_box_new(), width: 64, height: 64)
      weak var owner: Owner?
      do {
        let held = Owner()
        owner = held
        let view = ImageTarget(window.widget) { _ in withExtendedLifetime(held) {} }
        view.setImage(ImageRequest(TestURL.face(1), style: .small), from: pipeline)
      }
      #expect(owner == nil)
    }

    @Test func aPictureOfAFixedSizeHasItInARow() throws {
      try Display.open()
      let box = try #require(gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0))
      let typed = UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self)
      for widget in [gtk_picture_new(), gtk_button_new()] {
        gtk_box_append(typed, widget)
        let request = ImageRequest(TestURL.face(7), style: .circle(64))
        ImageTarget(try #require(widget)).setImage(request, from: pipeline)
      }
      var (least, natural) = (CInt(0), CInt(0))
      gtk_widget_measure(box, GTK_ORIENTATION_HORIZONTAL, -1, &least, &natural, nil, nil)
      #expect(natural >= 128)
      gtk_widget_measure(box, GTK_ORIENTATION_VERTICAL, natural, &least, &natural, nil, nil)
      #expect(natural >= 64)
      g_object_unref(g_object_ref_sink(box))
    }

    @Test func aPictureAsksForTheHeightThatItsWidthNeeds() throws {
      try Display.open()
      let picture = try #require(gtk_picture_new())
      let window = try Window(gtk_button_new(), width: 64, height: 64)
      for (widget, shown) in [(picture, picture), (window.widget, nil)] {
        let view = ImageTarget(widget)
        let request = ImageRequest(TestURL.face(7), style: .fit(width: 40, height: 30))
        pipeline.store(try TestURL.picture(7, width: 40, height: 30), for: request)
        view.setImage(request, from: pipeline)
        #expect(view.state.isShown)
        let button = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GtkButton.self)
        let measured = try #require(shown ?? gtk_button_get_child(button))
        var (least, natural) = (CInt(0), CInt(0))
        gtk_widget_measure(measured, GTK_ORIENTATION_VERTICAL, 300, &least, &natural, nil, nil)
        #expect(natural == 225)
        gtk_widget_measure(measured, GTK_ORIENTATION_HORIZONTAL, 60, &least, &natural, nil, nil)
        #expect(natural == 80)
      }
      g_object_unref(g_object_ref_sink(picture))
    }

    @Test func aButtonShowsItInAPictureOfItsOwn() throws {
      try Display.open()
      #expect(try middle(gtk_button_new()) == TestURL.color(7))
    }

    @Test func aWidgetKeepsWhatItHasBeforeTheFirstImage() throws {
      try Display.open()
      let button = try #require(gtk_button_new_with_label("Send"))
      let typed = UnsafeMutableRawPointer(button).assumingMemoryBound(to: GtkButton.self)
      let window = try Window(button, width: 64, height: 64)
      let view = ImageTarget(button)
      view.cancelImage()
      view.clearImage()
      #expect(view.state.isEmpty)
      try window.drawFrames(1)
      #expect(gtk_button_get_label(typed).map { String(cString: $0) } == "Send")
      view.setImage(ImageRequest(TestURL.face(7), style: .small), from: pipeline)
      #expect(gtk_button_get_label(typed) == nil)
    }

    @Test func aClosureMayComeAfterACancel() throws {
      try Display.open()
      let label = try #require(gtk_label_new(nil))
      let window = try Window(label, width: 64, height: 64)
      ImageTarget(label).cancelImage()
      var shown: OpaquePointer?
      let view = ImageTarget(label) { shown = $0 }
      view.setImage(ImageRequest(TestURL.face(7), style: .small), from: pipeline)
      try Display.run { view.state.isShown }
      #expect(shown != nil)
      withExtendedLifetime(window) {}
    }

    @Test func aButtonShowsItInTheChildThatItHas() throws {
      try Display.open()
      let button = try #require(gtk_button_new())
      let child = try #require(gtk_image_new())
      let typed = UnsafeMutableRawPointer(button).assumingMemoryBound(to: GtkButton.self)
      gtk_button_set_child(typed, child)
      #expect(try middle(button) { _ in gtk_button_get_child(typed) } == TestURL.color(7))
    }

    @Test func aButtonShowsItInPlaceOfItsIcon() throws {
      try Display.open()
      let button = try #require(gtk_button_new_from_icon_name("go-next-symbolic"))
      let typed = UnsafeMutableRawPointer(button).assumingMemoryBound(to: GtkButton.self)
      #expect(try middle(button) { _ in gtk_button_get_child(typed) } == TestURL.color(7))
    }

    @Test func aMenuButtonShowsIt() throws {
      try Display.open()
      #expect(try middle(gtk_menu_button_new()) == TestURL.color(7))
    }

    @Test(.enabled(if: hasAdwaita, "libadwaita-1-0 is not installed"))
    func anAvatarOfAdwaitaShowsItInPlaceOfItsInitials() throws {
      try Display.open()
      let library = try #require(dlopen("libadwaita-1.so.0", RTLD_NOW | RTLD_LOCAL))
      let symbol = try #require(dlsym(library, "adw_avatar_new"))
      typealias Make = @convention(c) (CInt, UnsafePointer<CChar>?, CInt) -> Widget?
      let avatar = try #require(unsafeBitCast(symbol, to: Make.self)(48, "Ana", 1))
      #expect(try middle(avatar) == TestURL.color(7))
    }

    @Test func anyOtherWidgetShowsItByAClosure() throws {
      try Display.open()
      let window = try Window(gtk_center_box_new(), width: 64, height: 64)
      let image = try #require(gtk_image_new())
      gtk_center_box_set_center_widget(OpaquePointer(window.widget), image)
      var calls = 0
      for number in [3, 4] {
        let view = ImageTarget(window.widget) { paintable in
          calls += 1
          gtk_image_set_from_paintable(OpaquePointer(image), paintable)
        }
        view.setImage(ImageRequest(TestURL.face(number), style: .small), from: pipeline)
        try Display.run { view.state.isShown }
        try window.drawFrames(2)
        #expect(try window.pixels(of: image).middle == TestURL.color(number))
      }
      #expect(calls == 1)
    }

    @Test func aWidgetWithoutPicturesFailsAtOnceAndSaysWhy() throws {
      try Display.open()
      let window = try Window(gtk_label_new("no picture"), width: 64, height: 64)
      let view = ImageTarget(window.widget)
      view.setImage(ImageRequest(TestURL.face(1)), from: pipeline)
      guard case .failed(.invalidRequest(let reason)) = view.state else {
        Issue.record("\(view.state)")
        return
      }
      #expect(reason.contains("GtkLabel"))
    }
  }
}

private let hasAdwaita = dlopen("libadwaita-1.so.0", RTLD_LAZY | RTLD_LOCAL) != nil
