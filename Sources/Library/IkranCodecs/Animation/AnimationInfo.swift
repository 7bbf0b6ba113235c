public import IkranPixels

/// What an animated file says about its frames, read without decoding pixels.
public struct AnimationInfo: Sendable, Hashable {
  /// One frame of an animation.
  public struct Frame: Sendable, Hashable {
    /// How long the frame is shown, in milliseconds: at least 11.
    ///
    /// Files that say less mean 100 ms, as in browsers.
    public let duration: Int
    /// Whether it is composed without an earlier frame.
    public let isKey: Bool
    /// Whether the next frames can be composed from this frame's picture.
    ///
    /// False when the frame gives way to what was below it, which its picture does not show.
    public let isBase: Bool

    /// Creates a description; `duration` is what the file says.
    public init(duration: Int, isKey: Bool, isBase: Bool) {
      self.duration = duration < 11 ? 100 : duration
      self.isKey = isKey
      self.isBase = isBase
    }
  }

  /// How the frames end.
  public enum End: Sendable, Hashable {
    /// All frames of the file are there.
    case complete
    /// More frames may arrive: the bytes are the beginning of a file.
    case arriving
    /// The file is cut off or damaged after the last frame that is listed.
    case broken(DecodeError)
  }

  /// The file format.
  public var format: ImageFormat
  /// Width and height of the canvas as stored, before ``orientation`` turns it.
  public var size: PixelSize
  /// How composed frames are turned to stand upright.
  public var orientation = Orientation.up
  /// Whether a pixel of any listed frame may be transparent.
  ///
  /// False for a beginning of a file may become true when more frames arrive.
  public var hasAlpha: Bool
  /// The complete frames, in order; at least one.
  public var frames: [Frame]
  /// How often the animation plays as the file says, at least 1; nil is for ever.
  public var plays: Int?
  /// How the frames end.
  public var end: End

  /// Describes an upright animation.
  public init(
    format: ImageFormat,
    size: PixelSize,
    hasAlpha: Bool,
    frames: [Frame],
    plays: Int?,
    end: End = .complete
  ) {
    self.format = format
    self.size = size
    self.hasAlpha = hasAlpha
    self.frames = frames
    self.plays = plays
    self.end = end
  }

  /// Whether all frames of the file are there.
  public var isComplete: Bool { end == .complete }

  /// The sum of all durations, in milliseconds.
  public var duration: Int { frames.reduce(0) { $0 + $1.duration } }

  /// Width and height of a composed frame once it stands upright.
  public var uprightSize: PixelSize { orientation.uprightSize(of: size) }
}
