public import IkranFoundation
public import Ikran
public import IkranPlayback

public import struct IkranPixels.Style

/// The image of a view, or of one of its slots: not a view itself.
///
/// ```swift
/// ImageTarget(picture).setImage(url, style: .circle(48), placeholder: .thumbHash(hash))
/// ```
/// The state is kept by the view and ends with it: all values for one view and slot share it, and
/// none need be stored. Setting an image cancels the load of the one before.
///
/// An image in memory or in a table appears in the same frame. Any other load starts one frame
/// later, and only if the view is on display (in GTK: mapped) and no other image was set in
/// between: a list may bind rows as fast as it scrolls. A view that is not on display neither loads
/// nor plays until it is again.
///
/// Images are made for the scale of the view's monitor, and again when that changes. Those of
/// ``/Ikran/Style/automatic``, the default, are made for the view's size: they load once it has
/// one, and again when it has become larger, or less than half as large.
@MainActor
public struct ImageTarget {
  /// One of the images of a view.
  ///
  /// Of several states that apply, the first with an image wins: disabled, pressed, checked,
  /// selected, hovered, focused.
  public enum Slot: Sendable, Hashable {
    /// Drawn behind the other slots, in every state.
    case background
    /// Shown unless the slot of a state that applies has an image.
    case image
    /// While the pointer is over the view (in GTK `GTK_STATE_FLAG_PRELIGHT`).
    case hovered
    /// While the view is pressed (in GTK `GTK_STATE_FLAG_ACTIVE`).
    case pressed
    /// While a toggle is on (in GTK `GTK_STATE_FLAG_CHECKED`).
    case checked
    /// While a row is selected (in GTK `GTK_STATE_FLAG_SELECTED`).
    case selected
    /// While the view has the keyboard focus (in GTK `GTK_STATE_FLAG_FOCUSED`).
    case focused
    /// While the view is insensitive (in GTK `GTK_STATE_FLAG_INSENSITIVE`).
    case disabled
    /// One of the images that a control of UIKit has for each combination of its states; GTK has
    /// none.
    case control(ControlImage)
  }

  /// How far the image has come.
  public enum State: Sendable {
    /// No image was requested, or its load was cancelled; a cancelled load leaves what was shown.
    case empty
    /// Loading, or waiting for the view to be on display; nil until the first bytes have arrived.
    case loading(TransferProgress?)
    /// Shown; the image came from this cache or from the network. One that the origin has confirmed
    /// since counts as memory's, and one drawn for an ``/Ikran/ImageEntity`` as its table's.
    case shown(ImageSource)
    /// Handed to ``DisplayOptions/onImage``, and not shown; the image came from this cache or from
    /// the network.
    case loaded(ImageSource)
    /// The request failed.
    case failed(ImageError)
  }

  package let layer: PictureLayer

  package init(layer: PictureLayer) { self.layer = layer }

  /// How far the image has come.
  public var state: State { layer.state }

  /// The pixels that are shown; nil while there are only placeholders, and for an image that was
  /// handed over.
  ///
  /// Of an animated image they are those of the current frame; while it loads, those of a preview.
  public var image: Bitmap? { layer.content.image }

  /// The URL of the image that was requested last; nil when there is none.
  public var url: URL? { layer.url }

  /// What plays an animated image, nil for others.
  ///
  /// All views of one image with the same playback options share it: pausing it pauses all of them.
  /// It stands while none of them can be seen. The frame clock of the window drives it, so do not
  /// call `Player.run(on:)`.
  public var player: Player? { layer.player?.player }

  /// Shows the image of a value of a custom type, or the placeholder alone for a value without one;
  /// see ``setImage(_:from:options:)``.
  public func setImage(
    of model: some ImageRequestConvertible,
    style: Style = .automatic,
    from pipeline: ImagePipeline = .shared,
    options: DisplayOptions = DisplayOptions()
  ) {
    guard let request = model.imageRequest(style: style) else {
      return layer.set(.nothing(style), options)
    }
    setImage(request, from: pipeline, options: options)
  }

