package import IkranPixels

/// Decodes JPEG: baseline, extended, progressive and arithmetic; gray, colour and CMYK.
///
/// Large pictures are decoded at a half, a quarter or an eighth of their size when enough pixels
/// are left for the target. CMYK without a profile is converted as R = C·K. A picture with damaged
/// data is decoded as far as possible, as in browsers; a truncated one is an error.
package struct JPEGDecoder: PrefixCodec {
  /// What a file around the picture says of how it is turned; nil where the picture itself does.
  private let orientation: Orientation?

  /// Creates the decoder.
  package init() { orientation = nil }

  /// Creates a decoder of pictures inside another file, which says how they are turned; nil where
  /// they say it themselves.
  init(orientation: Orientation?) { self.orientation = orientation }

  /// JPEG.
  package var format: ImageFormat { .jpeg }

  /// Whether `prefix` starts as a JPEG file does.
  package func recognizes(_ prefix: Span<UInt8>) -> Bool { Sniffer.matches(.jpeg, prefix) }

  /// Reads the segments up to the first scan.
  ///
  /// - Throws: ``DecodeError``.
  package func probe(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageInfo {
    guard recognizes(bytes) else { throw .unknownFormat(hint: nil) }
    return try readHeader(bytes).info
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

  /// Does the same with an index, if there is one, which it completes: nil afterwards for a damaged
  /// file, of which all counts that libjpeg makes of it.
  func decode(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace,
    index: inout EntropyIndex?
  ) throws(DecodeError) -> DecodedPicture {
    guard recognizes(bytes) else { throw .unknownFormat(hint: nil) }
    let header = try readHeader(bytes)
    let info = header.info
    try rules.limits.check(byteCount: bytes.count)
    if let whole = header.withHeight(bytes) {
      return try decode(
        whole.span,
        fitting: fitting,
        rules: rules,
        workspace: workspace,
        index: &index
      )
    }
    let plan = try info.plan(fitting)
    // The coefficients of a progressive picture are counted when it is known which are needed.
    let isReduced = header.isStreamed || header.process == 0xC2
    try rules.limits.check(info, byteCount: bytes.count, holding: isReduced ? 0 : nil)
    try rules.limits.check(plan)
    try checkFeatures(header)
    let reduction = JPEGReduction(plan, header, limits: rules.limits)
    let colors = ColorPlan(header.colors(bytes), handling: rules.colors, workspace: workspace)
    var fast =
      BaselineDecoder.render(bytes, header, reduction, workspace: workspace, index: &index)
      ?? ProgressiveDecoder.render(bytes, header, reduction, workspace: workspace)
    if let stored = fast.take() {
      return try colors.finish(stored, info.orientation, workspace: workspace)
    }
    // libjpeg holds the coefficients of all scans.
    if !header.isStreamed { try rules.limits.checkPixels(of: info.size, holding: nil) }
    let inks = colors.inks
    let stored = try JPEGHandle.render(
      bytes,
      header,
      reduction: reduction,
      inks: inks,
      workspace: workspace
    )
    index = nil
    return try colors.finish(stored, info.orientation, workspace: workspace)
  }

  /// Rows of a file in one scan; nil while that is not known.
  package func order(of prefix: Span<UInt8>) -> PixelOrder? {
    guard let header = try? JPEGHeader(prefix), header.scanComponents != nil else { return nil }
    return header.isStreamed ? .rows : .unknown
  }

  /// Decodes what is there of a file to the pixels that `fitting` describes, upright; rows that are
  /// missing are clear.
  package func decodePrefix(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture? {
    guard recognizes(bytes) else { return nil }
    let header = try readHeader(bytes)
    let info = header.info
    try rules.limits.check(byteCount: bytes.count)
    if let whole = header.withHeight(bytes) {
      return try decodePrefix(whole.span, fitting: fitting, rules: rules, workspace: workspace)
    }
    let plan = try info.plan(fitting)
    try rules.limits.check(info, byteCount: bytes.count, holding: header.isStreamed ? 0 : nil)
    try rules.limits.check(plan)
    try checkFeatures(header)
    let reduction = JPEGReduction(plan, header, limits: rules.limits)
    var scans = JPEGScans()
    scans.read(bytes)
    // A part of a segment between two scans says nothing.
    let end = scans.isInScan || scans.count == 0 ? bytes.count : scans.end
    let there = bytes.extracting(..<end)
    let colors = ColorPlan(header.colors(bytes), handling: rules.colors, workspace: workspace)
    let beginning = try JPEGHandle.renderBeginning(
      there,
      header,
      reduction: reduction,
      inks: colors.inks,
      workspace: workspace
    )
    guard let (picture, rows) = beginning else { return nil }
    let cut = DecodeNote.cut(rows: rows, height: info.size.height)
    return try colors.finish(picture, info.orientation, cut, workspace: workspace)
  }

  private func readHeader(_ bytes: Span<UInt8>) throws(DecodeError) -> JPEGHeader {
    var header = try JPEGHeader(bytes)
    if let orientation { header.info.orientation = orientation }
    return header
  }

  /// Whether a picture with this header is decoded.
  func decodes(_ header: JPEGHeader) -> Bool { (try? checkFeatures(header)) != nil }

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
