public import IkranPixels

/// The frames of one animated file: it holds the file's bytes, and composes nothing itself.
///
/// A source is immutable; any number of composers may use it at the same time.
public protocol FrameSource: Sendable {
  /// What the file says about its frames.
  var info: AnimationInfo { get }

  /// Creates a composer, which one thread uses at a time.
  ///
  /// Cost: none; a composer allocates when it composes.
  func makeComposer() -> sending any FrameComposer
}

/// Composes the frames of one file: each is drawn over what the frames before it left.
///
/// It keeps one canvas of the animation's size and what its format needs to decode a frame.
public protocol FrameComposer: AnyObject {
  /// What was wrong with the file all the same, as far as it is known from the frames that were
  /// composed; composers need not implement it.
  var notes: [DecodeNote] { get }

  /// Composes a frame, and crops and scales it to the pixels that `fitting` describes, upright.
  ///
  /// The bitmap is ``PixelFormat/bgrx`` when ``AnimationInfo/hasAlpha`` is false and all pixels are
  /// there, else ``PixelFormat/bgra``, premultiplied.
  ///
  /// Cost: the frame after the last composed one costs one frame. Any other is composed from the
  /// nearest of: the key frame before it, the last composed frame, and `kept`.
  ///
  /// - Parameters:
  ///   - frame: The number of the frame, from 0.
  ///   - kept: An earlier frame of this file as any composer made it with ``Fitting/original``; it
  ///     is ignored when it does not shorten the way, is not a picture of the whole canvas, or was
  ///     converted from other colours.
  ///   - fitting: The pixels that are wanted.
  ///   - workspace: Memory to reuse from picture to picture.
  /// - Returns: The picture.
  /// - Throws: ``DecodeError`` when a frame that is needed is damaged or has not arrived. Frames
  ///   that do not need it can still be composed.
  func compose(
    _ frame: Int,
    from kept: (number: Int, bitmap: Bitmap)?,
    fitting: Fitting,
    workspace: Workspace
  ) throws(DecodeError) -> Bitmap
}

extension FrameComposer {
  /// Nothing is known.
  public var notes: [DecodeNote] { [] }

  /// Composes a frame at the canvas's size.
  ///
  /// - Throws: ``DecodeError``.
  public func compose(
    _ frame: Int,
    from kept: (number: Int, bitmap: Bitmap)? = nil,
    workspace: Workspace = Workspace()
  ) throws(DecodeError) -> Bitmap {
    try compose(frame, from: kept, fitting: .original, workspace: workspace)
  }
}
