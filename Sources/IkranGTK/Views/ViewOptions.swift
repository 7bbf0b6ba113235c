public import Ikran
public import IkranPlayback

/// How a picture comes to a widget.
public struct ViewOptions: Sendable {
  /// What shows that an image is on its way.
  public enum Indicator: Sendable, Hashable {
    /// A ring that turns.
    case spinner
    /// A ring that fills as bytes arrive; it turns while their number is not known.
    case progress
  }

  /// What is shown until the image is there; nil is nothing.
  ///
  /// It has the style's size and edges, without the style's filters.
  public var placeholder: Placeholder?
  /// What is shown when there will be no image; nil leaves the placeholder.
  ///
  /// Alone, it is a placeholder that only a failure brings.
  public var failure: Placeholder?
  /// What shows that an image is on its way; nil is nothing.
  public var indicator: Indicator?
  /// How an image takes the place of what was shown before; nil is at once.
  public var transition: Transition?
  /// Whether images that memory or a table has have the transition too; they appear at once by default.
  public var animatesCacheHits = false
  /// How the picture lies in a widget of another size.
  public var contentMode = ContentMode.contain
  /// How an animated image plays; views of one image with the same options share one player.
  public var playback = PlaybackOptions()
  /// Called with each new state, on the main thread, within the call or the frame that brings it; and at once
  /// where the image is shown already.
  ///
  /// ``ImageView/image`` is then the picture: a closure may take it and show it elsewhere.
  /// It is kept until the widget ends or has another: one that holds a reference to the widget keeps both.
  public var onChange: (@MainActor @Sendable (ImageView.State) -> Void)?

  /// Makes options that show the image alone, as soon as it is there.
  public init(
    placeholder: Placeholder? = nil,
    failure: Placeholder? = nil,
    indicator: Indicator? = nil,
    transition: Transition? = nil,
    contentMode: ContentMode = .contain,
    onChange: (@MainActor @Sendable (ImageView.State) -> Void)? = nil
  ) {
    self.placeholder = placeholder
    self.failure = failure
    self.indicator = indicator
    self.transition = transition
    self.contentMode = contentMode
    self.onChange = onChange
  }
}
