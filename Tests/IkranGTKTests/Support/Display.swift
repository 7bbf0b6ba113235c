import CGTK
import Glibc
import Testing

/// All tests that open windows, one at a time.
@Suite(
  .serialized,
  .enabled(if: Display.isAvailable, "there is no display: run Scripts/test, which starts one")
)
@MainActor
enum GTKTests {}

/// The display of the tests.
@MainActor
enum Display {
  /// Whether the environment names a display.
  nonisolated static let isAvailable: Bool = {
    // The suite's condition is read on any thread, and GTK must be initialised on the main one.
    ["DISPLAY", "WAYLAND_DISPLAY"].contains { (name: String) in
      getenv(name).map { $0.pointee != 0 } ?? false
    }
  }()

  /// Whether GTK was told to draw with Cairo.
  nonisolated static let isDrawnByCairo: Bool = {
    getenv("GSK_RENDERER").map { String(cString: $0) == "cairo" } ?? false
  }()

  /// GTK is initialised by the first test that opens the display.
  private static let isReady = gtk_init_check() != 0

  static func open() throws { try #require(isReady) }

  /// Makes all windows of X have so many pixels per point.
  static func setScale(_ scale: CInt) throws {
    typealias Function = @convention(c) (OpaquePointer?, CInt) -> Void
    let symbol = try #require(dlsym(nil, "gdk_x11_display_set_surface_scale"))
    unsafeBitCast(symbol, to: Function.self)(gdk_display_get_default(), scale)
  }

  /// Runs GLib's main loop until a condition holds.
  ///
  /// - Throws: `Timeout` after a minute.
  static func run(until condition: () -> Bool) throws {
    let end = g_get_monotonic_time() + 60_000_000
    while !condition() {
      guard g_get_monotonic_time() < end else { throw Timeout() }
      // Woken by the window's next frame at the latest.
      g_main_context_iteration(nil, 1)
    }
  }

  struct Timeout: Error {}
}
