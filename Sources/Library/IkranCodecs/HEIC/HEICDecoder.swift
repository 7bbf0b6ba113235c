#if HEIC
package import IkranPixels

/// Decodes a picture of a HEIF file: coded by HEVC, in one part, as a grid or as an overlay, with
/// alpha, of up to twelve bits.
///
/// EXIF does not turn it: only `irot` and `imir` do. Of a sequence it is the still.
///
/// The pictures of a collection are counted as frames, of which ``DecodeRules/page`` chooses one:
/// the first stands for the file, then come the others in the order of the file, without those that
/// are hidden, thumbnails, alpha, depth and gain maps.
package struct HEICDecoder: PagedCodec {
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
    try probe(bytes, page: 0)
  }

  /// Reads what the boxes say of a picture, and counts all of them.
  ///
  /// - Throws: ``DecodeError``.
  package func probe(_ bytes: Span<UInt8>, page: Int) throws(DecodeError) -> ImageInfo {
    guard recognizes(bytes) else { throw .unknownFormat(hint: nil) }
    return try HEICHeader(bytes, format, page: page).info
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
    var header = try HEICHeader(bytes, format, page: rules.page)
    if !rules.usesThumbnails { header.ignoreThumbnails() }
    let info = header.info
    let plan = try info.plan(fitting)
    try rules.limits.check(byteCount: bytes.count)
    let types = try kinds(header, bytes)
    if let thumbnail = header.thumbnail(for: plan) {
      // The picture may be in order.
      let isSound = (try? check(thumbnail.item, of: header, kinds: types, in: bytes)) != nil
      if !isSound { header.ignoreThumbnails() }
    }
    let thumbnail = header.thumbnail(for: plan)
    try rules.limits.check(info, byteCount: bytes.count, holding: thumbnail?.size.pixelCount)
    try rules.limits.checkPixels(of: header.codedSize, holding: thumbnail?.size.pixelCount)
    try rules.limits.check(plan)
    try check(header.item, of: header, kinds: types, in: bytes)
    let (stored, colors) = try HEICHandle.render(
      bytes,
      header,
      plan: plan,
      rules: rules,
      workspace: workspace
    )
    return try colors.finish(stored, info.orientation, workspace: workspace)
  }

  /// How each item is coded.
  ///
  /// - Throws: ``DecodeError`` for a file of which libheif would read something else.
  private func kinds(
    _ header: HEICHeader,
    _ bytes: Span<UInt8>
  ) throws(DecodeError) -> [Int: String] {
    guard let kinds = header.table.types(bytes), BoxSequence.count("meta", bytes) == 1 else {
      throw .malformed(
        format,
        offset: 0,
        reason: "it has two lists of pictures, or a picture twice"
      )
    }
    return kinds
  }

  /// Refuses a picture of whose parts libheif makes something else than the boxes say, or for which
  /// it ends the process.
  private func check(
    _ item: Int,
    of header: HEICHeader,
    kinds: [Int: String],
    in bytes: Span<UInt8>
  ) throws(DecodeError) {
    guard let parts = PictureParts(of: item, in: header.table, bytes) else {
      throw .unsupported(format, feature: "pictures that are made of each other, or of too many")
    }
    for item in parts.sources where !PictureList.kinds.contains(kinds[item] ?? "") {
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
