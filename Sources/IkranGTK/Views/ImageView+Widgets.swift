public import CGTK
public import FoundationEssentials
public import Ikran
public import IkranPlayback

extension ImageView {
  /// A place on any widget that shows pictures: `GtkPicture`, `GtkImage`, `GtkButton`, `GtkMenuButton`, `AdwAvatar` and
  /// every other one with a property `paintable`.
  ///
  /// A button's picture is its child, which may be your own `GtkPicture` or `GtkImage`. How a picture lies in its place is
  /// the options' content mode; a `GtkPicture` gets `GTK_CONTENT_FIT_FILL` for it. A `GtkImage` without a `pixel-size` gets the style's size. On a widget that
  /// shows no pictures every image fails with ``/Ikran/ImageError/invalidRequest(_:)``.
  ///
  /// - Parameters:
  ///   - widget: A `GtkWidget *` of any binding.
  ///   - slot: Which of its pictures.
  public init(_ widget: UnsafeMutableRawPointer, slot: Slot = .image) {
    let widget = WidgetHandle(widget)
    let pictures = widget.pictures ?? WidgetPictures(widget, TargetHandle(widget))
    layer = pictures.layer(for: slot)
  }

  /// The same for bindings that have their widgets as `OpaquePointer`.
  public init(_ widget: OpaquePointer, slot: Slot = .image) {
    self.init(UnsafeMutableRawPointer(widget), slot: slot)
  }

  /// A place on any other widget, which a closure lets show it.
  ///
  /// - Parameters:
  ///   - widget: A `GtkWidget *`, whose monitor, frames and end the picture follows.
  ///   - slot: Which of its pictures; they share one paintable.
  ///   - show: Called once, before the first image, for a widget that shows no pictures itself, with a `GdkPaintable *` that lives as long as the widget; it
  ///     draws whatever is to be seen.
  public init(
    _ widget: UnsafeMutableRawPointer,
    slot: Slot = .image,
    show: @escaping @MainActor (OpaquePointer) -> Void
  ) {
    let widget = WidgetHandle(widget)
    let pictures = widget.pictures ?? WidgetPictures(widget, nil)
    pictures.adopt(.closure(show))
    layer = pictures.layer(for: slot)
  }

  /// Lets a widget be visible while no image is: a placeholder of your own, such as a box above the picture in a
  /// `GtkOverlay`.
  ///
  /// - Parameter widget: A `GtkWidget *`, which is shown and hidden from now on; nil takes none any more and leaves the
  ///   last one as it is.
  public func setPlaceholder(widget: UnsafeMutableRawPointer?) {
    layer.setPlaceholder(widget.map { WidgetHandle($0) })
  }
}

extension UnsafeMutablePointer where Pointee == GtkWidget {
  /// Shows the image at a URL; see ``ImageView/setImage(_:style:filters:placeholder:transition:)``.
  @MainActor
  public func setImage(
    _ url: URL,
    style: Style = .original,
    filters: [Filter] = [],
    placeholder: Placeholder? = nil,
    transition: Transition? = nil
  ) {
    ImageView(self).setImage(
      url,
      style: style,
      filters: filters,
      placeholder: placeholder,
      transition: transition
    )
  }

  /// Shows an avatar; see ``ImageView/setAvatar(_:from:options:)``.
  @MainActor
  public func setAvatar(_ avatar: some Avatar) { ImageView(self).setAvatar(avatar) }

  /// Ends the load; what is shown stays.
  @MainActor
  public func cancelImage() { ImageView(self).cancelImage() }
}
