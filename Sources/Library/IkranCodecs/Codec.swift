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
  /// premultiplied, when it may have. It keeps ``DecodeRules/limits``; a codec of a format without
  /// colour profiles may ignore the other rules.
  ///
  /// - Throws: ``DecodeError``; a header over the limits throws before anything is allocated.
  func decode(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture

  /// The frames of an animated file; nil for a still, for a file of one frame, and when not even
  /// one frame is complete.
  ///
  /// A file that is cut off or damaged after its first frame has a source for the frames before
  /// that. Codecs of formats without animation need not implement it.
  ///
  /// Cost: parses the headers of all frames, and decodes nothing.
  ///
  /// - Parameters:
  ///   - bytes: The file, which the source keeps.
  ///   - isPrefix: Whether more bytes may follow. Then one complete frame is enough for a source
  ///     unless the file says that it is the only one.
  ///   - rules: The limits that the headers are held against, and the colours of composed frames.
  /// - Returns: The frames.
  /// - Throws: ``DecodeError`` for headers that are over the limits or broken.
  func frames(
    of bytes: [UInt8],
    isPrefix: Bool,
    rules: DecodeRules
  ) throws(DecodeError) -> (any FrameSource)?
}

extension Codec {
  /// No animation: every file of the format is a still.
  public func frames(
    of bytes: [UInt8],
    isPrefix: Bool,
    rules: DecodeRules
  ) throws(DecodeError) -> (any FrameSource)? { nil }
}
