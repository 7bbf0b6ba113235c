public import IkranPixels

/// Decodes GIF: the first frame, composed on the logical screen.
///
/// What the frame leaves uncovered is clear, and so is its transparent colour; the background colour
/// is ignored, as browsers do. A picture without a palette is gray.
public struct GIFDecoder: Codec {
  /// Creates the decoder.
  public init() {}

  /// GIF.
  public var format: ImageFormat { .gif }

  /// Whether `prefix` starts as GIF 87a or 89a does.
  public func recognizes(_ prefix: Span<UInt8>) -> Bool { Sniffer.matches(.gif, prefix) }

  /// Walks the blocks; the count and delays of frames are those in `bytes`.
  ///
  /// - Throws: ``DecodeError``.
  public func probe(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageInfo {
    guard recognizes(bytes) else { throw .unknownFormat(hint: nil) }
    return try GIFHeader(bytes).info
  }

  /// Decodes to the pixels `fitting` asks for.
  ///
  /// - Throws: ``DecodeError``.
  public func decode(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    limits: DecodeLimits,
    workspace: Workspace
  ) throws(DecodeError) -> Bitmap {
    let info = try probe(bytes)
    try limits.check(info, byteCount: bytes.count)
    let frame = try GIFHandle.firstFrame(bytes, screen: info.size, limits: limits)
    let plan = RenderPlan(stored: info.size, orientation: .up, fitting: fitting)
    return try frame.render(on: info.size, plan, hasAlpha: info.hasAlpha, workspace: workspace)
  }
}
