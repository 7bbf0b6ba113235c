public import IkranPixels

extension Animation {
  /// An animation of two pictures, of which the first gives way to the second; it plays once.
  ///
  /// Its first frame shows `from` alone and its last one `to`, both converted to four bytes per
  /// pixel. The canvas has the size of `to`: a `from` of another size is scaled to fit into it,
  /// in the middle, and what it leaves free is transparent. Frames have no alpha where neither
  /// picture has, `from` covers the canvas, and the transition uncovers nothing.
  ///
  /// The animation's ``info`` names the format `transition`.
  ///
  /// Cost: none here. A frame is drawn when it is needed, in one pass over its pixels; a flip's is
  /// resampled, and one of a custom transition takes a pass for each picture. The first frame in a
  /// style also resamples both pictures.
  ///
  /// - Parameters:
  ///   - from: The old picture.
  ///   - to: The new picture.
  ///   - transition: The effect, its duration and the number of frames.
  ///   - style: Applied to every frame.
  ///   - scale: Pixels per point of the style.
  ///   - buffering: How many frames are kept.
  ///   - store: The budget and the threads.
  /// - Throws: ``/Ikran/StyleError`` when a length of the style is invalid.
  public init(
    from: Bitmap,
    to: Bitmap,
    transition: Transition = .fade(),
    style: Style = .original,
    scale: Double = 1,
    buffering: FrameBuffering = .automatic,
    store: AnimationStore = .shared
  ) throws(StyleError) {
    try self.init(
      TransitionFrames(from: from, to: to, transition),
      style: style,
      scale: scale,
      buffering: buffering,
      store: store
    )
  }
}
