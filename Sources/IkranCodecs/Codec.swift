public import IkranPixels

/// Turns the bytes of one file format into pixels.
///
/// A codec is a value without state: what it reuses between pictures is in the workspace.
public protocol Codec: Sendable {
  /// The format this codec reads.
  var format: ImageFormat { get }

  /// Whether `prefix` starts with the signature of this codec's format.
  func recognizes(_ prefix: Span<UInt8>) -> Bool

  /// Reads the headers in `bytes`: a whole file or a prefix of it.
  ///
  /// Cost: touches headers only, allocates nothing but the list of frame durations.
  ///
  /// - Throws: ``DecodeError`` when the prefix ends before the size or the headers are broken.
  func probe(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageInfo

  /// Decodes the first picture in `bytes` to the pixels that `fitting` describes, upright.
  ///
  /// The bitmap is ``PixelFormat/bgrx`` when the file has no alpha and ``PixelFormat/bgra``,
  /// premultiplied, when it may have. Colour profiles are ignored: pixels are treated as sRGB.
  ///
  /// - Throws: ``DecodeError``; a header over `limits` throws before anything is allocated.
  func decode(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    limits: DecodeLimits,
    workspace: Workspace
  ) throws(DecodeError) -> Bitmap
}
