public import IkranCodecs
public import IkranPixels

/// An animated image: its frames are composed when they are needed and kept within a budget.
///
/// It is a small value: copies share frames, and so do all players of an animation. Frames are
/// decoded on the threads of its ``AnimationStore``.
///
/// ```swift
/// let bytes: [UInt8] = …
/// if let source = try CodecList.standard.frames(of: bytes) {
///   let animation = try Animation(source, style: .circle(48))
///   let player = Player(animation) { event in … }
/// }
/// ```
public struct Animation: Sendable {
  let core: AnimationCore

  /// Creates an animation that keeps no frame yet.
  ///
  /// - Parameters:
  ///   - source: The frames of a file.
  ///   - style: Applied to every frame.
  ///   - scale: Pixels per point of the style.
  ///   - buffering: How many frames are kept.
  ///   - store: The budget and the threads.
  /// - Throws: ``/Ikran/StyleError`` when a length of the style is invalid.
  public init(
    _ source: any FrameSource,
    style: Style = .original,
    scale: Double = 1,
    buffering: FrameBuffering = .automatic,
    store: AnimationStore = .shared
  ) throws(StyleError) {
    core = AnimationCore(source, try FrameStyle(style, scale: scale), buffering, store)
  }

  private init(_ core: AnimationCore) { self.core = core }

  /// Equal for copies of one animation while one of them lives.
  package var id: ObjectIdentifier { ObjectIdentifier(core) }

  /// The same without holding its frames.
  package func weakened() -> @Sendable () -> Animation? {
    { [weak core] in core.map(Animation.init) }
  }

  /// What the file says about its frames, as far as they have arrived.
  public var info: AnimationInfo { core.contents.info }

  /// Width and height of a frame in the animation's style, in pixels.
  ///
  /// A freeform style may make frames of another size.
  public var size: PixelSize { core.style.size(of: info) }

  /// The number of frames, at least 1; more may follow while a file arrives.
  public var frameCount: Int { info.frames.count }

  /// How long each frame is shown, in milliseconds, at least 11.
  public var durations: [Int] { core.contents.durations }

  /// How often the file says that it plays, at least 1; nil is for ever.
  public var loopCount: Int? { info.plays }

  /// The bytes of all frames together, were they kept: `Int.max` when that cannot be counted.
  public var cost: Int {
    let (bytes, overflow) = core.frameBytes.multipliedReportingOverflow(by: frameCount)
    return overflow ? .max : bytes
  }

  /// The bytes of the frames that are kept now.
  public var byteCount: Int { core.byteCount }

  /// How many frames are kept; a change takes effect at once.
  public var buffering: FrameBuffering {
    get { core.buffering }
    nonmutating set { core.setBuffering(newValue) }
  }

  /// A frame if it is kept; nil when it is not, and for a number that no frame has.
  ///
  /// Cost: one lock and a look-up; it decodes nothing.
  public func frame(at number: Int) -> Bitmap? { core.frame(at: number) }

  /// A frame, decoded if it is not kept.
  ///
  /// Cost: composes from the key frame before it, or from a frame that is kept. To see one frame
  /// after the other, use a ``Player``.
  ///
  /// Cancellation: the call returns at once; a decode that has started goes on, but one in another
  /// process whose frame no player could show.
  ///
  /// - Parameter number: From 0; another number means the nearest frame.
  /// - Returns: The picture.
  /// - Throws: ``PlaybackError``.
  public func decodedFrame(at number: Int) async throws(PlaybackError) -> Bitmap {
    let number = min(max(0, number), frameCount - 1)
    let order = PlayingOrder(frameCount: frameCount, direction: .normal)
    let viewer = FrameWindow.Viewer(order: order, step: number, isMoving: false)
    let id = core.makeViewerID()
    defer { core.hide(id) }
    while true {
      let changes = core.changes
      let showing = core.show(viewer, by: id)
      if let bitmap = showing.bitmap { return bitmap }
      if let error = showing.error { throw error }
      await core.waitForChange(after: changes)
      guard !Task.isCancelled else { throw .cancelled }
    }
  }

  /// Goes on with more of a file that is arriving; players take it up with their next step.
  ///
  /// - Parameter source: Of the same file, with all frames that the source before had. One with
  ///   fewer is ignored.
  public func update(with source: any FrameSource) { core.update(source) }

  /// Goes on with more of a file where several threads bring sources.
  ///
  /// `number` counts the sources from 1: an older one that comes late is ignored.
  package func update(with source: any FrameSource, number: Int) { core.update(source, number) }
}
