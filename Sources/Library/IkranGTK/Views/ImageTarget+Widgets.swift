public import CGTK
public import FoundationEssentials
public import Ikran
public import IkranPlayback
public import IkranViews

extension ImageTarget {
  /// The image of a widget that can show one: `GtkPicture`, `GtkImage`, `GtkButton`,
  /// `GtkMenuButton`, `AdwAvatar`, or any other with a property `paintable`.
  ///
  /// A button shows it in its child, which may be your own `GtkPicture` or `GtkImage`. The content
  /// mode of the options decides how the image is fitted, so the `content-fit` of a `GtkPicture` is
  /// set to `GTK_CONTENT_FIT_FILL`. A `GtkImage` without a `pixel-size` gets the style's size, or
  /// that of the program's own pixels. On any other widget every image fails with
  /// ``/Ikran/ImageError/invalidRequest(_:)``.
  ///
  /// Cost: the first call for a widget creates a paintable and connects four signals; later ones
  /// look it up.
  ///
  /// - Parameters:
  ///   - widget: A `GtkWidget *` of any binding.
  ///   - slot: Which of its pictures.
  public init(_ widget: UnsafeMutableRawPointer, slot: Slot = .image) {
    let widget = WidgetHandle(widget)
    let pictures = widget.pictures ?? WidgetPictures(widget, WidgetKind(widget))
    self.init(layer: pictures.slots.layer(for: slot))
  }

  /// The same for bindings that have their widgets as `OpaquePointer`.
  public init(_ widget: OpaquePointer, slot: Slot = .image) {
    self.init(UnsafeMutableRawPointer(widget), slot: slot)
  }

  /// The image of any other widget; a closure shows it.
  ///
  /// - Parameters:
  ///   - widget: A `GtkWidget *`, whose monitor, frames and end the picture follows.
  ///   - slot: Which of its pictures; they share one paintable.
  ///   - show: Called once per widget, before the first image, with a `GdkPaintable *` that lives
  ///     as long as the widget and draws the current image. Ignored where an earlier value for the
  ///     widget has a closure or needed none.
  public init(
    _ widget: UnsafeMutableRawPointer,
    slot: Slot = .image,
    show: @escaping @MainActor (OpaquePointer) -> Void
  ) {
    let widget = WidgetHandle(widget)
    let pictures = widget.pictures ?? WidgetPictures(widget, nil)
    pictures.adopt(.closure(show))
    self.init(layer: pictures.slots.layer(for: slot))
  }

  /// Uses a widget as the placeholder, such as a box over the picture in a `GtkOverlay`: it is
  /// visible only while no image is shown.
  ///
  /// - Parameter widget: A `GtkWidget *`, retained until it is replaced; nil stops showing and
  ///   hiding the last one.
  public func setPlaceholder(widget: UnsafeMutableRawPointer?) {
    layer.attach(widget.map { WidgetHandle($0) }, while: .noImage)
  }

  /// Uses a widget to show that an image is on its way, such as a `GtkSpinner` or a
  /// `GtkProgressBar` over the picture in a `GtkOverlay`: it is visible only while an image loads
  /// and nothing of it is shown.
  ///
  /// How far it has come is in ``DisplayOptions/onChange``.
  ///
  /// - Parameter widget: A `GtkWidget *`, retained until it is replaced; nil stops showing and
  ///   hiding the last one.
  public func setIndicator(widget: UnsafeMutableRawPointer?) {
    layer.attach(widget.map { WidgetHandle($0) }, while: .loading)
  }
}

extension UnsafeMutablePointer where Pointee == GtkWidget {
  /// Shows the image at a URL; see
  /// ``ImageTarget/setImage(_:style:filters:placeholder:transition:)``.
  @MainActor
  public func setImage(
    _ url: URL?,
    style: Style = .automatic,
    filters: [Filter] = [],
    placeholder: Placeholder? = nil,
    transition: Transition? = nil
  ) {
    ImageTarget(self).setImage(
      url,
      style: style,
      filters: filters,
      placeholder: placeholder,
      transition: transition
    )
  }

  /// Shows pixels that the program has; see ``ImageTarget/setImage(_:scale:options:)``.
  @MainActor
  public func setImage(_ image: Bitmap, scale: Double = 1) {
    ImageTarget(self).setImage(image, scale: scale)
  }

  /// Shows an avatar; see ``ImageTarget/setAvatar(_:from:options:)``.
  @MainActor
  public func setAvatar(_ avatar: some Avatar) { ImageTarget(self).setAvatar(avatar) }

  /// Ends the load; what is shown stays.
  @MainActor
  public func cancelImage() { ImageTarget(self).cancelImage() }
}
