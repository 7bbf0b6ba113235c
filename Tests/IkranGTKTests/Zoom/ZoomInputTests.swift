import CGTK
import IkranTesting
import Testing

@testable import IkranGTK

extension GTKTests {
  /// What the mouse, fingers and keys do to a zoomed picture.
  @Suite @MainActor
  struct ZoomInputTests {
    /// A view of 200 × 150 points on a picture of 1000 × 800 pixels.
    private let window: Window
    private let view: ZoomView

    init() throws {
      window = try Window(width: 200, height: 150)
      view = ZoomView(window.widget)
      let image = try Bitmap(.white, size: PixelSize(width: 1_000, height: 800))
      let view = view
      view.show(try image.encoded(as: .png), options: ZoomOptions(factor: 1))
      try Display.run { view.isSharp }
    }

    private var corner: [Int]? { view.visibleRegion.map { [$0.x, $0.y] } }

    @Test func keysZoom() {
      #expect(view.content.receive(.key(.zoomIn)))
      #expect(view.factor == 1.4)
      _ = view.content.receive(.key(.zoomOut))
      #expect(view.factor == 1)
      _ = view.content.receive(.key(.whole))
      #expect(view.factor == nil)
      _ = view.content.receive(.key(.pixels))
      #expect(view.factor == 1)
    }

    @Test func keysMove() {
      _ = view.content.receive(.key(.start))
      #expect(corner == [0, 0])
      _ = view.content.receive(.key(.right))
      _ = view.content.receive(.key(.down))
      #expect(corner == [20, 15])
      _ = view.content.receive(.key(.pageDown))
      #expect(corner == [20, 150])
      _ = view.content.receive(.key(.end))
      #expect(corner == [800, 650])
    }

    @Test func theWheelScrollsUntilThePictureEnds() {
      view.center(x: 0, y: 0)
      #expect(view.content.receive(.wheel(x: 0, y: 2, isTouchpad: false, zooms: false)))
      #expect(corner == [0, 30])
      #expect(view.content.receive(.wheel(x: 7, y: -4, isTouchpad: true, zooms: false)))
      #expect(corner == [7, 26])
      view.center(x: 0, y: 0)
      #expect(!view.content.receive(.wheel(x: 0, y: -1, isTouchpad: false, zooms: false)))
    }

    @Test func withControlTheWheelZoomsAtTheMouse() {
      view.center(x: 500, y: 400)
      _ = view.content.receive(.mouse(x: 0, y: 0))
      let before = corner
      #expect(view.content.receive(.wheel(x: 0, y: -1, isTouchpad: false, zooms: true)))
      #expect(view.factor == 1.4)
      #expect(corner == before)
    }

    @Test func aDragMovesThePicture() {
      view.center(x: 500, y: 400)
      #expect(corner == [400, 325])
      _ = view.content.receive(.dragBegan)
      _ = view.content.receive(.dragged(x: 10, y: 5))
      _ = view.content.receive(.dragged(x: 30, y: -5))
      #expect(corner == [370, 330])
    }

    @Test func aPinchZoomsBetweenTheFingers() {
      view.center(x: 500, y: 400)
      _ = view.content.receive(.pinchBegan)
      _ = view.content.receive(.pinched(1.5, x: 0, y: 0))
      _ = view.content.receive(.pinched(2, x: 0, y: 0))
      #expect(view.factor == 2)
      #expect(corner == [400, 325])
    }

    @Test func aDoubleClickShowsTheWholePictureAndThenItsPixels() {
      #expect(!view.content.receive(.clicks(1, x: 10, y: 10)))
      _ = view.content.receive(.clicks(2, x: 10, y: 10))
      #expect(view.factor == nil)
      _ = view.content.receive(.clicks(2, x: 0, y: 0))
      #expect(view.factor == 1)
      #expect(corner == [0, 0])
    }

    @Test(arguments: [true, false])
    func aClickTakesTheFocus(isShown: Bool) {
      if !isShown { view.clear() }
      #expect(gtk_widget_is_focus(window.widget) == 0)
      #expect(!view.content.receive(.clicks(1, x: 10, y: 10)))
      #expect(gtk_widget_is_focus(window.widget) != 0)
    }

