import IkranPixels

/// The arithmetic of sizes, in the axes of the result; 0 is an open side.
///
/// It is imgproxy's, step by step: both rounding and the order of steps are seen in results.
struct ResultSizes: Sendable, Hashable {
  /// The size of all of the source after scaling.
  private(set) var scaled = PixelSize(width: 1, height: 1)
  /// What the URL asks for.
  private(set) var target = PixelSize(width: 0, height: 0)
  /// What of the scaled picture is kept.
  private(set) var kept = PixelSize(width: 0, height: 0)
  /// The canvas of the target's aspect.
  private(set) var aspect = PixelSize(width: 0, height: 0)
  /// What offsets and paddings are multiplied with: lower than asked for where the picture is not
  /// enlarged.
  private(set) var dpr = 1.0

  private var scale: (x: Double, y: Double) {
    get { (scaleX, scaleY) }
    set { (scaleX, scaleY) = newValue }
  }
  private var scaleX = 1.0
  private var scaleY = 1.0

  /// Computes the sizes for a source.
  ///
  /// - Parameters:
  ///   - source: What is used of the source, at least 1 × 1, in the axes of the result.
  ///   - options: What the URL asks for.
  ///   - isVector: Whether the source can be enlarged without loss.
  ///   - longest: The longest side of the result, to which it is shrunk; 0 is none.
  init(
    of source: PixelSize,
    _ options: ProcessingOptions,
    isVector: Bool = false,
    longest: Int = 0
  ) {
    let resizing = options.resizing.bounded
    var shrink = Shrink(source, resizing)
    dpr = resizing.dpr
    if !resizing.enlarges && !isVector {
      let least = min(shrink.x, shrink.y)
      if least < 1 {
        shrink.x /= least
        shrink.y /= least
        // The picture is smaller than asked for, and so is its density.
        if !options.framing.extends.isOn { dpr /= least }
      }
      dpr = min(dpr, shrink.x, shrink.y)
    }
    shrink.keepMinimum(of: source, resizing)
    scale = (
      1 / min(shrink.x / dpr, Double(source.width)),
      1 / min(shrink.y / dpr, Double(source.height))
    )
    measure(source, resizing, in: options.framing)
    let most = outer(options.framing).longest
    guard longest > 0, most > longest else { return }
    let factor = Double(longest) / Double(most)
    scale = (
      max(scale.x * factor, 1 / Double(source.width)),
      max(scale.y * factor, 1 / Double(source.height))
    )
    dpr *= factor
    measure(source, resizing, in: options.framing)
  }

  /// Both paddings of each axis.
  func padding(_ padding: Framing.Padding) -> (left: Int, top: Int, right: Int, bottom: Int) {
    func pixels(_ side: Int) -> Int { (Double(side) * dpr).evenPixels }
    let (left, right) = (pixels(padding.left), pixels(padding.right))
    return (left, pixels(padding.top), right, pixels(padding.bottom))
  }

  private mutating func measure(_ source: PixelSize, _ resizing: Resizing, in framing: Framing) {
    target = PixelSize(
      width: (Double(resizing.width) * (dpr * resizing.zoom.x)).pixels,
      height: (Double(resizing.height) * (dpr * resizing.zoom.y)).pixels
    )
    scaled = PixelSize(
      width: max(1, (Double(source.width) * scale.x).pixels),
      height: max(1, (Double(source.height) * scale.y).pixels)
    )
    kept = target
    if resizing.kind == .fillDown && !resizing.enlarges {
      kept = boxOfTargetAspect(scaled, isGrown: false) ?? target
    }
    aspect = PixelSize(width: 0, height: 0)
    if framing.extendsAspect.isOn, target.width > 0, target.height > 0 {
      aspect = boxOfTargetAspect(scaled.inside(kept), isGrown: true) ?? aspect
    }
  }

  /// The largest box of the target's aspect in a size that it is larger than, or the smallest
  /// around one; nil where there is nothing to do.
  private func boxOfTargetAspect(_ size: PixelSize, isGrown: Bool) -> PixelSize? {
    let (width, height) = (Double(target.width), Double(target.height))
    let (across, down) = (width / Double(size.width), height / Double(size.height))
    guard across != down, isGrown || max(across, down) > 1 else { return nil }
    // An open side of the target stays open.
    func side(_ length: Int, _ aspect: Double) -> Int {
      aspect == 0 ? 0 : max(1, (Double(length) * aspect).pixels)
    }
    return (across > down) != isGrown
      ? PixelSize(width: size.width, height: side(size.width, height / width))
      : PixelSize(width: side(size.height, width / height), height: size.height)
  }

  /// The size of all of the result.
  private func outer(_ framing: Framing) -> PixelSize {
    var size = scaled.inside(kept)
    if framing.extends.isOn {
      size = size.around(target)
    } else if framing.extendsAspect.isOn {
      size = size.around(aspect)
    }
    let around = padding(framing.padding)
    return PixelSize(
      width: size.width + around.left + around.right,
      height: size.height + around.top + around.bottom
    )
  }
}

/// Pixels of the source for each of the result, across and down.
private struct Shrink {
  var x, y: Double

  init(_ source: PixelSize, _ resizing: Resizing) {
    x = resizing.width == 0 ? 1 : Double(source.width) / Double(resizing.width)
    y = resizing.height == 0 ? 1 : Double(source.height) / Double(resizing.height)
    switch resizing.kind.fixed(for: source, resizing) {
    case .force: break
    case _ where resizing.width == 0: x = y
    case _ where resizing.height == 0: y = x
    case .fit: (x, y) = (max(x, y), max(x, y))
    case .fill, .fillDown, .auto: (x, y) = (min(x, y), min(x, y))
    }
    x /= resizing.zoom.x
    y /= resizing.zoom.y
  }

  /// Shrinks less where a side would be below the least one.
  mutating func keepMinimum(of source: PixelSize, _ resizing: Resizing) {
    if resizing.minimumWidth > 0 {
      let least = Double(source.width) / Double(resizing.minimumWidth)
      if least < x { (x, y) = (least, y / (x / least)) }
    }
    if resizing.minimumHeight > 0 {
      let least = Double(source.height) / Double(resizing.minimumHeight)
      if least < y { (x, y) = (x / (y / least), least) }
    }
  }
}

extension Resizing.Kind {
  /// What ``auto`` is for a source: ``fill`` where both lie or both stand.
  fileprivate func fixed(for source: PixelSize, _ resizing: Resizing) -> Resizing.Kind {
    guard self == .auto else { return self }
    let wanted = PixelSize(width: resizing.width, height: resizing.height).filled(from: source)
    return (source.width >= source.height) == (wanted.width >= wanted.height) ? .fill : .fit
  }
}

extension Resizing {
  /// With factors that no arithmetic makes infinite.
  fileprivate var bounded: Resizing {
    func factor(_ value: Double) -> Double { min(max(value, 1e-9), 1e9) }
    var result = self
    result.dpr = factor(dpr)
    result.zoom = Zoom(x: factor(zoom.x), y: factor(zoom.y))
    return result
  }
}
