import IkranCodecs
import IkranPixels

/// What a URL's options make of a source: what is decoded of it, and what follows.
///
/// Ask the pipeline for ``style`` at a scale of 1, with colours handled as ``colors`` says, and
/// hand the bitmap to ``render(_:watermark:workspace:)``.
struct ResultPlan: Sendable, Hashable {
  let frame: SourceFrame
  let options: ProcessingOptions
  /// That of the result.
  let format: ImageFormat
  let limits: ResultLimits
  /// Nil where it depends on the pixels of the whole source.
  let layout: ResultLayout?

  /// Plans a result.
  ///
  /// - Parameters:
  ///   - info: The source's header.
  ///   - options: What the URL asks for.
  ///   - format: The result's format.
  ///   - limits: The bounds of results.
  ///   - isAnimated: Whether the result has several frames: these are not trimmed, and parts that
  ///     attract the eye are the middle, as one part is kept of all.
  /// - Throws: ``RenderError/tooLarge(_:)``.
  init(
    _ info: ImageInfo,
    _ options: ProcessingOptions,
    as format: ImageFormat,
    limits: ResultLimits = ResultLimits(),
    isAnimated: Bool = false
  ) throws(RenderError) {
    var options = options
    if isAnimated { options.framing.loseAnalysis() }
    frame = SourceFrame(info, options.effects)
    (self.options, self.format, self.limits) = (options, format, limits)
    let whole = frame.whole
    guard whole.size.isPositive else { throw .tooLarge(whole.size) }
    let crop = frame.cropSize(options.framing.crop, of: whole.size)
    let isChosen = options.framing.cropGravity.kind == .smart && crop != whole.size
    if options.framing.trim != nil || isChosen {
      layout = nil
    } else {
      let part = frame.cropped(options.framing, in: whole)
      layout = try ResultLayout(part, of: frame, options, limits: limits)
    }
  }

  /// Whether all pixels of the source are looked at before the sizes are known.
  var needsWholePicture: Bool { layout == nil }

  /// What to ask the pipeline for.
  var style: Style {
    guard case .region(let region, let size, _) = fitting else { return .original }
    return .region(region, width: Double(size.width), height: Double(size.height))
  }

  /// The pixels that are decoded.
  var fitting: Fitting {
    guard let layout, layout.region != frame.whole || layout.decoded != frame.whole.size else {
      return .original
    }
    return .region(layout.region, layout.decoded)
  }

  /// What becomes of the source's colours.
  var colors: ColorHandling { options.output.stripsColorProfile ? .sRGB : .keepProfile }

  /// What transparent pixels are drawn over; nil where they stay.
  var ground: Color? { options.effects.background ?? (format.keepsAlpha ? nil : .white) }
}

extension Framing {
  /// Leaves out what depends on pixels.
  fileprivate mutating func loseAnalysis() {
    trim = nil
    if gravity.kind == .smart { gravity = Gravity() }
    if crop.gravity?.kind == .smart { crop.gravity = Gravity() }
  }
}