    @Test func keysThatChangeNothingGoOn() {
      _ = view.content.receive(.key(.end))
      #expect(!view.content.receive(.key(.end)))
      #expect(!view.content.receive(.key(.right)))
      #expect(!view.content.receive(.key(.pageDown)))
      #expect(!view.content.receive(.key(.pixels)))
      #expect(view.content.receive(.key(.left)))
      #expect(view.content.receive(.key(.whole)))
      #expect(!view.content.receive(.key(.whole)))
    }

    @Test func aPinchDragsNothing() {
      view.center(x: 500, y: 400)
      _ = view.content.receive(.dragBegan)
      _ = view.content.receive(.dragged(x: 10, y: 0))
      #expect(corner == [390, 325])
      _ = view.content.receive(.pinchBegan)
      _ = view.content.receive(.dragged(x: 60, y: 60))
      #expect(corner == [390, 325])
      _ = view.content.receive(.pinchEnded)
      // It goes on from where the finger is now.
      _ = view.content.receive(.dragged(x: 70, y: 60))
      #expect(corner == [380, 325])
      _ = view.content.receive(.pinched(3, x: 0, y: 0))
      #expect(view.factor == 1)
    }

    @Test func theWidgetsPinchBeginsAndEnds() throws {
      try emit("begin")
      #expect(view.content.pinched == 1)
      try emit("end")
      #expect(view.content.pinched == nil)
    }

    @Test func aNewPictureEndsAPinch() throws {
      _ = view.content.receive(.pinchBegan)
      view.show(try TestURL.file(1))
      #expect(view.content.pinched == nil)
    }

    @Test func theWidgetsKeysComeHere() throws {
      #expect(gtk_widget_get_focusable(window.widget) != 0)
      #expect(try press(GDK_KEY_KP_Add))
      #expect(view.factor == 1.4)
      #expect(try !press(GDK_KEY_a))
      #expect(try !press(GDK_KEY_0, GDK_CONTROL_MASK))
      #expect(view.factor == 1.4)
      #expect(try press(GDK_KEY_plus, GDK_SHIFT_MASK))
      let before = corner
      #expect(try !press(GDK_KEY_Left, GDK_SHIFT_MASK))
      #expect(corner == before)
    }

    /// Lets the widget's controller have a key; whether it was taken.
    private func press(_ key: CInt, _ state: GdkModifierType = GdkModifierType(0)) throws -> Bool {
      let keys = try #require(controller(gtk_event_controller_key_get_type()))
      defer { g_object_unref(keys) }
      var values = [GValue](repeating: GValue(), count: 4)
      g_value_init(&values[0], gtk_event_controller_key_get_type())
      g_value_set_object(&values[0], keys)
      for index in 1...2 { g_value_init(&values[index], g_type_from_name("guint")) }
      g_value_set_uint(&values[1], CUnsignedInt(bitPattern: key))
      g_value_init(&values[3], gdk_modifier_type_get_type())
      g_value_set_flags(&values[3], state.rawValue)
      var result = GValue()
      g_value_init(&result, g_type_from_name("gboolean"))
      defer { for index in values.indices { g_value_unset(&values[index]) } }
      let signal = g_signal_lookup("key-pressed", gtk_event_controller_key_get_type())
      g_signal_emitv(&values, signal, 0, &result)
      return g_value_get_boolean(&result) != 0
    }

    /// Lets the widget's pinch begin or end.
    private func emit(_ signal: String) throws {
      let pinch = try #require(controller(gtk_gesture_zoom_get_type()))
      defer { g_object_unref(pinch) }
      var values = [GValue](repeating: GValue(), count: 2)
      g_value_init(&values[0], gtk_gesture_zoom_get_type())
      g_value_set_object(&values[0], pinch)
      g_value_init(&values[1], gdk_event_sequence_get_type())
      defer { for index in values.indices { g_value_unset(&values[index]) } }
      g_signal_emitv(&values, g_signal_lookup(signal, gtk_gesture_get_type()), 0, nil)
    }

    /// A controller of the widget's, with a reference of its own.
    private func controller(_ type: GType) -> UnsafeMutableRawPointer? {
      let all = gtk_widget_observe_controllers(window.widget)
      defer { g_object_unref(UnsafeMutableRawPointer(all)) }
      for index in 0..<g_list_model_get_n_items(all) {
        guard let found = g_list_model_get_item(all, index) else { continue }
        let instance = found.assumingMemoryBound(to: GTypeInstance.self)
        if g_type_check_instance_is_a(instance, type) != 0 { return found }
        g_object_unref(found)
      }
      return nil
    }
  }
}
