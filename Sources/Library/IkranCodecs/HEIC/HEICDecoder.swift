#if HEIC
package import IkranPixels

/// Decodes the picture that stands for a HEIF file: coded by HEVC, in one part, as a grid or as an
/// overlay, with alpha, of up to twelve bits.
///
/// EXIF does not turn it: only `irot` and `imir` do. Of a sequence it is the still.
package struct HEICDecoder: Codec {
  /// HEIC, or HEIF of files whose brands do not say how they are coded.
  package let format: ImageFormat

  /// Creates the decoder for one of two kinds of brands.
  package init(_ format: ImageFormat = .heic) { self.format = format }

  /// Whether the brands at the start of `prefix` are those of the format.
  package func recognizes(_ prefix: Span<UInt8>) -> Bool { Sniffer.matches(format, prefix) }

  /// Reads the boxes.
  ///
  /// - Throws: ``DecodeError``.
  package func probe(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageInfo {
    guard recognizes(bytes) else { throw .unknownFormat(hint: nil) }
    return try HEICHeader(bytes, format).info
  }

  /// Decodes to the pixels that `fitting` describes, upright; from a thumbnail in the file where it
  /// has enough pixels.
  ///
  /// - Throws: ``DecodeError``.
  package func decode(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture {
    guard recognizes(bytes) else { throw .unknownFormat(hint: nil) }
    var header = try HEICHeader(bytes, format)
    if !rules.usesThumbnails { header.ignoreThumbnails() }
    let info = header.info
    let plan = try info.plan(fitting)
    let thumbnail = header.thumbnail(for: plan)
    try rules.limits.check(info, byteCount: bytes.count, holding: thumbnail?.size.pixelCount)
    try rules.limits.checkPixels(of: header.codedSize, holding: thumbnail?.size.pixelCount)
    try rules.limits.check(plan)
    try check(header, bytes)
    let (stored, colors) = try HEICHandle.render(
      bytes,
      header,
      plan: plan,
      limits: rules.limits,
      workspace: workspace
    )
    let colorPlan = ColorPlan(colors, handling: rules.colors, workspace: workspace)
    return try colorPlan.finish(stored, info.orientation, workspace: workspace)
  }

  /// What a picture may be made of: coded pictures, grids, turned pictures and overlays.
  private static let kindsOfSources: Set = ["hvc1", "av01", "grid", "iden", "iovl"]

  /// Refuses a file of whose parts libheif makes something else than its boxes say, or for which it
  /// ends the process.
  private func check(_ header: HEICHeader, _ bytes: Span<UInt8>) throws(DecodeError) {
    guard let kinds = header.table.types(bytes), BoxSequence.count("meta", bytes) == 1 else {
      throw .malformed(
        format,
        offset: 0,
        reason: "it has two lists of pictures, or a picture twice"
      )
    }
    guard let parts = PictureParts(of: header.table, bytes) else {
      throw .unsupported(format, feature: "pictures that are made of each other, or of too many")
    }
    for item in parts.sources where !Self.kindsOfSources.contains(kinds[item] ?? "") {
      let kind = kinds[item].map { "parts of kind \($0)" } ?? "parts that are not there"
      throw .unsupported(format, feature: kind)
    }
    try checkCodedPixels(of: parts, in: header, bytes)
    for item in parts.items where kinds[item] == "iovl" {
      try checkOverlay(item, of: header, bytes)
    }
  }

  /// Refuses a file whose coded pictures are far larger than its boxes say: memory for them is
  /// allocated before that can be seen.
  private func checkCodedPixels(
    of parts: PictureParts,
    in header: HEICHeader,
    _ bytes: Span<UInt8>
  ) throws(DecodeError) {
    let declared = header.codedSize.pixelCount ?? .max
    // A cell of a grid may be larger than what is shown of it.
    let (likely, overflow) = declared.multipliedReportingOverflow(by: 4)
    let most = header.table.mostCodedPixels(of: parts.items, bytes)
    guard most > max(overflow ? .max : likely, 1 << 22) else { return }
    let reason = "its coded pictures are larger than its header says"
    throw .malformed(format, offset: 0, reason: reason)
  }

  /// Refuses an overlay whose canvas is not the picture, or that libheif would draw wrong.
  private func checkOverlay(
    _ item: Int,
    of header: HEICHeader,
    _ bytes: Span<UInt8>
  ) throws(DecodeError) {
    let data = header.table.data(of: item, bytes, atMost: OverlayCanvas.mostBytes)
    guard let data, let canvas = OverlayCanvas(data.span) else {
      throw .malformed(format, offset: 0, reason: "its overlay makes no sense")
    }
    let largest = header.codedSize
    guard canvas.width <= largest.width, canvas.height <= largest.height else {
      throw .malformed(format, offset: 0, reason: "its sizes contradict each other")
    }
    guard canvas.hasAllCorners else {
      throw .unsupported(format, feature: "an overlay of pictures that begin outside of it")
    }
  }
}
#endif
