public import FoundationEssentials
public import Ikran

// Decision 85: an overview and tiles.
/// A picture that is zoomed and panned in a widget, however large it is: not a widget itself.
///
/// ```swift
/// let view = ZoomView(picture)
/// view.show(ImageRequest(url), options: ZoomOptions { print($0.currentFactor) })
/// view.zoom(by: 2)
/// ```
/// The widget is an empty `GtkPicture`, or another one that has a property `paintable`; give it all
/// the room that there is (`hexpand`, `vexpand`), and put it into no `GtkScrolledWindow`. It
/// becomes focusable. The state is kept by the widget and ends with it: all values for one widget
/// share it, and none need be stored. Once the widget has ended, all calls do nothing.
///
/// The wheel scrolls, with Shift sideways; with Ctrl it zooms at the mouse, as a pinch does between
/// the fingers. A double click shows a pixel of the picture for one of the screen, or the whole
/// picture again, and a drag moves it. The keys are + and - (zoom), 1 (a pixel for a pixel), 0 (the
/// whole picture), the arrows and Page Up and Down (scroll), and Home and End (the upper left and
/// the lower right corner). Keys that change nothing, such as Right at the right edge, and those
/// that scroll while Shift is held go on to the window. A click takes the focus.
///
/// Pixels are decoded as they come to be seen, the middle first, on a thread of the widget's own,
/// by a ``/Ikran/RegionDecoder``: an overview of the whole picture, and tiles of 256 × 256 pixels,
/// of the picture reduced by a power of two. Together they take at most ``maximumMemoryBytes``,
/// more in a very large view, and the decoder's index 16 MB; the file stays in memory, or mapped.
/// Until a tile is there, coarser pixels are shown in its place. Of sequential JPEG, PNG and TIFF
/// files a tile costs some milliseconds; other ones, such as progressive JPEG and WebP, are decoded
/// again for each few tiles where they have more pixels than the overview: a million.
///
/// One picture is decoded at a time. Another picture, ``clear()`` and the end of the widget end a
/// decode in another process; one in this process that has begun goes on, and the next picture
/// waits for it.
///
/// Pixels of the screen are points times the widget's scale factor, a whole number. At fractional
/// scales, such as 150 %, GTK draws at the next one, 200 %, and the desktop makes that smaller.
///
/// Animated images show their first frame.
@MainActor
public struct ZoomView {
  /// How far the picture has come.
  public enum State: Sendable {
    /// None was requested.
    case empty
    /// Loading or being opened; nil until the first bytes of a download have arrived.
    case loading(TransferProgress?)
    /// Shown; what the headers of its file say. It stays so where a tile cannot be decoded: that is
    /// tried once more, and then coarser pixels are shown in its place.
    case shown(ImageInfo)
    /// It could not be loaded, or its overview could not be decoded: nothing is shown.
    case failed(ImageError)
  }

  /// The most bytes that the decoded pixels of a view take which has up to 3,440 × 1,440 pixels.
  ///
  /// A larger view takes what it needs to show a pixel of the picture for each of its own, with a
  /// tile on each side: 59 MB for 3,840 × 2,160 pixels, 92 MB for 5,120 × 2,880, and never more
  /// than 261 MB, of 1,048,576 bytes each.
  nonisolated public static let maximumMemoryBytes = 48 << 20

  let content: ZoomContent

  /// How far the picture has come.
  public var state: State { content.state }

  // MARK: - Pictures

  /// Shows the picture in a file.
  ///
  /// - Parameters:
  ///   - file: The bytes, which are not copied.
  ///   - options: How it is decoded and shown.
  public func show(_ file: [UInt8], options: ZoomOptions = ZoomOptions()) {
    content.show(.bytes(file), options)
  }

  /// Shows the picture in a file that may be mapped (`Data(contentsOf:options: .alwaysMapped)`).
  ///
  /// A mapped file takes no memory of the program's. It must not be cut while it is read, which
  /// ends the program: write a new file and rename it. A decode that has begun reads on after
  /// ``clear()``, another picture and the end of the widget.
  ///
  /// - Parameters:
  ///   - file: The bytes, which are not copied.
  ///   - options: How it is decoded and shown.
  public func show(_ file: Data, options: ZoomOptions = ZoomOptions()) {
    content.show(.data(file), options)
  }

  /// Shows the picture of a request in full size; its style, filters and format do not matter, nor
  /// do the pipeline's rules of decoding.
  ///
  /// What its ``/Ikran/ImageRequest/decoding`` says goes before the options' rules.
  ///
  /// The pipeline brings the file from memory, the disk or the network. The load goes on while the
  /// widget is not on display, and ends with the widget or the next picture.
  ///
  /// - Parameters:
  ///   - request: What to ask for.
  ///   - pipeline: What loads it.
  ///   - options: How it is decoded and shown.
  public func show(
    _ request: ImageRequest,
    from pipeline: ImagePipeline = .shared,
    options: ZoomOptions = ZoomOptions()
  ) {
    content.show(request, from: pipeline, options)
  }

