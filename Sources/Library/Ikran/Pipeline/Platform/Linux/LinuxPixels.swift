#if canImport(Glibc)
import IkranPixels

extension PixelFormat {
  /// The format of opaque pixels that cairo draws fastest.
  static var drawnFastest: PixelFormat { .bgr }
}
#endif
