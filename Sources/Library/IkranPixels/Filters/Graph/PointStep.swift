/// What is done to each pixel's colour; channels are 0…1, straight.
enum PointStep: Sendable {
  case matrix(ColorMatrix)
  /// Four rows of four factors and an offset, for red, green, blue and alpha.
  case matrixWithAlpha([Double])
  case gamma(Double)
  case posterize(levels: Double)
  case curves(PointTable, share: Double)
  case vibrance(Double)
  /// Added to the third value of YIQ.
  case whiteBalanceTint(Double)
  case overlay(RGB, share: Double)
  case threshold(Double)
  case monochrome(RGB, share: Double)
  case chromaKey(RGB, threshold: Double, smoothing: Double, replacement: Color)
  case highlightsAndShadows(Double, Double)
  case haze(distance: Double, slope: Double)
  case vignette(start: Double, end: Double, x: Double, y: Double, RGB)
  case grain(Double)
  case gray(GrayMethod)
  case cube(LookupTable, share: Double)
  case blend(BlendMode, BlendSource, share: Double, keepsAlpha: Bool)
  case opacity(Double)
  case hsl(degrees: Double, saturation: Double, lightness: Double)

  enum GrayMethod: Int, Sendable {
    case desaturation, maximum, minimum
  }

  enum BlendSource: Sendable {
    case color(Color)
    case picture(Bitmap)
  }

  /// Whether it treats each channel by itself, everywhere alike, and leaves alpha alone.
  var isPerChannel: Bool {
    switch self {
    case .matrix(let matrix): matrix.isPerChannel
    case .gamma, .posterize, .curves, .overlay: true
    default: false
    }
  }

  /// Whether opaque pixels may become transparent.
  var changesAlpha: Bool {
    switch self {
    case .matrixWithAlpha, .opacity: true
    case .chromaKey(_, _, _, let replacement): replacement.alpha < 255
    case .blend(let mode, _, _, _): mode == .mask
    default: false
    }
  }
}
