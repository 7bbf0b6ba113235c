/// The widgets of a program that are visible only while a layer has no image.
@MainActor
struct AttachedWidgets {
  /// When one is visible.
  enum Time {
    case noImage
    case loading
  }

  private var placeholder: WidgetHandle?
  private var indicator: WidgetHandle?

  /// Keeps a widget, in place of the last one for that time.
  mutating func set(_ widget: WidgetHandle?, while time: Time) {
    widget?.retain()
    switch time {
    case .noImage:
      placeholder?.release()
      placeholder = widget
    case .loading:
      indicator?.release()
      indicator = widget
    }
  }

  func show(placeholder isPlaceholder: Bool, indicator isLoading: Bool) {
    placeholder?.setVisible(isPlaceholder)
    indicator?.setVisible(isLoading)
  }

  mutating func releaseAll() {
    set(nil, while: .noImage)
    set(nil, while: .loading)
  }
}
