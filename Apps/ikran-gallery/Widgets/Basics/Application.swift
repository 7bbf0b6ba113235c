import CGTK
import Glibc
import IkranGTK

/// The program's connection to a display, its main loop and its settings.
@MainActor
final class Application {
  private let loop: OpaquePointer

  /// Connects to the display; nil when there is none.
  ///
  /// - Parameters:
  ///   - name: The program's.
  ///   - title: Its name for people.
  ///   - usesCairo: Whether Cairo draws the windows, as it does without a graphics card: there
  ///     OpenGL takes fifty times as long. What the environment says (`GSK_RENDERER`) comes first.
  init?(name: String, title: String, usesCairo: Bool) {
    let hasGraphicsCard = access("/dev/dri/renderD128", R_OK | W_OK) == 0
    if usesCairo || !hasGraphicsCard { setenv("GSK_RENDERER", "cairo", 0) }
    g_set_prgname(name)
    g_set_application_name(title)
    guard gtk_init_check() != 0, let loop = g_main_loop_new(nil, 0) else { return nil }
    self.loop = loop
    MainLoop.attach()
    signal(SIGPIPE, SIG_IGN)
    gtk_window_set_default_icon_name(name)
  }

  isolated deinit { g_main_loop_unref(loop) }

  /// Runs until ``quit()``.
  ///
  /// - Parameter interrupted: Called at Ctrl-C and the like; it ends the loop soon. A second signal
  ///   ends the process at once.
  /// - Returns: Whether it was interrupted.
  func run(interrupted: @escaping @MainActor () -> Void) -> Bool {
    let signals = Signal()
    for signal in [SIGINT, SIGTERM, SIGHUP] {
      Timer.at(signal: signal) {
        if signals.isGiven { _exit(130) }
        signals.isGiven = true
        interrupted()
        return true
      }
    }
    g_main_loop_run(loop)
    return signals.isGiven
  }

  @MainActor
  private final class Signal {
    var isGiven = false
  }

  func quit() { g_main_loop_quit(loop) }

  /// Whether the theme is to be dark.
  var isDark: Bool {
    get {
      guard let settings = gtk_settings_get_default() else { return false }
      var value = GValue()
      g_value_init(&value, Self.boolean)
      defer { g_value_unset(&value) }
      g_object_get_property(Self.object(settings), Self.darkProperty, &value)
      return g_value_get_boolean(&value) != 0
    }
    set {
      guard let settings = gtk_settings_get_default() else { return }
      var value = GValue()
      g_value_init(&value, Self.boolean)
      defer { g_value_unset(&value) }
      g_value_set_boolean(&value, newValue ? 1 : 0)
      g_object_set_property(Self.object(settings), Self.darkProperty, &value)
    }
  }

  /// Adds rules to the theme's.
  func addStyle(_ css: String) {
    guard let provider = gtk_css_provider_new(), let display = gdk_display_get_default() else {
      return
    }
    gtk_css_provider_load_from_data(provider, css, -1)
    gtk_style_context_add_provider_for_display(display, OpaquePointer(provider), 600)
    g_object_unref(provider)
  }

  /// The processor time of all threads of the process so far, in milliseconds.
  static var processorTime: Double { Double(clock()) * 1000 / Double(CLOCKS_PER_SEC) }

  /// Ends the process without exit handlers, which would free memory that other threads still use.
  nonisolated static func exit(_ code: CInt) -> Never { _exit(code) }

  private static let boolean = GType(5 << 2)  // G_TYPE_BOOLEAN
  private static let darkProperty = "gtk-application-prefer-dark-theme"

  private static func object(_ settings: OpaquePointer) -> UnsafeMutablePointer<GObject> {
    UnsafeMutableRawPointer(settings).assumingMemoryBound(to: GObject.self)
  }
}
