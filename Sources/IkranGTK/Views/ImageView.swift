public import FoundationEssentials
public import Ikran
public import IkranPlayback

/// A place for a picture on a widget.
///
/// ```swift
/// ImageView(picture).setImage(url, style: .circle(48), placeholder: .thumbHash(hash))
/// ```
/// What it loads belongs to the widget: making another value for the same widget and slot goes on where
/// this one is. A new image takes the place of the one that is loading; the widget's end ends all.
///
/// Images that memory or a table has appear in the same frame. For others a load begins a frame later, if the
/// widget is on display then and still wants that image: lists may bind rows as fast as they
/// scroll. A widget that is not on display loads nothing and plays nothing until it is again.
///
/// Images are made for the scale of the widget's monitor, and again when that changes.
@MainActor
public struct ImageView {
  /// Which picture of a widget.
  public enum Slot: Sendable, Hashable, CaseIterable {
    /// Behind all others.
    case background
    /// The picture that is shown unless the widget's state has one of its own.
    case image
    /// While the pointer is over the widget.
    case hovered
    /// While the widget is pressed.
    case pressed
    /// While a toggle is on.
    case checked
    /// While a row is selected.
    case selected
    /// While the keyboard is with the widget.
    case focused
    /// While the widget does not react.
    case disabled
  }

  /// How far the image has come.
  public enum State: Sendable {
    /// None was requested.
    case empty
    /// It is on its way, or waits until the widget is on display; what has arrived is known once some has.
    case loading(TransferProgress?)
    /// It is shown; this stage had it.
    case shown(ImageSource)
    /// There will be none.
    case failed(ImageError)
  }

  let layer: PictureLayer

  /// How far the image has come.
  public var state: State { layer.state }

  /// Whether an image is seen, and not just its placeholder; it may be a preview, or the first frame of what
  /// is still loading.
  public var showsImage: Bool { !layer.content.isPlaceholder }

  /// The pixels that are shown, of an animated image those of the frame; nil while only its placeholder is seen.
  public var image: Bitmap? { layer.content.image }

  /// The URL of the image that was requested last; nil when there is none.
  public var url: URL? { layer.source?.url }

  /// What plays an animated image, nil for others.
  ///
  /// Views of one image with the same options share it: what is paused here stands in all of them. It follows the
  /// frames of the widgets' windows: pause it, seek, or change its rate; do not run it.
  public var player: Player? { layer.player?.player }

  /// Shows the image at a URL.
  ///
  /// Asking again for the image that is shown or loading changes nothing.
  ///
  /// - Parameters:
  ///   - url: An `http:`, `https:`, `file:` or `data:` URL.
  ///   - style: How the image looks; sizes are in points.
  ///   - filters: What is done to it before the style's edges are drawn.
  ///   - placeholder: What is shown until it is there.
  ///   - transition: How it takes the place of the placeholder; not used for images that memory or a table has.
  public func setImage(
    _ url: URL,
    style: Style = .original,
    filters: [Filter] = [],
    placeholder: Placeholder? = nil,
    transition: Transition? = nil
  ) {
    var request = ImageRequest(url, style: style)
    if !filters.isEmpty { request.filters = filters }
    setImage(request, options: ViewOptions(placeholder: placeholder, transition: transition))
  }

  /// Shows the image of a request.
  ///
  /// Cost: some microseconds when memory or a table has it, most of them GTK's. Asking again for the image that is shown or
  /// loading changes nothing but the options. A request without a scale has that of the widget.
  public func setImage(
    _ request: ImageRequest,
    from pipeline: ImagePipeline = .shared,
    options: ViewOptions = ViewOptions()
  ) {
    layer.set(.request(request, pipeline), options)
  }

  /// Shows an avatar from memory, its own storage or the network.
  ///
  /// Its placeholder is shown unless the options have one.
  public func setAvatar(
    _ avatar: some Avatar,
    from pod: AvatarPod = .shared,
    options: ViewOptions = ViewOptions()
  ) {
    layer.set(.avatar(avatar, pod), options)
  }

  /// Ends the load; what is shown stays.
  public func cancelImage() { layer.cancel() }

  /// Ends the load and shows nothing.
  public func clearImage() { layer.clear() }
}