  /// Ends what loads, and shows nothing.
  ///
  /// A decode in this process that has begun reads the file to its end.
  public func clear() { content.clear() }

  // MARK: - Zoom

  /// Pixels of the screen for one of the picture, 16 at most; nil is the whole picture, not
  /// enlarged, as is every factor at which there is room for that.
  ///
  /// What is in the middle of the view stays there. Before the picture is there it does nothing:
  /// see ``ZoomOptions/factor``.
  public var factor: Double? {
    get { content.geometry?.factor }
    nonmutating set { content.change { $0.set(newValue) } }
  }

  /// Pixels of the screen for one of the picture; before the picture has a size in the view the
  /// first ``ZoomOptions/factor``, or 1.
  public var currentFactor: Double { content.geometry?.current ?? 1 }

  /// Enlarges by two fifths for each step, or makes as much smaller for each negative one, with a
  /// stop at one pixel for one.
  ///
  /// - Parameters:
  ///   - steps: How many, also parts of one.
  ///   - point: What is seen there stays there, in points from the upper left of the widget; nil is
  ///     its middle.
  public func zoom(by steps: Double, at point: (x: Double, y: Double)? = nil) {
    content.change { [content] in $0.step(steps, keeping: point.map(content.pixels)) }
  }

  /// Chooses a factor; what is seen at a point stays there.
  ///
  /// - Parameters:
  ///   - factor: As ``factor``.
  ///   - point: In points from the upper left of the widget.
  public func zoom(to factor: Double?, at point: (x: Double, y: Double)) {
    content.change { [content] in $0.set(factor, keeping: content.pixels(point)) }
  }

  /// Shows one pixel of the picture for one of the screen, or the whole picture where it is not
  /// shown whole.
  ///
  /// - Parameter point: What is seen there stays there, in points; nil is the middle.
  public func toggle(at point: (x: Double, y: Double)? = nil) {
    content.change { [content] in $0.toggle(keeping: point.map(content.pixels)) }
  }

  /// Shows the whole picture, not enlarged.
  public func fit() { factor = nil }

  // MARK: - Place

  /// The pixels of the picture of which something is seen; nil before it is there, and without a
  /// size in the view.
  public var visibleRegion: PixelRectangle? { content.geometry?.visible }

  /// Shows what lies so many points to the right and further down, up to the ends of the picture.
  public func scroll(x: Double, y: Double) { content.scroll(x: x, y: y) }

  /// Shows a pixel of the picture in the middle of the view, as far as the picture's ends allow.
  ///
  /// - Parameters:
  ///   - x: The column, from 0.
  ///   - y: The row, from 0.
  public func center(x: Double, y: Double) { content.change { $0.center(x: x, y: y) } }

  // MARK: - Memory

  /// What the decoded pixels take now.
  public var memoryBytes: Int { content.memoryBytes }

  /// Whether all that is seen is as sharp as it becomes: from one pixel for one on exactly the
  /// file's pixels, except where these cannot be decoded.
  public var isSharp: Bool { content.isSharp }
}

/// How a ``ZoomView`` decodes a picture and shows it.
public struct ZoomOptions: Sendable {
  /// What decodes the picture.
  ///
  /// By default formats with large decoders are decoded in another process, as pipelines do. JPEG,
  /// PNG, WebP and GIF are decoded in this one: tiles need the decoder's index.
  public var codecs: CodecList
  /// How the file is decoded: the limits, the colours, the page, and whether a cut file is shown.
  public var rules: DecodeRules
  /// The factor at first; nil is the whole picture.
  public var factor: Double?
  /// By how many quarters of a turn the upright picture is shown turned clockwise; 0 by default.
  ///
  /// Pixels and regions of the view are those of the turned picture.
  public var quarterTurns = 0
  /// Called on the main thread when the state, the factor or what is seen of the picture has
  /// changed.
  ///
  /// It is retained until the widget is destroyed or has another picture: capture no strong
  /// reference to the widget.
  public var onChange: (@MainActor @Sendable (ZoomView) -> Void)?
  /// The most pixels of an overview, of four bytes each.
  var overviewPixels = Self.mostOverviewPixels

  static let mostOverviewPixels = 1 << 20

  /// Makes options; without any, the whole picture is shown in sRGB.
  public init(
    codecs: CodecList = .standard.isolated(.risky),
    rules: DecodeRules = DecodeRules(),
    factor: Double? = nil,
    onChange: (@MainActor @Sendable (ZoomView) -> Void)? = nil
  ) {
    self.codecs = codecs
    self.rules = rules
    self.factor = factor
    self.onChange = onChange
  }
}
