import CGTK

/// A picture that may be larger than its room, and is dragged then.
@MainActor
final class ZoomArea: Widget {
  private typealias Plain = @convention(c) (gpointer?, gpointer?, gpointer?) -> Void
  private typealias AtPoint = @convention(c) (gpointer?, Double, Double, gpointer?) -> Void
  private typealias Click = @convention(c) (gpointer?, CInt, Double, Double, gpointer?) -> Void
  private typealias Scale = @convention(c) (gpointer?, Double, gpointer?) -> Void
  typealias Point = (x: Double, y: Double)

  /// How the user wants the size to change.
  enum Change: Sendable {
    /// The wheel was turned with Ctrl: the steps to enlarge by.
    case steps(Double)
    /// A double click.
    case toggle
    case pinchBegan
    /// How much further apart two fingers are than at the beginning.
    case pinched(Double)
  }

  let pointer: UnsafeMutablePointer<GtkWidget> = gtk_scrolled_window_new()
  let picture = Picture()
  private let change: @MainActor (Change, Point?) -> Void
  /// What is seen through the picture, below it.
  private let checkers = AnyWidget(pointer: gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
  /// Where the mouse was last; nil before it came.
  private var mouse: Point?
  /// Whether the whole picture is shown.
  private var isWhole = true
  private var checkersSize = (width: 0, height: 0)
  /// How far the picture was scrolled when a drag began.
  private var dragged: Point = (0, 0)

  /// Makes an area whose whole picture is shown.
  ///
  /// - Parameter change: Called with what the user does, and the point that is to stay where it is,
  ///   in points; nil is the middle.
  init(change: @escaping @MainActor (Change, Point?) -> Void) {
    self.change = change
    gtk_scrolled_window_set_child(opaque, layers())
    addMouse()
    addDrag()
    onControlWheel { [weak self] in self?.change(.steps($0), self?.mouse) }
    addDoubleClick()
    addPinch()
    for (keys, x, y) in [("Left", -1.0, 0.0), ("Right", 1, 0), ("Up", 0, -1), ("Down", 0, 1)] {
      addKeys(keys, phase: GTK_PHASE_BUBBLE, scope: GTK_SHORTCUT_SCOPE_LOCAL) { [weak self] in
        self?.pan(x: x, y: y) ?? false
      }
    }
  }

  /// Moves what is seen by tenths of the room; false where there is nothing more to see.
  private func pan(x: Double, y: Double) -> Bool {
    let before = offset
    gtk_adjustment_set_value(horizontal, before.x + x * Double(width) / 10)
    gtk_adjustment_set_value(vertical, before.y + y * Double(height) / 10)
    return offset != before
  }

  /// The picture on the squares, which need no room of their own.
  private func layers() -> UnsafeMutablePointer<GtkWidget>? {
    guard let layers = gtk_overlay_new() else { return nil }
    let overlay = OpaquePointer(layers)
    checkers.cssClasses("checkers").layout(horizontal: .center, vertical: .center)
    checkers.setVisible(false)
    gtk_overlay_set_child(overlay, gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
    gtk_overlay_add_overlay(overlay, checkers.pointer)
    gtk_overlay_add_overlay(overlay, picture.pointer)
    gtk_overlay_set_measure_overlay(overlay, picture.pointer, 1)
    return layers
  }

  // MARK: - Transparency

  /// Shows squares below the picture, as large as it is drawn; nil shows none.
  func showCheckers(_ size: (width: Int, height: Int)?) {
    checkers.setVisible(size != nil)
    guard let size, size != checkersSize else { return }
    checkersSize = size
    checkers.sizeRequest(width: size.width, height: size.height)
  }

  // MARK: - Size

  /// Shows the picture at another size, with what is at a point, or in the middle, where it was.
  func show(_ zoom: Zoom, insteadOf old: Zoom, keeping point: Point?) {
    let point = point ?? (Double(width) / 2, Double(height) / 2)
    setSize(zoom)
    move(horizontal, (old.size.width, zoom.size.width), keeping: point.x, in: Double(width))
    move(vertical, (old.size.height, zoom.size.height), keeping: point.y, in: Double(height))
  }

  /// Shows the whole picture.
  func reset() { setSize(nil) }

  private func setSize(_ zoom: Zoom?) {
    isWhole = zoom?.factor == nil
    guard let zoom, zoom.factor != nil else {
      picture.sizeRequest().layout(horizontal: .fill, vertical: .fill)
      return
    }
    picture.sizeRequest(
      width: Int(zoom.size.width.rounded()),
      height: Int(zoom.size.height.rounded())
    )
    .layout(horizontal: .center, vertical: .center)
  }

  /// Sets what the layout of the next frame will find, so that no frame shows another part.
  private func move(
    _ adjustment: UnsafeMutablePointer<GtkAdjustment>,
    _ length: (old: Double, new: Double),
    keeping point: Double,
    in room: Double
  ) {
    let old = (length.old, gtk_adjustment_get_value(adjustment))
    let offset = Zoom.offset(keeping: point, from: old, to: length.new, in: room)
    gtk_adjustment_configure(
      adjustment,
      offset,
      0,
      max(room, length.new.rounded()),
      room * 0.1,
      room * 0.9,
      room
    )
  }

  private var horizontal: UnsafeMutablePointer<GtkAdjustment> {
    gtk_scrolled_window_get_hadjustment(opaque)
  }

  private var vertical: UnsafeMutablePointer<GtkAdjustment> {
    gtk_scrolled_window_get_vadjustment(opaque)
  }

  /// How far the picture is scrolled, in points.
  var offset: Point { (gtk_adjustment_get_value(horizontal), gtk_adjustment_get_value(vertical)) }

  /// What is in the middle of what is seen, in parts of the picture; nil where that is all of it.
  var seenMiddle: Point? {
    func part(_ adjustment: UnsafeMutablePointer<GtkAdjustment>, _ room: Int) -> Double {
      let length = gtk_adjustment_get_upper(adjustment)
      guard length > gtk_adjustment_get_page_size(adjustment) else { return 0.5 }
      // The middle of all the room, of which scroll bars may take some.
      return (gtk_adjustment_get_value(adjustment) + Double(room) / 2) / length
    }
    return isWhole ? nil : (part(horizontal, width), part(vertical, height))
  }

  // MARK: - The mouse

  private func addMouse() {
    guard let motion = gtk_event_controller_motion_new() else { return }
    let handler: AtPoint = { CallbackData<Point, Void>.call($3, ($1, $2)) }
    for signal in ["enter", "motion"] {
      Self.connect(motion, signal, to: unsafeBitCast(handler, to: GCallback.self)) {
        [weak self] (point: Point) in self?.mouse = point
      }
    }
    gtk_widget_add_controller(pointer, motion)
  }

  /// Whether a scroll bar is at a point of the area, above the picture.
  func isScrollBar(at point: Point) -> Bool {
    var widget = gtk_widget_pick(pointer, point.x, point.y, GTK_PICK_DEFAULT)
    while let next = widget, next != pointer {
      let instance = UnsafeMutableRawPointer(next).assumingMemoryBound(to: GTypeInstance.self)
      if g_type_check_instance_is_a(instance, gtk_scrollbar_get_type()) != 0 { return true }
      widget = gtk_widget_get_parent(next)
    }
    return false
  }

  private func addDrag() {
    guard let gesture = gtk_gesture_drag_new() else { return }
    let handler: AtPoint = { CallbackData<Point, Void>.call($3, ($1, $2)) }
    let callback = unsafeBitCast(handler, to: GCallback.self)
    gtk_event_controller_set_propagation_phase(gesture, GTK_PHASE_CAPTURE)
    Self.connect(gesture, "drag-begin", to: callback) { [weak self] (point: Point) in
      guard let self, !isScrollBar(at: point) else {
        // The bars are below this gesture.
        gtk_gesture_set_state(gesture, GTK_EVENT_SEQUENCE_DENIED)
        return
      }
      dragged = offset
    }
    Self.connect(gesture, "drag-update", to: callback) { [weak self] (way: Point) in
      guard let self else { return }
      gtk_adjustment_set_value(horizontal, dragged.x - way.x)
      gtk_adjustment_set_value(vertical, dragged.y - way.y)
    }
    gtk_widget_add_controller(pointer, gesture)
  }

  private func addDoubleClick() {
    guard let gesture = gtk_gesture_click_new() else { return }
    let handler: Click = { _, count, x, y, data in
      if count == 2 { CallbackData<Point, Void>.call(data, (x, y)) }
    }
    let callback = unsafeBitCast(handler, to: GCallback.self)
    Self.connect(gesture, "pressed", to: callback) { [weak self] (point: Point) in
      if let self, !isScrollBar(at: point) { change(.toggle, point) }
    }
    gtk_widget_add_controller(pointer, gesture)
  }

  private func addPinch() {
    guard let gesture = gtk_gesture_zoom_new() else { return }
    gtk_event_controller_set_propagation_phase(gesture, GTK_PHASE_CAPTURE)
    let began: Plain = { CallbackData<Void, Void>.call($2, ()) }
    Self.connect(gesture, "begin", to: unsafeBitCast(began, to: GCallback.self)) {
      [weak self] (_: Void) in self?.change(.pinchBegan, nil)
    }
    let scaled: Scale = { CallbackData<Double, Void>.call($2, $1) }
    Self.connect(gesture, "scale-changed", to: unsafeBitCast(scaled, to: GCallback.self)) {
      [weak self] (factor: Double) in
      var (x, y) = (0.0, 0.0)
      let isKnown = gtk_gesture_get_bounding_box_center(gesture, &x, &y) != 0
      self?.change(.pinched(factor), isKnown ? (x, y) : nil)
    }
    gtk_widget_add_controller(pointer, gesture)
  }

  private static func connect<Value>(
    _ controller: OpaquePointer,
    _ signal: String,
    to handler: GCallback,
    body: @escaping @MainActor (Value) -> Void
  ) {
    g_signal_connect_data(
      UnsafeMutableRawPointer(controller),
      signal,
      handler,
      CallbackData<Value, Void>(body).retained(),
      { data, _ in releaseCallbackData(data) },
      GConnectFlags(0)
    )
  }
}
