package import Ikran
package import IkranPlayback

/// What is seen of a layer: a picture or a placeholder, and for a moment what was there before.
@MainActor
package struct LayerContent {
  /// A picture and its size in points; nil for one that fills any place.
  package struct Drawn {
    package fileprivate(set) var picture: DrawableBitmap
    package fileprivate(set) var size: (width: Double, height: Double)?
    /// The part of its size that it asks its view's layout for: all of it, unless its place has
    /// less.
    package fileprivate(set) var share = 1.0
  }

  /// What is seen at a moment.
  package struct Moment {
    package let picture: Drawn?
    /// How it gives way to that picture; nil where it is there.
    package let change: (from: Drawn?, transition: Transition, progress: Double)?
  }

  private enum Content {
    case nothing
    /// Drawn when it is first seen.
    case placeholder(Placeholder, Style, scale: Double)
    case picture(Drawn)
  }

  private struct Change {
    let from: Drawn?
    let transition: Transition
    /// The time of its first frame in microseconds, once that is drawn.
    var start: Int?
  }

  private var content = Content.nothing
  private var change: Change?
  package private(set) var mode = DisplayMode.ofView(.contain)
  /// In points, rounded up.
  private(set) var size = (width: 0, height: 0)
  /// Whether the image itself is not there.
  private(set) var isPlaceholder = true
  /// Whether a picture stands where the image will be.
  private(set) var isStandIn = false

  package init() {}

  package var contentMode: ContentMode { mode.contentMode }

  /// The pixels of the image; nil while a placeholder is shown.
  var image: Bitmap? {
    if case .picture(let drawn) = content, !isPlaceholder { drawn.picture.bitmap } else { nil }
  }

  var isEmpty: Bool { if case .nothing = content { change == nil } else { false } }
  /// Whether one picture is giving way to another.
  var isTransitioning: Bool { change != nil }

  /// Takes what concerns a picture that is there; whether it looks different.
  mutating func set(_ options: DisplayOptions) -> Bool {
    guard mode != options.mode else { return false }
    mode = options.mode
    return true
  }

  /// Shows a placeholder, or nothing, where a style's image will be.
  package mutating func show(
    _ placeholder: Placeholder?,
    _ style: Style,
    scale: Double,
    _ options: DisplayOptions
  ) {
    change = nil
    (isPlaceholder, isStandIn) = (true, false)
    mode = options.mode
    content = placeholder.map { .placeholder($0, style, scale: scale) } ?? .nothing
    size = (0, 0)
    if let pixels = style.fixedSize(scale: scale) { size = Self.points(pixels, scale) }
  }

  /// Shows the image.
  ///
  /// - Parameters:
  ///   - picture: The image.
  ///   - scale: Its pixels per point.
  ///   - options: With the transition.
  ///   - withTransition: Whether the transition is used.
  package mutating func show(
    _ picture: DrawableBitmap,
    _ scale: Double,
    _ options: DisplayOptions,
    withTransition: Bool
  ) {
    // A finished image that takes its preview's place is the same picture.
    if let transition = options.transition, withTransition, isPlaceholder {
      change = Change(from: drawn(), transition: transition)
    } else if !withTransition {
      change = nil
    }
    (isPlaceholder, isStandIn) = (false, false)
    mode = options.mode
    let pixels = picture.bitmap.size
    let size = (width: Double(pixels.width) / scale, height: Double(pixels.height) / scale)
    content = .picture(Drawn(picture: picture, size: size))
    self.size = Self.points(pixels, scale)
  }

  /// Shows a picture where the image will be: as large as fits there, where a style says how large
  /// that is, and otherwise in its own size.
  mutating func show(
    standIn picture: DrawableBitmap,
    _ pixelsPerPoint: Double,
    as style: Style,
    scale: Double,
    _ options: DisplayOptions
  ) {
    let pixels = picture.bitmap.size
    content = .picture(
      Drawn(
        picture: picture,
        size: (Double(pixels.width) / pixelsPerPoint, Double(pixels.height) / pixelsPerPoint)
      )
    )
    isPlaceholder = false
    size = Self.points(pixels, pixelsPerPoint)
    _ = keep(as: style, scale: scale, options)
  }

  /// Lets the picture that is shown stand where the next image will be; false where there is none.
  mutating func keep(as style: Style, scale: Double, _ options: DisplayOptions) -> Bool {
    guard case .picture(var drawn) = content, !isPlaceholder || isStandIn else { return false }
    change = nil
    (isPlaceholder, isStandIn) = (true, true)
    mode = options.mode
    guard let pixels = style.fixedSize(scale: scale), let own = drawn.size else { return true }
    size = Self.points(pixels, scale)
    let factor = min(Double(size.width) / own.width, Double(size.height) / own.height)
    drawn.size = (own.width * factor, own.height * factor)
    drawn.share = 1
    content = .picture(drawn)
    return true
  }

  /// Asks for no more than a place has.
  mutating func limit(to place: ViewPlace) {
    guard case .picture(var drawn) = content, let size = drawn.size else { return }
    let limited = place.limited(size)
    self.size = (Int(limited.width.rounded(.up)), Int(limited.height.rounded(.up)))
    guard size.width > 0, size.height > 0 else { return }
    drawn.share = min(limited.width / size.width, limited.height / size.height)
    content = .picture(drawn)
  }

  /// Shows another frame of the same image.
  mutating func replace(_ picture: DrawableBitmap) {
    guard case .picture(var drawn) = content, !isPlaceholder else { return }
    drawn.picture = picture
    content = .picture(drawn)
  }

  /// Goes on to a moment, in microseconds: a transition begins with the first, and ends.
  package mutating func advance(to time: Int) {
    guard var change else { return }
    let start = change.start ?? time
    change.start = start
    self.change = progress(of: change, at: time) < 1 ? change : nil
  }

  private func progress(of change: Change, at time: Int) -> Double {
    Double(time - (change.start ?? time)) / Double(change.transition.duration / .microseconds(1))
  }

  /// Shows the new picture alone.
  mutating func endTransition() { change = nil }

  private static func points(_ size: PixelSize, _ scale: Double) -> (width: Int, height: Int) {
    // Within what the sizes of hosts can be.
    func points(_ pixels: Int) -> Int { Int(min((Double(pixels) / scale).rounded(.up), 1e6)) }
    return (points(size.width), points(size.height))
  }

  /// What is seen at a time in microseconds; a transition begins with the first.
  package mutating func moment(at time: Int) -> Moment {
    let picture = drawn()
    advance(to: time)
    guard let change else { return Moment(picture: picture, change: nil) }
    let passed = max(0, progress(of: change, at: time))
    let progress = change.transition.eased(passed)
    return Moment(picture: picture, change: (change.from, change.transition, progress))
  }

  /// What is drawn; a placeholder is made now.
  private mutating func drawn() -> Drawn? {
    switch content {
    case .nothing: return nil
    case .picture(let drawn): return drawn
    case .placeholder(let placeholder, let style, let scale):
      guard
        let made = PlaceholderCache.shared.picture(of: placeholder, style, scale: scale)
      else {
        content = .nothing
        return nil
      }
      let pixels = made.picture.bitmap.size
      let size = (width: Double(pixels.width) / scale, height: Double(pixels.height) / scale)
      let drawn = Drawn(picture: made.picture, size: made.isStretched ? nil : size)
      content = .picture(drawn)
      return drawn
    }
  }
}
