public import Foundation
public import Ikran
public import IkranPlayback
public import IkranViews

public import struct IkranPixels.Style

/// A view of UIKit, AppKit or WatchKit, or a layer, that shows an image from a URL in one call.
///
/// ```swift
/// cell.photo.setImage(url, style: .circle(48), placeholder: .blurHash(hash))
/// ```
/// Other slots, other sources and all options are those of ``/IkranViews/ImageTarget``, such as
/// `ImageTarget(button, slot: .state(.selected))`.
@MainActor
public protocol ImageDisplaying: AnyObject {
  /// The image that is shown unless the view is in another state.
  var imageTarget: ImageTarget { get }
  /// How the view lays out an image now.
  var imageContentMode: ContentMode { get }
}

extension ImageDisplaying {
  /// By default the whole image, as large as fits.
  public var imageContentMode: ContentMode { .contain }

  /// Shows the image at a URL, or the placeholder alone where there is none.
  ///
  /// An image in memory or in a table is there when the call returns. Any other load begins a frame
  /// later, and only if the view is in a window and no other image was set in between: a cell that
  /// is used again needs no call to cancel. What was loading before is cancelled. Setting the same
  /// image again sets nothing on the view.
  ///
  /// The image lies in the view as the view's own property says, such as `contentMode`.
  ///
  /// - Parameters:
  ///   - url: An `http:`, `https:`, `file:` or `data:` URL; nil ends what loads and shows the
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
    var options = ownOptions
    (options.placeholder, options.transition) = (placeholder, transition)
    guard let url else { return imageTarget.layer.set(.nothing(style), options) }
    var request = ImageRequest(url, style: style)
    if !filters.isEmpty { request.filters = filters }
    imageTarget.setImage(request, options: options)
  }

  /// Shows pixels that the program has; see ``/IkranViews/ImageTarget/setImage(_:scale:options:)``.
  public func setImage(_ image: Bitmap, scale: Double = 1) {
    imageTarget.setImage(image, scale: scale, options: ownOptions)
  }

  /// Shows an avatar; see ``/IkranViews/ImageTarget/setAvatar(_:from:options:)``.
  public func setAvatar(_ avatar: some Avatar) {
    imageTarget.setAvatar(avatar, options: ownOptions)
  }

  /// Ends the load; what is shown stays.
  public func cancelImage() { imageTarget.cancelImage() }

  /// Options that say nothing but how the view itself lays out an image.
  private var ownOptions: DisplayOptions {
    var options = DisplayOptions()
    options.mode = .ofView(imageContentMode)
    return options
  }
}