  /// Shows the image at a URL, or the placeholder alone where there is none.
  ///
  /// Setting the same image again is cheap; see ``setImage(_:from:options:)``.
  ///
  /// - Parameters:
  ///   - url: An `http:`, `https:`, `file:` or `data:` URL, or in GTK one of the program's
  ///     resources, such as `gresource:///org/example/logo.svg`; nil ends what loads and shows the
  ///     placeholder.
  ///   - style: How the image looks; sizes are in points. The default is the size of the view.
  ///   - filters: What is done to it before the style's edges are drawn.
  ///   - placeholder: What is shown until it is there.
  ///   - transition: How it takes the place of the placeholder; not used for images that memory or
  ///     a table has, unless it `runsForCachedImages`.
  public func setImage(
    _ url: URL?,
    style: Style = .automatic,
    filters: [Filter] = [],
    placeholder: Placeholder? = nil,
    transition: Transition? = nil
  ) {
    let options = DisplayOptions(placeholder: placeholder, transition: transition)
    guard let url else { return layer.set(.nothing(style), options) }
    var request = ImageRequest(url, style: style)
    if !filters.isEmpty { request.filters = filters }
    setImage(request, options: options)
  }

  /// Shows the image of a request.
  ///
  /// Cost: some microseconds when memory or a table has it, most of them the view's. Setting the
  /// same image again costs a look-up: what is shown stays unless the caches have another image by
  /// now, or its response is stale; a load goes on, with the new options and priority. A request
  /// without a scale has that of the view.
  public func setImage(
    _ request: ImageRequest,
    from pipeline: ImagePipeline = .shared,
    options: DisplayOptions = DisplayOptions()
  ) {
    layer.set(.request(request, pipeline), options)
  }

  /// Shows pixels that the program has: a part of a large picture, what filters made, initials.
  ///
  /// It is shown within the call, and ends what loads; the state is ``State/shown(_:)`` with
  /// ``/Ikran/ImageSource/data``. Formats that views do not draw are converted on this thread.
  ///
  /// - Parameters:
  ///   - image: The pixels; they are not copied.
  ///   - scale: Pixels per point, such as 2 for a picture of half as many points as pixels; a
  ///     number that is not above zero counts as 1.
  ///   - options: How it is shown.
  public func setImage(
    _ image: Bitmap,
    scale: Double = 1,
    options: DisplayOptions = DisplayOptions()
  ) {
    layer.set(.picture(image, scale: Self.usable(scale)), options)
  }

  /// Shows frames that the program has, in their style.
  ///
  /// The first one is shown within the call if it is kept, and else as soon as it is decoded.
  ///
  /// - Parameters:
  ///   - animation: The frames; views of one animation share its player.
  ///   - scale: Pixels per point; a number that is not above zero counts as 1.
  ///   - options: How it is shown, and plays.
  public func setImage(
    _ animation: Animation,
    scale: Double = 1,
    options: DisplayOptions = DisplayOptions()
  ) {
    layer.set(.animation(animation, scale: Self.usable(scale)), options)
  }

  /// Shows an entity's image of a format: from its table within the call, else drawn from its
  /// source.
  ///
  /// - Parameters:
  ///   - entity: A model that has a picture.
  ///   - format: The name of one of the cache's formats.
  ///   - cache: What has the table.
  ///   - scale: The format's pixels per point; a number that is not above zero counts as 1.
  ///   - options: How it is shown.
  public func setImage(
    _ entity: some ImageEntity,
    format: String,
    from cache: EntityImageCache,
    scale: Double = 1,
    options: DisplayOptions = DisplayOptions()
  ) {
    layer.set(.entity(entity, format, cache, scale: Self.usable(scale)), options)
  }

  private static func usable(_ scale: Double) -> Double {
    scale > 0 && scale.isFinite ? scale : 1
  }

  /// Shows an avatar from memory, its own storage or the network.
  ///
  /// Its placeholder is shown unless the options have one. An avatar without a URL has its
  /// placeholder alone, and the state is ``State/empty``.
  public func setAvatar(
    _ avatar: some Avatar,
    from pod: AvatarPod = .shared,
    options: DisplayOptions = DisplayOptions()
  ) {
    layer.set(.avatar(avatar, pod), options)
  }

  /// Cancels a load, after which the state is ``State/empty``; what is shown stays, also when
  /// nothing loads.
  public func cancelImage() { layer.cancel() }

  /// Cancels the load and shows nothing.
  public func clearImage() { layer.clear() }
}
