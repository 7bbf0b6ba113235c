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

  /// The mouse over a window of this process that is shown, which must be the only one.
  init(over window: Window) throws {
    self.window = window
    let found = Self.run("search --onlyvisible --all --pid \(getpid()) --name '^Ikran Gallery$'")
    number = String(try #require(found.split(separator: "\n").last))
  }

  /// Moves the mouse to a point of a widget, whatever is above the window, and does more.
  ///
  /// - Parameters:
  ///   - words: Commands of xdotool.
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
    let (x, y) = (Int(Double(place.x) + left), Int(Double(place.y) + top))
    _ = Self.run("windowraise \(number) mousemove --window \(number) \(x) \(y) \(words)")
  }

  private static func run(_ words: String) -> String {
    guard let pipe = popen("xdotool \(words) 2>/dev/null", "r") else { return "" }
    defer { pclose(pipe) }
    var bytes: [UInt8] = []
    while case let byte = fgetc(pipe), byte != EOF { bytes.append(UInt8(byte)) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
