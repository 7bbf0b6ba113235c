package import IkranPixels

/// Decodes JPEG: baseline, extended, progressive and arithmetic; gray, colour and CMYK.
///
/// Large pictures are decoded at a half, a quarter or an eighth of their size when enough pixels
/// are left for the target. CMYK is converted as R = C·K; profiles are not applied. A picture with
/// damaged data is decoded as far as possible, as in browsers; a truncated one is an error.
package struct JPEGDecoder: Codec {
  /// Creates the decoder.
  package init() {}

  /// JPEG.
  package var format: ImageFormat { .jpeg }

  /// Whether `prefix` starts as a JPEG file does.
  package func recognizes(_ prefix: Span<UInt8>) -> Bool { Sniffer.matches(.jpeg, prefix) }

  /// Reads the segments up to the first scan.
  ///
  /// - Throws: ``DecodeError``.
  package func probe(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageInfo {
    guard recognizes(bytes) else { throw .unknownFormat(hint: nil) }
    return try JPEGHeader(bytes).info
  }

  /// Decodes to the pixels that `fitting` describes, upright, as ``PixelFormat/bgrx``.
  ///
  /// - Throws: ``DecodeError``.
  package func decode(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture {
    var index: EntropyIndex?
    return try decode(bytes, fitting: fitting, rules: rules, workspace: workspace, index: &index)
  }

  /// Does the same with an index, if there is one, which it completes.
  func decode(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace,
    index: inout EntropyIndex?
  ) throws(DecodeError) -> DecodedPicture {
    guard recognizes(bytes) else { throw .unknownFormat(hint: nil) }
    let header = try JPEGHeader(bytes)
    let info = header.info
    let plan = try info.plan(fitting)
    let streamed = header.isStreamed ? fitting : nil
    try rules.limits.check(info, byteCount: bytes.count, streamed: streamed)
    try checkFeatures(header)
    let reduction = JPEGReduction(plan, header)
    let stored =
      if let fast = BaselineDecoder.render(
        bytes,
        header,
        reduction,
        workspace: workspace,
        index: &index
      ) {
        fast
      } else if let fast = ProgressiveDecoder.render(
        bytes,
        header,
        reduction,
        workspace: workspace
      ) {
        fast
      } else {
        try JPEGHandle.render(bytes, header, reduction, workspace: workspace)
      }
    return DecodedPicture(bitmap: try stored.upright(info.orientation))
  }

  private func checkFeatures(_ header: JPEGHeader) throws(DecodeError) {
    guard header.info.bitsPerChannel == 8 else {
      throw .unsupported(.jpeg, feature: "\(header.info.bitsPerChannel) bits per channel")
    }
    let largest = max(header.info.size.width, header.info.size.height)
    guard largest <= 65_500 else {
      throw .unsupported(.jpeg, feature: "a side of \(largest) pixels (65500 at most)")
    }
    switch header.process {
    case 0xC0, 0xC1, 0xC2, 0xC9, 0xCA: break
    case 0xC3, 0xCB: throw .unsupported(.jpeg, feature: "lossless coding")
    default: throw .unsupported(.jpeg, feature: "hierarchical coding")
    }
    guard [1, 3, 4].contains(header.components) else {
      throw .unsupported(.jpeg, feature: "\(header.components) colour components")
    }
  }
}

extension Bitmap {
  /// The pixels turned upright; the same bitmap when they are.
  func upright(_ orientation: Orientation) throws(DecodeError) -> Bitmap {
    if orientation == .up { return self }
    do throws(BitmapError) { return try oriented(orientation) } catch { throw .bitmap(error) }
  }
}
