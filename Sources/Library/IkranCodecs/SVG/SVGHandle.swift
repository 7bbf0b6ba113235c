#if SVG
import CRSVG
import IkranPixels

/// A document in librsvg, which draws it.
///
/// It is read from memory and knows no address of its own: librsvg opens no file and no connection
/// for it, only what `data` addresses hold.
struct SVGHandle: ~Copyable {
  private let handle: UnsafeMutablePointer<RsvgHandle>

  /// Parses a whole document.
  ///
  /// Cost: some half a microsecond for each byte.
  ///
  /// - Throws: ``DecodeError``.
  init(_ text: [UInt8]) throws(DecodeError) {
    var error: UnsafeMutablePointer<GError>?
    let handle = text.withUnsafeBufferPointer {
      rsvg_handle_new_from_data($0.baseAddress, gsize($0.count), &error)
    }
    guard let handle else {
      throw .malformed(.svg, offset: 0, reason: Self.takeMessage(error))
    }
    rsvg_handle_set_dpi(handle, 96)
    self.handle = handle
  }

  deinit { g_object_unref(handle) }

  /// The area of the user's coordinates that the document shows at its own size.
  ///
  /// Its width and height where it has them; else those of its `viewBox`, or what follows from
  /// that and one side; else what it draws.
  ///
  /// - Parameter isWhole: Whether what it draws is there.
  /// - Returns: The area; nil when what it draws has to be known and is not there.
  /// - Throws: ``DecodeError`` for a document without area.
  func area(isWhole: Bool) throws(DecodeError) -> SVGArea? {
    var (hasWidth, hasHeight, hasBox) = (gboolean(0), gboolean(0), gboolean(0))
    var (width, height) = (RsvgLength(), RsvgLength())
    var box = RsvgRectangle()
    rsvg_handle_get_intrinsic_dimensions(
      handle,
      &hasWidth,
      &width,
      &hasHeight,
      &height,
      &hasBox,
      &box
    )
    var (across, down) = (0.0, 0.0)
    if rsvg_handle_get_intrinsic_size_in_pixels(handle, &across, &down) != 0 {
      return try SVGArea(width: across, height: down)
    }
    if hasBox != 0 {
      let (left, top) = (Self.pixels(width), Self.pixels(height))
      if let left { return try SVGArea(width: left, height: left / box.width * box.height) }
      if let top { return try SVGArea(width: top / box.height * box.width, height: top) }
      return try SVGArea(width: box.width, height: box.height)
    }
    return isWhole ? try drawnArea(Self.pixels(width), Self.pixels(height)) : nil
  }

  /// Draws the document.
  ///
  /// - Parameters:
  ///   - area: The area of ``area(isWhole:)``.
  ///   - size: The pixels that all of the area would have at scale 1, of which `plan` takes some.
  ///   - plan: The pixels that are drawn, at its own scale: nothing is resampled.
  /// - Returns: Premultiplied pixels.
  /// - Throws: ``DecodeError``.
  func render(
    _ area: SVGArea,
    as size: PixelSize,
    _ plan: RenderPlan
  ) throws(DecodeError) -> Bitmap {
    var canvas: Canvas
    do throws(BitmapError) {
      canvas = try Canvas(size: plan.output, format: .bgra)
    } catch { throw .bitmap(error) }
    let bytesPerRow = canvas.bytesPerRow
    try canvas.withUnsafeMutableBytes { (bytes) throws(DecodeError) in
      let surface = cairo_image_surface_create_for_data(
        bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
        CAIRO_FORMAT_ARGB32,
        CInt(clamping: plan.output.width),
        CInt(clamping: plan.output.height),
        CInt(clamping: bytesPerRow)
      )
      defer { cairo_surface_destroy(surface) }
      guard cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS else {
        throw .unsupported(.svg, feature: "a size of more than 32767 pixels")
      }
      let context = cairo_create(surface)
      defer { cairo_destroy(context) }
      cairo_scale(
        context,
        Double(plan.output.width) / plan.crop.width,
        Double(plan.output.height) / plan.crop.height
      )
      cairo_translate(context, -plan.crop.x, -plan.crop.y)
      cairo_scale(context, Double(size.width) / area.width, Double(size.height) / area.height)
      cairo_translate(context, -area.x, -area.y)
      try draw(area, context)
      cairo_surface_flush(surface)
    }
    return canvas.finish()
  }

  // MARK: - librsvg

  private func draw(_ area: SVGArea, _ context: OpaquePointer?) throws(DecodeError) {
    let size = area.viewport
    var viewport = RsvgRectangle(x: 0, y: 0, width: size.width, height: size.height)
    var error: UnsafeMutablePointer<GError>?
    guard rsvg_handle_render_document(handle, context, &viewport, &error) != 0 else {
      throw .malformed(.svg, offset: 0, reason: Self.takeMessage(error))
    }
  }

  /// What a document without a size draws, in as much room as CSS gives to pictures without one.
  private func drawnArea(_ width: Double?, _ height: Double?) throws(DecodeError) -> SVGArea {
    let room = (width: width ?? 300, height: height ?? 150)
    var viewport = RsvgRectangle(x: 0, y: 0, width: room.width, height: room.height)
    var (ink, logical) = (RsvgRectangle(), RsvgRectangle())
    var error: UnsafeMutablePointer<GError>?
    guard
      rsvg_handle_get_geometry_for_layer(handle, nil, &viewport, &ink, &logical, &error) != 0
    else { throw .malformed(.svg, offset: 0, reason: Self.takeMessage(error)) }
    return try SVGArea(
      x: width == nil ? ink.x : 0,
      y: height == nil ? ink.y : 0,
      width: width ?? ink.width,
      height: height ?? ink.height,
      viewport: room
    )
  }

  /// A length in pixels of CSS; nil for a share.
  private static func pixels(_ length: RsvgLength) -> Double? {
    switch length.unit {
    case RSVG_UNIT_PX: length.length
    // Fonts are not asked for one side.
    case RSVG_UNIT_EM: length.length * 16
    case RSVG_UNIT_EX: length.length * 8
    case RSVG_UNIT_IN: length.length * 96
    case RSVG_UNIT_CM: length.length * 96 / 2.54
    case RSVG_UNIT_MM: length.length * 96 / 25.4
    case RSVG_UNIT_PT: length.length * 96 / 72
    case RSVG_UNIT_PC: length.length * 16
    default: nil
    }
  }

  /// The first line of what librsvg says.
  private static func takeMessage(_ error: UnsafeMutablePointer<GError>?) -> String {
    guard let error else { return "it cannot be drawn" }
    defer { g_error_free(error) }
    guard let message = error.pointee.message else { return "it cannot be drawn" }
    let line = String(cString: message).split(whereSeparator: \.isNewline).first
    return line.map(String.init) ?? "it cannot be drawn"
  }
}
#endif
