#if TIFF
package import IkranPixels

/// Decodes TIFF and BigTIFF: a page, of any samples and compression that libtiff reads.
///
/// Strips and rows of tiles become pixels one after the other, and those that are not needed are
/// not read. Integers are shown from their smallest number to their largest, floating-point numbers
/// from 0 to 1. CMYK without a profile is converted as R = (1 − C)·(1 − K), Lab as under D50.
///
/// A file's pages are counted as frames, of which ``DecodeRules/page`` chooses one. They are no
/// animation: no page has a duration, and each may have a size of its own. So there is no
/// ``FrameSource``, and ``ImageInfo/durations`` is empty.
package struct TIFFDecoder: PrefixCodec, PagedCodec {
  /// Creates the decoder.
  package init() {}

  /// TIFF.
  package var format: ImageFormat { .tiff }

  /// Whether `prefix` starts as a TIFF file does that is not known to be a camera's raw file.
  package func recognizes(_ prefix: Span<UInt8>) -> Bool { Sniffer.matches(.tiff, prefix) }

  /// Reads the first directory, and counts the others.
  ///
  /// - Throws: ``DecodeError``; ``DecodeError/truncated(_:offset:)`` for a beginning without the
  ///   first directory, which many files have at their end.
  package func probe(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageInfo {
    try probe(bytes, page: 0)
  }

  /// Reads the directory of a page, and counts all of them.
  ///
  /// - Throws: ``DecodeError``.
  package func probe(_ bytes: Span<UInt8>, page: Int) throws(DecodeError) -> ImageInfo {
    guard recognizes(bytes) else { throw .unknownFormat(hint: nil) }
    return try TIFFHeader(bytes, page: page, countsPages: true).info
  }

  /// Decodes to the pixels that `fitting` describes, upright.
  ///
  /// - Throws: ``DecodeError``.
  package func decode(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture {
    guard recognizes(bytes) else { throw .unknownFormat(hint: nil) }
    let header = try TIFFHeader(bytes, page: rules.page)
    let picture = try plan(header, bytes, fitting: fitting, rules: rules, workspace: workspace)
    let stored = try picture.render(bytes)
    return try picture.colors.finish(stored, header.info.orientation, workspace: workspace)
  }

  /// Rows; nil while the first directory is not there.
  package func order(of prefix: Span<UInt8>) -> PixelOrder? {
    do throws(DecodeError) {
      _ = try TIFFHeader(prefix)
      return .rows
    } catch .truncated { return nil } catch { return .unknown }
  }

  /// Decodes what is there of a file to the pixels that `fitting` describes, upright: the rows
  /// above the first strip or tile that is not wholly there.
  package func decodePrefix(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture? {
    guard recognizes(bytes) else { return nil }
    let header = try TIFFHeader(bytes, page: rules.page)
    let info = header.info
    let picture = try plan(header, bytes, fitting: fitting, rules: rules, workspace: workspace)
    guard let (stored, rows) = try picture.renderBeginning(bytes) else { return nil }
    let cut = DecodeNote.cut(rows: rows, height: info.size.height)
    return try picture.colors.finish(stored, info.orientation, cut, workspace: workspace)
  }

  /// What is to be done with a file whose header keeps the limits.
  private func plan(
    _ header: TIFFHeader,
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> TIFFPicture {
    let info = header.info
    let plan = try info.plan(fitting)
    // What a strip or a row of tiles holds is checked when its size is known.
    try rules.limits.check(info, byteCount: bytes.count, holding: 0)
    try rules.limits.check(plan)
    try header.check(byteCount: bytes.count)
    let colors = header.colors(bytes)
    let isDeep = info.bitsPerChannel > 8 && colors.model != .cmyk
    return TIFFPicture(
      info: info,
      directory: rules.page > 0 ? header.directory : nil,
      plan: plan,
      colors: ColorPlan(colors, handling: rules.colors, workspace: workspace, isDeep: isDeep),
      limits: rules.limits,
      workspace: workspace
    )
  }
}
#endif
