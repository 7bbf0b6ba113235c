import CGTK

extension ZoomView {
  /// The zoomed picture of a widget, which shows nothing else: an empty `GtkPicture`, or any other
  /// with a property `paintable`.
  ///
  /// On a widget without one every picture fails with ``/Ikran/ImageError/invalidRequest(_:)``.
  /// Cost: the first call for a widget creates a paintable and six event controllers; later ones
  /// look it up.
  ///
  /// - Parameter widget: A `GtkWidget *` of any binding.
  public init(_ widget: UnsafeMutableRawPointer) {
    let widget = WidgetHandle(widget)
    content = widget.zoomed ?? ZoomContent(widget)
  }

  /// The zoomed picture of a widget, for bindings that have their widgets as `OpaquePointer`.
  public init(_ widget: OpaquePointer) { self.init(UnsafeMutableRawPointer(widget)) }
}

extension WidgetHandle {
  private static let zoomKey = g_quark_from_string("ikran-zoom")

  private var typed: UnsafeMutablePointer<GObject> {
    UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GObject.self)
  }

  /// The zoomed picture that was attached.
  var zoomed: ZoomContent? {
    g_object_get_qdata(typed, Self.zoomKey).map {
      Unmanaged<ZoomContent>.fromOpaque($0).takeUnretainedValue()
    }
  }

  /// Attaches a zoomed picture, which ends with the widget.
  func attach(_ content: ZoomContent) {
    let data = Unmanaged.passRetained(content).toOpaque()
    g_object_set_qdata_full(typed, Self.zoomKey, data) { data in
      guard let data else { return }
      nonisolated(unsafe) let raw = data  // GTK ends widgets on its thread
      MainActor.assumeIsolated {
        Unmanaged<ZoomContent>.fromOpaque(raw).takeRetainedValue().end()
      }
    }
  }

  func grabFocus() { gtk_widget_grab_focus(pointer) }
}
