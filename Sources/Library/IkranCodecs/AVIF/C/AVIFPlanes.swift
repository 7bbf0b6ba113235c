#if AVIF
import CAVIF
import IkranPixels

/// The planes of a decoded picture, which become rows of pixels.
struct AVIFPlanes {
  private let image: UnsafeMutablePointer<avifImage>
  private let format: PixelFormat
  private let isStraight: Bool
  /// What samples of 16 bits become; nil for those of 8.
  private let levels: SampleLevels?
  private let size: PixelSize

  /// Rows that are converted at once, so that they stay in the processor's cache.
  private static let bandHeight = 32
  /// Rows above and below a band that the colours of its edges depend on.
  private static let margin = 2

  /// Planes of an image that outlives this value.
  init(
    _ image: UnsafeMutablePointer<avifImage>,
    hasAlpha: Bool,
    isStraight: Bool,
    levels: SampleLevels?
  ) {
    self.image = image
    (self.isStraight, self.levels) = (isStraight, levels)
    format = hasAlpha ? .bgra : .bgrx
    size = PixelSize(width: Int(image.pointee.width), height: Int(image.pointee.height))
  }

  /// Crops and scales the picture as `plan` says.
  func render(_ plan: RenderPlan, workspace: Workspace) throws(DecodeError) -> Bitmap {
    if plan.isIdentity, levels == nil {
      var canvas = try Canvas.decoding(size, format, zeroed: false)
      let bytesPerRow = canvas.bytesPerRow
      try canvas.withUnsafeMutableBytes { (pixels) throws(DecodeError) in
        try convert(image, into: pixels, bytesPerRow: bytesPerRow)
      }
      return canvas.finish()
    }
    if let (view, block) = reduction(for: plan) {
      let reduced: Canvas
      do throws(BitmapError) {
        reduced = try view.reduced(by: block, workspace: workspace)
      } catch { throw .bitmap(error) }
      let rest = plan.scaled(to: reduced.size, numerator: 1, denominator: block)
      return try PixelSink.render(reduced, rest, workspace: workspace)
    }
    return try renderBands(plan, workspace: workspace)
  }

  /// Makes pixels of some rows after the other.
  private func renderBands(
    _ plan: RenderPlan,
    workspace: Workspace
  ) throws(DecodeError) -> Bitmap {
    var sink = try PixelSink.open(plan, rows: size, format: format, workspace: workspace)
    let view = try AVIFViewHandle()
    var scratch = FrameScratch()
    var deep = FrameScratch()
    let rowBytes = size.width * 4
    var rows = sink.neededRows
    while !rows.isEmpty {
      let band = rows.prefix(Self.bandHeight)
      let top = max(band.lowerBound - Self.margin, 0) & ~1
      let bottom = min(band.upperBound + Self.margin, size.height)
      let part = PixelRectangle(x: 0, y: top, width: size.width, height: bottom - top)
      let pixels = scratch.bytes(rowBytes * (bottom - top))
      let samples = levels == nil ? nil : deep.bytes(2 * rowBytes * (bottom - top))
      try view.withPart(part, of: image) { (view) throws(DecodeError) in
        if let levels, let samples {
          try convert(view, through: samples, levels, into: pixels)
        } else {
          try convert(view, into: pixels, bytesPerRow: rowBytes)
        }
      }
      for y in band {
        let start = (y - top) * rowBytes
        try sink.nextRow { (target) throws(DecodeError) in
          target.copyMemory(
            from: UnsafeRawBufferPointer(rebasing: pixels[start..<start + rowBytes])
          )
        }
      }
      rows = rows.dropFirst(band.count)
    }
    return try sink.finish()
  }

  /// The planes, and how many pixels of a side become one before there are pixels; nil where all
  /// become pixels first.
  ///
  /// As for WebP, four times the target's pixels are left per side for the Lanczos filter.
  private func reduction(for plan: RenderPlan) -> (view: PlanarView, block: Int)? {
    let block = plan.ratio.isFinite ? min(Int(plan.ratio / 4), 256) & ~1 : 0
    let planes = image.pointee
    guard block >= 2, plan.mayReduce(squaresOf: block), !format.hasAlpha, planes.depth == 8,
      levels == nil,
      let halved = Self.halved(planes.yuvFormat), let matrix = matrix,
      let luma = planes.yuvPlanes.0, let blue = planes.yuvPlanes.1, let red = planes.yuvPlanes.2,
      // A stride for both planes of chroma.
      planes.yuvRowBytes.1 == planes.yuvRowBytes.2
    else { return nil }
    let view = PlanarView(
      size,
      luma: PlanarView.Plane(start: luma, bytesPerRow: Int(planes.yuvRowBytes.0)),
      chroma: PlanarView.Chroma(
        blue: PlanarView.Plane(start: blue, bytesPerRow: Int(planes.yuvRowBytes.1)),
        red: PlanarView.Plane(start: red, bytesPerRow: Int(planes.yuvRowBytes.2)),
        halvesWidth: halved.width,
        halvesHeight: halved.height
      ),
      matrix: matrix
    )
    return (view, block)
  }

