public import Ikran
public import IkranPlayback

/// How a view shows an image, and what it shows before or instead of it.
public struct DisplayOptions: Sendable {
  /// What shows that an image is on its way.
  public enum Indicator: Sendable, Hashable {
    /// A ring that turns.
    case spinner
    /// A ring that fills as bytes arrive; it turns while their number is not known.
    case progress
  }

  /// A picture that stands where the image will be.
  public enum StandIn: Sendable {
    /// What the view shows now; an animation stands still.
    case present
    /// Its own image in another style, if memory or a table has that; avatars have none.
    case style(Style)
    /// Another image, such as a small one of the same motif: shown at once if memory or a table has
    /// it, and otherwise as soon as it is loaded, unless the image itself is there before.
    case request(ImageRequest)
  }

  /// What is shown until the image is there; nil is nothing, or an avatar's own placeholder.
  ///
  /// It has the style's size and edges, without the style's filters.
  public var placeholder: Placeholder?
  /// What is shown in place of the placeholder, if it is there: the first of several.
  ///
  /// ```swift
  /// options.standIns = [.style(.fill(width: 96, height: 96)), .present]
  /// ```
  /// A ``StandIn/request(_:)`` that is not there is loaded along with the image, the first one
  /// alone; it takes the place of those after it. ``ImageTarget/image`` has no stand-ins.
  public var standIns: [StandIn] = []
  /// What is shown after a failure where no image is shown; nil leaves the placeholder.
  public var failure: Placeholder?
  /// What shows that an image is on its way; nil is nothing.
  public var indicator: Indicator?
  /// How the image replaces what was shown before; nil replaces it at once.
  public var transition: Transition?
  /// How the picture lies in a view of another size.
  ///
  /// Until it is set, it is that of the view, such as the `contentMode` of UIKit; where a view has
  /// none, as in GTK, it is ``ContentMode/contain``.
  public var contentMode: ContentMode {
    get { mode.contentMode }
    set { mode = .chosen(newValue) }
  }
  package var mode = DisplayMode.ofView(.contain)
  /// How an animated image plays; views of one image with the same options share one player.
  public var playback = PlaybackOptions()
  /// Called on the main thread with each new state, and at once if the image is already shown.
  ///
  /// After ``ImageTarget/State/shown(_:)``, ``ImageTarget/image`` has the pixels. The closure is
  /// retained until the view is destroyed or has other options: capture no strong reference to the
  /// view.
  public var onChange: (@MainActor @Sendable (ImageTarget.State) -> Void)?
  /// Takes the image in place of the view, which goes on showing what stands for it; nil lets the
  /// view show it.
  ///
  /// Called on the main thread after the state has become ``ImageTarget/State/loaded(_:)``, with
  /// the finished image, or the first frame and the animation: within the call that sets it if
  /// memory or a table has it, again if the same one is set again, and with another one after the
  /// scale or the size of the view has changed. What is cancelled, cleared or replaced before never
  /// comes. `setImage(bitmap)` then shows what the program made of it; the view always shows what
  /// the program has itself, whatever these options say. Capture no strong reference to the view.
  ///
  /// ```swift
  /// options.onImage = { image, _ in
  ///   view.setImage((try? image.filtered([.sepia()])) ?? image)
  /// }
  /// ```
  public var onImage: (@MainActor @Sendable (Bitmap, Animation?) -> Void)?

  /// Makes options that show the image alone, as soon as it is there.
  public init(
    placeholder: Placeholder? = nil,
    failure: Placeholder? = nil,
    indicator: Indicator? = nil,
    transition: Transition? = nil,
    contentMode: ContentMode? = nil,
    onChange: (@MainActor @Sendable (ImageTarget.State) -> Void)? = nil
  ) {
    self.placeholder = placeholder
    self.failure = failure
    self.indicator = indicator
    self.transition = transition
    if let contentMode { mode = .chosen(contentMode) }
    self.onChange = onChange
  }

  /// These options with the mode of a view that has one, unless they say another.
  func adopting(_ mode: ContentMode?) -> DisplayOptions {
    guard let mode, case .ofView = self.mode else { return self }
    var options = self
    options.mode = .ofView(mode)
    return options
  }

  /// Whether the placeholder looks the same; pictures are compared by their memory.
  func hasPlaceholder(of other: DisplayOptions) -> Bool {
    switch (placeholder, other.placeholder) {
    case (nil, nil): true
    case (let placeholder?, let other?): placeholder.isSame(as: other)
    default: false
    }
  }
}
