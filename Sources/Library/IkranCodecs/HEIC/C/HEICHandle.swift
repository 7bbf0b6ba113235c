#if HEIC
import CHEIF
import IkranPixels

/// One file that libheif reads: a `heif_context`, and the picture of it that is decoded.
struct HEICHandle: ~Copyable {
  private let context: OpaquePointer
  private var picture: OpaquePointer?
  private let header: HEICHeader
  private let byteCount: Int

  deinit {
    heif_image_handle_release(picture)
    heif_context_free(context)
  }

  private init(_ context: OpaquePointer, _ header: HEICHeader, byteCount: Int) {
    self.context = context
    self.header = header
    self.byteCount = byteCount
  }

  private var format: ImageFormat { header.info.format }

  /// Decodes the picture, or a thumbnail that is enough for `plan`, and crops and scales it so.
  ///
  /// A damaged thumbnail gives way to the picture. All bits of the samples tell light apart that is
  /// brighter than white.
  ///
  /// - Returns: The pixels in stored orientation, and what becomes of their colours.
  static func render(
    _ bytes: Span<UInt8>,
    _ header: HEICHeader,
    plan: RenderPlan,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> (Bitmap, ColorPlan) {
    try bytes.withUnsafeBytes { (buffer) throws(DecodeError) in
      guard let context = heif_context_alloc() else { throw .bitmap(.outOfMemory(bytes: 0)) }
      var handle = HEICHandle(context, header, byteCount: buffer.count)
      try handle.open(buffer, rules.limits)
      let colors = handle.colors
      if colors.isBright, handle.isDeep {
        let deep = ColorPlan(colors, handling: rules.colors, workspace: workspace, isDeep: true)
        do throws(DecodeError) {
          if let levels = deep.levels {
            let limits = rules.limits
            return (try handle.render(plan, levels, limits: limits, workspace: workspace), deep)
          }
        } catch .unsupported {
          // Samples of 8 bits are what libheif makes of every picture.
        }
      }
      let bitmap = try handle.render(plan, nil, limits: rules.limits, workspace: workspace)
      return (bitmap, ColorPlan(colors, handling: rules.colors, workspace: workspace))
    }
  }

  private func render(
    _ plan: RenderPlan,
    _ levels: SampleLevels?,
    limits: DecodeLimits,
    workspace: Workspace
  ) throws(DecodeError) -> Bitmap {
    let whole = header.info.size
    if let thumbnail = header.thumbnail(for: plan) {
      do throws(DecodeError) {
        let pixels = try decode(thumbnail, levels)
        let rest = plan.scaled(to: thumbnail.size, from: whole)
        return try pixels.render(rest, workspace: workspace)
      } catch {
        // The picture may be in order.
        guard !limits.isOver(whole) else { throw error }
      }
    }
    return try decode(nil, levels).render(plan, workspace: workspace)
  }

  /// `heif_context_alloc`, which loads the decoders that libheif has in files of their own.
  static func loadPlugins() { heif_context_free(heif_context_alloc()) }

  /// `heif_context_read_from_memory_without_copy`, and the handle of the picture; the bytes must
  /// outlive the handle.
  private mutating func open(
    _ bytes: UnsafeRawBufferPointer,
    _ limits: DecodeLimits
  ) throws(DecodeError) {
    // Cells of a grid are decoded by the caller's thread.
    heif_context_set_max_decoding_threads(context, 0)
    heif_context_set_maximum_image_size_limit(context, CInt(clamping: limits.maximumDimension))
    try check(
      heif_context_read_from_memory_without_copy(context, bytes.baseAddress, bytes.count, nil)
    )
    let item = heif_item_id(header.item)
    let isPrimary = header.item == header.table.primary
    try check(
      isPrimary
        ? heif_context_get_primary_image_handle(context, &picture)
        : heif_context_get_image_handle(context, item, &picture)
    )
  }

  /// Whether all samples have more than 8 bits, and as many of them; with alpha they may not.
  private var isDeep: Bool {
    let bits = heif_image_handle_get_luma_bits_per_pixel(picture)
    return bits > 8 && !header.info.hasAlpha
      && heif_image_handle_get_chroma_bits_per_pixel(picture) == bits
  }

  /// `heif_decode_image` to pixels of red, green, blue and alpha; nil for the picture itself.
  private borrowing func decode(
    _ thumbnail: HEICHeader.Thumbnail?,
    _ levels: SampleLevels?
  ) throws(DecodeError) -> HEICPixels {
    guard let options = heif_decoding_options_alloc() else {
      throw .bitmap(.outOfMemory(bytes: 0))
    }
    defer { heif_decoding_options_free(options) }
    options.pointee.convert_hdr_to_8bit = levels == nil ? 1 : 0
    let isTurned = thumbnail?.isCut ?? header.isTurnedByLibrary
    options.pointee.ignore_transformations = isTurned ? 0 : 1
    var small: OpaquePointer?
    defer { heif_image_handle_release(small) }
    if let thumbnail {
      try check(heif_image_handle_get_thumbnail(picture, heif_item_id(thumbnail.item), &small))
    }
    var image: OpaquePointer?
    let result = heif_decode_image(
      small ?? picture,
      &image,
      heif_colorspace_RGB,
      levels == nil ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RRGGBBAA_LE,
      options
    )
    try check(result)
    guard let image else { throw .bitmap(.outOfMemory(bytes: 0)) }
    let pixels = HEICPixels(
      image,
      format: header.info.hasAlpha ? .bgra : .bgrx,
      isPremultiplied: heif_image_handle_is_premultiplied_alpha(picture) != 0,
      levels: levels
    )
    guard pixels.size == thumbnail?.size ?? header.info.size else {
      throw .malformed(format, offset: 0, reason: "its sizes contradict each other")
    }
    return pixels
  }

  // MARK: - Colours

  /// An ICC profile, else the code points of the boxes.
  private var colors: FileColors {
    var colors = FileColors()
    let count = heif_image_handle_get_raw_color_profile_size(picture)
    if count > 0 {
      var bytes = [UInt8](repeating: 0, count: min(count, byteCount))
      let isRead =
        count <= byteCount
        && bytes.withUnsafeMutableBytes { target in
          heif_image_handle_get_raw_color_profile(picture, target.baseAddress).code == heif_error_Ok
        }
      guard isRead else { return colors }
      colors.model = header.isGray && bytes.span.has("GRAY", at: 16) ? .gray : .rgb
      colors.sources = [.icc(bytes)]
      return colors
    }
    var points: UnsafeMutablePointer<heif_color_profile_nclx>?
    guard heif_image_handle_get_nclx_color_profile(picture, &points).code == heif_error_Ok,
      let points
    else { return colors }
    defer { heif_nclx_color_profile_free(points) }
    let source = ColorSource(
      primaries: Int(points.pointee.color_primaries.rawValue),
      transfer: Int(points.pointee.transfer_characteristics.rawValue)
    )
    colors.sources = source.map { [$0] } ?? []
    return colors
  }

  // MARK: - Errors

  private func check(_ error: heif_error) throws(DecodeError) {
    guard error.code != heif_error_Ok else { return }
    if error.subcode == heif_suberror_End_of_data {
      throw .truncated(format, offset: byteCount)
    }
    switch error.code {
    case heif_error_Memory_allocation_error: throw .bitmap(.outOfMemory(bytes: 0))
    case heif_error_Unsupported_feature, heif_error_Unsupported_filetype:
      throw .unsupported(format, feature: "a feature libheif does not know")
    default:
      let reason = error.message.map { String(cString: $0) } ?? "its data makes no sense"
      throw .malformed(format, offset: 0, reason: reason)
    }
  }
}
#endif
