import CGTK
import Glibc

/// Keeps the memory in which Cairo hands frames to an X server, from one to the next.
///
/// GTK uploads what changed of a window in memory that the server shares. Cairo gives it back as
/// soon as nothing is in it: after each frame. For the next one both programs map new pages and
/// touch each of them for the first time, which takes longer than all that is drawn. A picture of
/// some pixels stays in it, and with it the memory.
@MainActor
struct FrameMemory {
  private typealias XDisplay = @convention(c) (OpaquePointer?) -> OpaquePointer?
  private typealias XScreen = @convention(c) (OpaquePointer?) -> CInt
  private typealias XVisual = @convention(c) (OpaquePointer?, CInt) -> OpaquePointer?
  private typealias XRoot = @convention(c) (OpaquePointer?) -> CUnsignedLong
  private typealias XSurface =
    @convention(c) (OpaquePointer?, CUnsignedLong, OpaquePointer?, CInt, CInt) -> OpaquePointer?

  private let picture: OpaquePointer
  /// Frames of fewer bytes are in it.
  private let byteLimit: Int

  /// Shares memory for frames of so many pixels of the screen; nil for a widget that Cairo does not
  /// draw on X.
  init?(_ widget: WidgetHandle, width: Int, height: Int) {
    guard widget.isDrawnByCairo, let server = Self.server(of: widget) else { return nil }
    defer { cairo_surface_destroy(server) }
    let (across, down) = (CInt(clamping: max(1, width)), CInt(clamping: max(1, height)))
    // Shared memory has room for several pictures of the size that it is made for.
    let frame = cairo_surface_create_similar_image(server, CAIRO_FORMAT_ARGB32, across, down)
    defer { cairo_surface_destroy(frame) }
    picture = cairo_surface_create_similar_image(server, CAIRO_FORMAT_ARGB32, 16, 16)
    var bytes = 1
    while bytes <= Self.byteCount(width, height) { bytes *= 2 }
    byteLimit = bytes
  }

  func hasRoom(width: Int, height: Int) -> Bool { Self.byteCount(width, height) < byteLimit }

  /// Gives it back.
  func release() { cairo_surface_destroy(picture) }

  private static func byteCount(_ width: Int, _ height: Int) -> Int { width * height * 4 }

  /// A surface on the server, which nothing is drawn on; nil for a display of another kind.
  private static func server(of widget: WidgetHandle) -> OpaquePointer? {
    // GTK and Cairo may be built without X; both are linked, and with them its library.
    guard widget.displayTypeName == "GdkX11Display",
      let display = function("gdk_x11_display_get_xdisplay", as: XDisplay.self),
      let screen = function("XDefaultScreen", as: XScreen.self),
      let visual = function("XDefaultVisual", as: XVisual.self),
      let root = function("XDefaultRootWindow", as: XRoot.self),
      let surface = function("cairo_xlib_surface_create", as: XSurface.self),
      let server = display(gtk_widget_get_display(widget.pointer))
    else { return nil }
    return surface(server, root(server), visual(server, screen(server)), 1, 1)
  }

  private static func function<Function>(_ name: String, as type: Function.Type) -> Function? {
    dlsym(nil, name).map { unsafeBitCast($0, to: type) }
  }
}
