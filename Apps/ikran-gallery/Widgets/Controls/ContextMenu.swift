import CGTK

/// A menu of a part of a widget, such as a cell.
@MainActor
final class ContextMenu {
  /// A line of it.
  struct Entry {
    let title: String
    /// What its action is called, after `cell.`.
    let name: String
    /// Whether it is only for files of this machine.
    let wantsFile: Bool
    /// Called with the number of what the menu is for.
    let body: @MainActor (Int) -> Void
  }

  /// Where a menu is, in points of the widget.
  typealias Area = (x: Int, y: Int, width: Int, height: Int)

  private typealias Activation = @convention(c) (gpointer?, gpointer?, gpointer?) -> Void

  private let popover: UnsafeMutablePointer<GtkWidget>
  private var fileActions: [OpaquePointer] = []
  /// What the menu is for.
  private(set) var number: Int?
  /// Called when it is closed: the keyboard is nowhere then, unless it was on a widget before.
  var onClose: @MainActor () -> Void = {}

  /// Adds a menu to a widget, which keeps it.
  init(on widget: any Widget, _ entries: [Entry]) {
    let menu = g_menu_new()
    popover = gtk_popover_menu_new_from_model(menu.map { GMenuModel.pointer($0) })
    gtk_widget_set_parent(popover, widget.pointer)
    Signals.connect(widget.raw, "destroy") { [popover] in gtk_widget_unparent(popover) }
    gtk_popover_set_has_arrow(gtkPopover, 0)
    Signals.connect(UnsafeMutableRawPointer(popover), "closed") { [weak self] in self?.onClose() }
    let group = g_simple_action_group_new()
    for entry in entries {
      g_menu_append(menu, entry.title, "cell." + entry.name)
      if let action = makeAction(entry) {
        group.map { g_action_map_add_action(OpaquePointer($0), action) }
        if entry.wantsFile { fileActions.append(action) }
        // The group keeps it.
        g_object_unref(UnsafeMutableRawPointer(action))
      }
    }
    gtk_widget_insert_action_group(widget.pointer, "cell", group.map { OpaquePointer($0) })
    if let group { g_object_unref(UnsafeMutableRawPointer(group)) }
    if let menu { g_object_unref(UnsafeMutableRawPointer(menu)) }
  }

  private func makeAction(_ entry: Entry) -> OpaquePointer? {
    guard let action = g_simple_action_new(entry.name, nil) else { return nil }
    let handler: Activation = { CallbackData<Void, Void>.call($2, ()) }
    let callback = CallbackData<Void, Void> { [weak self] in
      if let number = self?.number { entry.body(number) }
    }
    g_signal_connect_data(
      UnsafeMutableRawPointer(action),
      "activate",
      unsafeBitCast(handler, to: GCallback.self),
      callback.retained(),
      { data, _ in releaseCallbackData(data) },
      GConnectFlags(0)
    )
    return action
  }

  /// Shows the menu at a part of its widget.
  ///
  /// - Parameters:
  ///   - number: What it is for.
  ///   - isFile: Whether that is a file of this machine.
  ///   - area: Where, in points of the widget.
  func show(for number: Int, isFile: Bool, at area: Area) {
    self.number = number
    for action in fileActions { g_simple_action_set_enabled(action, isFile ? 1 : 0) }
    var rectangle = GdkRectangle(
      x: CInt(area.x),
      y: CInt(area.y),
      width: CInt(area.width),
      height: CInt(area.height)
    )
    gtk_popover_set_pointing_to(gtkPopover, &rectangle)
    gtk_popover_popup(gtkPopover)
  }

  static func area(at point: (x: Double, y: Double)) -> Area {
    (Int(point.x), Int(point.y), 1, 1)
  }

  func close() { gtk_popover_popdown(gtkPopover) }

  var isShown: Bool { gtk_widget_get_visible(popover) != 0 }

  private var gtkPopover: UnsafeMutablePointer<GtkPopover> {
    UnsafeMutableRawPointer(popover).assumingMemoryBound(to: GtkPopover.self)
  }
}

extension Widget {
  private typealias Press = @convention(c) (gpointer?, CInt, Double, Double, gpointer?) -> Void

  /// Calls a closure with the point, in points of the widget, where the right button is pressed.
  func onRightPress(_ body: @escaping @MainActor ((x: Double, y: Double)) -> Void) {
    guard let gesture = gtk_gesture_click_new() else { return }
    gtk_gesture_single_set_button(gesture, 3)
    gtk_event_controller_set_propagation_phase(gesture, GTK_PHASE_CAPTURE)
    let press: Press = { _, _, x, y, data in
      CallbackData<(x: Double, y: Double), Void>.call(data, (x: x, y: y))
    }
    g_signal_connect_data(
      UnsafeMutableRawPointer(gesture),
      "pressed",
      unsafeBitCast(press, to: GCallback.self),
      CallbackData<(x: Double, y: Double), Void>(body).retained(),
      { data, _ in releaseCallbackData(data) },
      GConnectFlags(0)
    )
    gtk_widget_add_controller(pointer, gesture)
  }
}

extension GMenuModel {
  fileprivate static func pointer(_ menu: OpaquePointer) -> UnsafeMutablePointer<GMenuModel> {
    UnsafeMutableRawPointer(menu).assumingMemoryBound(to: GMenuModel.self)
  }
}
