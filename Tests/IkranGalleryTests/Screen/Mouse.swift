import CGTK
import Foundation
import Support
import Testing

@testable import ikran_gallery

/// The mouse of the screen, which xdotool moves over a window.
@MainActor
struct Mouse {
  /// Why there is none; nil where there is one.
  nonisolated static let lack: String? = {
    let environment = ProcessInfo.processInfo.environment
    guard environment["DISPLAY"] != nil else { return "there is no display" }
    // The user's own mouse is not to be moved.
    guard environment["IKRAN_SCREEN"] == "own" else {
      return "the display is not said to be the tests' own (IKRAN_SCREEN=own)"
    }
    guard environment["GDK_BACKEND"] == "x11" || environment["WAYLAND_DISPLAY"] == nil else {
      return "the display is not X11's"
    }
    let folders = (environment["PATH"] ?? "").split(separator: ":")
    let isThere = folders.contains { access($0 + "/xdotool", X_OK) == 0 }
    return isThere ? nil : "xdotool is not installed"
  }()

  private let window: Window
  /// The number by which X11 knows it.
  private let number: String
  private let counter = Counter()
  /// How many presses and turns of the wheel the window got.
  var events: Int { counter.count }

  @MainActor
  private final class Counter {
    var count = 0
  }

  /// The mouse over a window of this process that is shown, which must be the only one.
  init(over window: Window) throws {
    self.window = window
    let found = Self.run("search --onlyvisible --all --pid \(getpid()) --name '^Ikran Gallery$'")
    number = String(try #require(found.split(separator: "\n").last))
    countEvents()
  }

  /// Counts them before any widget gets them.
  private func countEvents() {
    guard let all = gtk_event_controller_legacy_new() else { return }
    gtk_event_controller_set_propagation_phase(all, GTK_PHASE_CAPTURE)
    let counter = counter
    let handler: @convention(c) (gpointer?, OpaquePointer?, gpointer?) -> gboolean = {
      guard let event = $1 else { return 0 }
      let kind = gdk_event_get_event_type(event)
      if kind == GDK_BUTTON_PRESS || kind == GDK_SCROLL { CallbackData<Void, Void>.call($2, ()) }
      return 0
    }
    g_signal_connect_data(
      UnsafeMutableRawPointer(all),
      "event",
      unsafeBitCast(handler, to: GCallback.self),
      CallbackData<Void, Void> { counter.count += 1 }.retained(),
      { data, _ in releaseCallbackData(data) },
      GConnectFlags(0)
    )
    gtk_widget_add_controller(window.pointer, all)
  }

  /// Moves the mouse to a point of a widget, whatever is above the window, and does more.
  ///
  /// - Parameters:
  ///   - words: Commands of xdotool; a key that they hold is released.
  ///   - widget: In the window.
  ///   - point: In points of the widget; nil is its middle.
  func act(_ words: String, on widget: any Widget, at point: (x: Double, y: Double)? = nil) {
    let point = point ?? (Double(widget.width) / 2, Double(widget.height) / 2)
    var (inside, place) = (
      graphene_point_t(x: Float(point.x), y: Float(point.y)), graphene_point_t()
    )
    #expect(gtk_widget_compute_point(widget.pointer, window.pointer, &inside, &place) != 0)
    var (left, top) = (0.0, 0.0)
    gtk_native_get_surface_transform(window.opaque, &left, &top)
    // X11 counts pixels of the screen.
    let scale = Double(window.scale)
    let (x, y) = (Int((Double(place.x) + left) * scale), Int((Double(place.y) + top) * scale))
    _ = Self.run("windowraise \(number) mousemove --window \(number) \(x) \(y) \(words)")
    // It may have been ended before it came to that.
    if words.contains("keydown ctrl") { _ = Self.run("keyup ctrl") }
    if words.contains("mousedown 1") { _ = Self.run("mouseup 1") }
  }

  private static func run(_ words: String) -> String {
    guard let pipe = popen("timeout 5 xdotool \(words) 2>/dev/null", "r") else { return "" }
    defer { pclose(pipe) }
    var bytes: [UInt8] = []
    while case let byte = fgetc(pipe), byte != EOF { bytes.append(UInt8(byte)) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