  /// Which sides of chroma are half as long; nil for a picture without chroma.
  private static func halved(_ format: avifPixelFormat) -> (width: Bool, height: Bool)? {
    switch format {
    case AVIF_PIXEL_FORMAT_YUV420: (true, true)
    case AVIF_PIXEL_FORMAT_YUV422: (true, false)
    case AVIF_PIXEL_FORMAT_YUV444: (false, false)
    default: nil
    }
  }

  /// The matrix of the code points (ITU-T H.273, table 4); nil for those that libavif computes.
  private var matrix: PlanarView.Matrix? {
    let isFull = image.pointee.yuvRange == AVIF_RANGE_FULL
    switch Int(image.pointee.matrixCoefficients) {
    case 1: return PlanarView.Matrix(red: 0.2126, blue: 0.0722, isFullRange: isFull)
    case 2, 5, 6: return PlanarView.Matrix(red: 0.299, blue: 0.114, isFullRange: isFull)
    case 9: return PlanarView.Matrix(red: 0.2627, blue: 0.0593, isFullRange: isFull)
    default: return nil
    }
  }

  /// `avifImageYUVToRGB`; pixels in a format with alpha are premultiplied unless they are to be
  /// straight.
  private func convert(
    _ planes: UnsafeMutablePointer<avifImage>,
    into pixels: UnsafeMutableRawBufferPointer,
    bytesPerRow: Int
  ) throws(DecodeError) {
    var rgb = avifRGBImage()
    avifRGBImageSetDefaults(&rgb, planes)
    rgb.depth = 8
    rgb.format = AVIF_RGB_FORMAT_BGRA
    rgb.ignoreAlpha = format.hasAlpha ? 0 : 1
    let isPremultiplied = planes.pointee.alphaPremultiplied != 0
    // libavif's own premultiplication rounds otherwise than that of the other formats.
    rgb.alphaPremultiplied = isPremultiplied && format.hasAlpha && !isStraight ? 1 : 0
    rgb.pixels = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self)
    rgb.rowBytes = UInt32(clamping: bytesPerRow)
    try Self.check(avifImageYUVToRGB(planes, &rgb))
    finish(pixels, of: planes, isPremultiplied: isPremultiplied, bytesPerRow: bytesPerRow)
  }

  /// `avifImageYUVToRGB` to samples of 16 bits, which become bytes by their levels; rows without
  /// padding.
  private func convert(
    _ planes: UnsafeMutablePointer<avifImage>,
    through samples: UnsafeMutableRawBufferPointer,
    _ levels: SampleLevels,
    into pixels: UnsafeMutableRawBufferPointer
  ) throws(DecodeError) {
    var rgb = avifRGBImage()
    avifRGBImageSetDefaults(&rgb, planes)
    rgb.depth = 16
    rgb.format = AVIF_RGB_FORMAT_RGBA
    rgb.ignoreAlpha = format.hasAlpha ? 0 : 1
    // Levels are those of straight colours.
    rgb.alphaPremultiplied = 0
    rgb.pixels = samples.baseAddress?.assumingMemoryBound(to: UInt8.self)
    rgb.rowBytes = UInt32(clamping: size.width * 8)
    try Self.check(avifImageYUVToRGB(planes, &rgb))
    levels.expandWords(
      UnsafeBufferPointer(samples.bindMemory(to: UInt16.self)),
      bits: 16,
      hasAlpha: format.hasAlpha,
      into: pixels
    )
    finish(pixels, of: planes, isPremultiplied: false, bytesPerRow: size.width * 4)
  }

  /// Makes what pixels of the format hold.
  private func finish(
    _ pixels: UnsafeMutableRawBufferPointer,
    of planes: UnsafeMutablePointer<avifImage>,
    isPremultiplied: Bool,
    bytesPerRow: Int
  ) {
    let part = PixelSize(width: size.width, height: Int(planes.pointee.height))
    if !format.hasAlpha {
      makeOpaque(pixels, part, bytesPerRow: bytesPerRow)
    } else if !isStraight {
      if isPremultiplied {
        for y in 0..<part.height {
          let row = pixels[y * bytesPerRow..<y * bytesPerRow + part.width * 4]
          limitToAlpha(UnsafeMutableRawBufferPointer(rebasing: row))
        }
      } else {
        premultiply(pixels, part, bytesPerRow: bytesPerRow)
      }
    }
  }

  /// Throws what is no success.
  static func check(_ result: avifResult) throws(DecodeError) {
    switch result {
    case AVIF_RESULT_OK: return
    case AVIF_RESULT_OUT_OF_MEMORY: throw .bitmap(.outOfMemory(bytes: 0))
    default:
      throw .malformed(.avif, offset: 0, reason: String(cString: avifResultToString(result)))
    }
  }
}
#endif
