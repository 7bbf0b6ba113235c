#if canImport(Darwin)
import IkranPixels

extension PixelFormat {
  /// The format of opaque pixels that is drawn without a copy.
  static var drawnFastest: PixelFormat { .bgrx }
}
#endif
