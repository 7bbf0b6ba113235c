package import IkranPixels

/// A codec that may wait for what a header says, and ends that when no caller wants it any more.
package protocol CancellableCodec: Codec {
  /// Reads the headers as ``Codec/probe(_:)`` does.
  func probe(
    _ bytes: Span<UInt8>,
    until cancellation: (any DecodeCancellation)?
  ) throws(DecodeError) -> ImageInfo

  /// Reads the frames as ``Codec/frames(of:isPrefix:rules:)`` does.
  func frames(
    of bytes: [UInt8],
    isPrefix: Bool,
    rules: DecodeRules,
    until cancellation: (any DecodeCancellation)?
  ) throws(DecodeError) -> (any FrameSource)?
}

extension CodecList {
  /// Reads the headers of a file, unless that is cancelled.
  package func probe(
    _ bytes: Span<UInt8>,
    as format: ImageFormat?,
    until cancellation: (any DecodeCancellation)?
  ) throws(DecodeError) -> ImageInfo {
    let chosen = try codec(for: bytes, format)
    guard let waiting = chosen as? any CancellableCodec else { return try chosen.probe(bytes) }
    return try waiting.probe(bytes, until: cancellation)
  }

  /// Reads the frames of a file, unless that is cancelled.
  package func frames(
    of bytes: [UInt8],
    as format: ImageFormat?,
    isPrefix: Bool = false,
    rules: DecodeRules,
    until cancellation: (any DecodeCancellation)?
  ) throws(DecodeError) -> (any FrameSource)? {
    let chosen = try codec(for: bytes.span, format)
    guard rules.page == 0, let waiting = chosen as? any CancellableCodec else {
      return try frames(of: bytes, as: format, isPrefix: isPrefix, rules: rules)
    }
    try rules.limits.check(byteCount: bytes.count)
    return try waiting.frames(of: bytes, isPrefix: isPrefix, rules: rules, until: cancellation)
  }
}
