#if AVIF
import CAVIF
import IkranPixels

/// A part of a decoded picture: an `avifImage` with the planes of another, which must outlive it.
struct AVIFViewHandle: ~Copyable {
  private let view: UnsafeMutablePointer<avifImage>

  deinit { avifImageDestroy(view) }

  /// A view of nothing yet.
  ///
  /// C function: `avifImageCreateEmpty`.
  init() throws(DecodeError) {
    guard let view = avifImageCreateEmpty() else { throw .bitmap(.outOfMemory(bytes: 0)) }
    self.view = view
  }

  /// Calls `body` with a part of a picture, which begins at a whole pixel of chroma.
  ///
  /// C function: `avifImageSetViewRect`.
  func withPart<Result>(
    _ part: PixelRectangle,
    of image: UnsafeMutablePointer<avifImage>,
    _ body: (UnsafeMutablePointer<avifImage>) throws(DecodeError) -> Result
  ) throws(DecodeError) -> Result {
    var rectangle = avifCropRect(
      x: UInt32(part.x),
      y: UInt32(part.y),
      width: UInt32(part.size.width),
      height: UInt32(part.size.height)
    )
    try AVIFPlanes.check(avifImageSetViewRect(view, image, &rectangle))
    // A view has the planes alone.
    view.pointee.alphaPremultiplied = image.pointee.alphaPremultiplied
    return try body(view)
  }
}
#endif
