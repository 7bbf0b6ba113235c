extension Transition {
  /// A rectangle, in parts of the width and of the height of what the pictures are drawn on.
  public struct Area: Sendable, Hashable {
    /// The left edge: 0 is the left of the canvas, 1 the right.
    public var x: Double
    /// The upper edge: 0 is the top of the canvas, 1 the bottom.
    public var y: Double
    /// The distance from the left edge to the right one.
    public var width: Double
    /// The distance from the upper edge to the lower one.
    public var height: Double

    /// Creates an area; by default it is all of the canvas.
    public init(x: Double = 0, y: Double = 0, width: Double = 1, height: Double = 1) {
      (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }
  }

  /// Where one of the two pictures stands at a moment of a transition, and how clear it is.
  ///
  /// A picture is not drawn with a number that is not finite, or a scale that is not above 1e-6.
  /// Scales and distances count as 1000 where they are more.
  public struct Placement: Sendable, Hashable {
    /// From 0, where it is not seen, to 1; other values mean the nearest.
    public var opacity: Double
    /// How far it is moved to the right, 1 for the width of the canvas.
    public var x: Double
    /// How far it is moved down, 1 for the height of the canvas.
    public var y: Double
    /// How many times as wide it is; it grows about its middle.
    public var scaleX: Double
    /// How many times as high it is; it grows about its middle.
    public var scaleY: Double
    /// What is seen of it, or nil for all: a part of the canvas, which does not move along.
    public var clip: Area?

    /// Creates a placement; by default the picture covers the canvas.
    ///
    /// - Parameters:
    ///   - opacity: From 0 to 1.
    ///   - x: How far it is moved to the right, 1 for the width.
    ///   - y: How far it is moved down, 1 for the height.
    ///   - scale: How many times as large it is, on both axes.
    ///   - clip: What is seen of it, a part of the canvas.
    public init(
      opacity: Double = 1,
      x: Double = 0,
      y: Double = 0,
      scale: Double = 1,
      clip: Area? = nil
    ) {
      (self.opacity, self.x, self.y, self.clip) = (opacity, x, y, clip)
      (scaleX, scaleY) = (scale, scale)
    }

    /// Within the numbers that are drawn, with a clip; nil where nothing of the picture is seen.
    package var drawn: Placement? {
      let clip = clip ?? Area()
      let numbers = [opacity, x, y, scaleX, scaleY, clip.x, clip.y, clip.width, clip.height]
      // No pixel is left of less; Cairo refuses what is nearly nothing, and loses memory by that.
      guard numbers.allSatisfy(\.isFinite), opacity > 0, min(scaleX, scaleY) > 1e-6 else {
        return nil
      }
      var drawn = self
      drawn.opacity = min(opacity, 1)
      (drawn.x, drawn.y) = (min(max(x, -1000), 1000), min(max(y, -1000), 1000))
      (drawn.scaleX, drawn.scaleY) = (min(scaleX, 1000), min(scaleY, 1000))
      let (left, top) = (min(max(clip.x, 0), 1), min(max(clip.y, 0), 1))
      let right = min(max(clip.x + clip.width, 0), 1)
      let bottom = min(max(clip.y + clip.height, 0), 1)
      guard left < right, top < bottom else { return nil }
      drawn.clip = Area(x: left, y: top, width: right - left, height: bottom - top)
      return drawn
    }
  }

  /// What is seen at a moment of a transition: both pictures, one in front of the other.
  public struct Moment: Sendable, Hashable {
    /// The old picture.
    public var old: Placement
    /// The new picture.
    public var new: Placement
    /// Whether the new picture covers the old one; else it is covered by it.
    public var isNewInFront: Bool

    /// Creates a moment; by default the new picture is seen alone.
    public init(
      old: Placement = Placement(),
      new: Placement = Placement(),
      isNewInFront: Bool = true
    ) {
      (self.old, self.new, self.isNewInFront) = (old, new, isNewInFront)
    }
  }

  /// A program's own effect; two are the same when their names are.
  package struct Custom: Sendable, Hashable {
    package let id: String
    package let moment: @Sendable (Double) -> Moment

    package static func == (one: Custom, other: Custom) -> Bool { one.id == other.id }
    package func hash(into hasher: inout Hasher) { hasher.combine(id) }
  }

  /// An effect of your own: a closure says where both pictures stand at each moment.
  ///
  /// ```swift
  /// let zoom = Transition.custom(id: "zoom") { progress in
  ///   Transition.Moment(new: Transition.Placement(opacity: progress, scale: 0.5 + progress / 2))
  /// }
  /// ```
  ///
  /// It is not called for the first frame, which is the old picture alone, nor for the last one,
  /// which is the new picture. What neither picture covers is transparent. A view calls it on the
  /// main thread, an ``Animation`` on a thread that draws its frames.
  ///
  /// Cost: one pass over what is seen of each picture; one that is smaller is resampled, too.
  ///
  /// - Parameters:
  ///   - id: Says what the closure does. Transitions are equal by it, so one name always has to do
  ///     the same.
  ///   - duration: How long it takes.
  ///   - moment: What is seen when a part of the way is gone, between 0 and 1; where
  ///     ``isEased`` is true, the part is eased.
  /// - Returns: The transition.
  public static func custom(
    id: String,
    _ duration: Duration = .milliseconds(250),
    moment: @escaping @Sendable (_ progress: Double) -> Moment
  ) -> Transition {
    Transition(.custom(Custom(id: id, moment: moment)), duration)
  }
}
