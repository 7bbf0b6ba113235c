import CPango
import IkranPixels

// Decision 41: text is in a module of its own, Pango in this file.
/// A text laid out by Pango, for use on one thread.
///
/// All texts are laid out in one font size and scaled by Cairo, which is the same without hinting:
/// Pango would keep fonts of every size until the thread ends.
struct LayoutHandle: ~Copyable {
  /// A rectangle in multiples of the font size.
  struct Extents {
    let x, y, width, height: Double

    fileprivate init(_ rectangle: PangoRectangle) {
      let scale = LayoutHandle.unitsPerEm
      x = Double(rectangle.x) / scale
      y = Double(rectangle.y) / scale
      width = Double(rectangle.width) / scale
      height = Double(rectangle.height) / scale
    }
  }

  /// Pango's units, 1024 a pixel, of the font size for all texts: a line of 4,096 code points fits
  /// in 31 bits, even if each is as wide as a word.
  private static let unitsPerEm = 32 * Double(PANGO_SCALE)

  /// Owned.
  private let context: OpaquePointer
  /// Owned; it holds a reference of the context too.
  private let layout: OpaquePointer

  /// Lays a text out.
  ///
  /// C functions: `pango_font_map_create_context` and `pango_layout_new`. Fonts are looked up in
  /// this thread's own map, which Pango keeps until the thread ends.
  ///
  /// - Parameters:
  ///   - text: What is drawn.
  ///   - style: Its font size has been checked; it decides only where lines end.
  /// - Throws: ``TextError/noFonts``.
  init(_ text: CleanText, _ style: TextStyle) throws(TextError) {
    guard let fonts = pango_cairo_font_map_get_default(), Self.hasFamilies(fonts),
      let context = pango_font_map_create_context(fonts)
    else { throw .noFonts }
    guard let layout = pango_layout_new(context) else {
      g_object_unref(UnsafeMutableRawPointer(context))
      throw .drawingFailed(reason: "Pango gives no layout")
    }
    (self.context, self.layout) = (context, layout)
    setOptions()
    setFont(style)
    pango_layout_set_text(layout, text.text, -1)
    pango_layout_set_alignment(layout, style.alignment.pango)
    guard let width = style.maximumWidth else { return }
    let units = Double(max(0, width)) / style.fontSize * Self.unitsPerEm
    pango_layout_set_width(layout, Int32(min(units, 0x1p30)))
    pango_layout_set_height(layout, -Int32(clamping: max(1, min(style.maximumLines, 1 << 20))))
    pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR)
    pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END)
  }

  deinit {
    g_object_unref(UnsafeMutableRawPointer(layout))
    g_object_unref(UnsafeMutableRawPointer(context))
  }

  /// What the letters touch, from the layout's origin.
  ///
  /// C function: `pango_layout_get_extents`.
  var ink: Extents {
    var ink = PangoRectangle()
    pango_layout_get_extents(layout, &ink, nil)
    return Extents(ink)
  }

  /// The lines' boxes, from the layout's origin.
  ///
  /// C function: `pango_layout_get_extents`.
  var lines: Extents {
    var lines = PangoRectangle()
    pango_layout_get_extents(layout, nil, &lines)
    return Extents(lines)
  }

  /// Draws the text over a canvas with alpha, in a font size, its origin at (`x`, `y`).
  ///
  /// C functions: `cairo_image_surface_create_for_data` and `pango_cairo_show_layout`.
  ///
  /// - Throws: ``TextError/drawingFailed(reason:)``.
  func draw(
    on canvas: inout Canvas,
    x: Double,
    y: Double,
    fontSize: Double,
    color: Color
  ) throws(TextError) {
    precondition(canvas.format == .bgra, "Cairo draws on pixels with alpha.")
    let (size, stride) = (canvas.size, canvas.bytesPerRow)
    try canvas.withUnsafeMutableBytes { (bytes) throws(TextError) in
      // The surface lives shorter than the pixels, which the canvas owns.
      let surface = cairo_image_surface_create_for_data(
        bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
        CAIRO_FORMAT_ARGB32,
        Int32(clamping: size.width),
        Int32(clamping: size.height),
        Int32(clamping: stride)
      )
      defer { cairo_surface_destroy(surface) }
      let drawing = cairo_create(surface)
      defer { cairo_destroy(drawing) }
      cairo_set_source_rgba(
        drawing,
        Double(color.red) / 255,
        Double(color.green) / 255,
        Double(color.blue) / 255,
        Double(color.alpha) / 255
      )
      let scale = fontSize * Double(PANGO_SCALE) / Self.unitsPerEm
      cairo_translate(drawing, x, y)
      cairo_scale(drawing, scale, scale)
      pango_cairo_show_layout(drawing, layout)
      cairo_surface_flush(surface)
      let status = cairo_status(drawing)
      guard status == CAIRO_STATUS_SUCCESS else {
        throw .drawingFailed(reason: String(cString: cairo_status_to_string(status)))
      }
    }
  }

  /// Whether any font is installed: without one, Pango measures what is not initialised.
  ///
  /// C function: `pango_font_map_list_families`, which lists the files once on each thread.
  private static func hasFamilies(_ fonts: UnsafeMutablePointer<PangoFontMap>) -> Bool {
    var families: UnsafeMutablePointer<UnsafeMutablePointer<PangoFontFamily>?>?
    var count: Int32 = 0
    pango_font_map_list_families(fonts, &families, &count)
    defer { g_free(families) }
    // These names are listed even when nothing stands for them.
    let aliases: Set = ["sans", "serif", "monospace", "system-ui"]
    return (0..<Int(count)).contains { index in
      guard let family = families?[index], let name = pango_font_family_get_name(family) else {
        return false
      }
      return !aliases.contains(String(cString: name).lowercased())
    }
  }

  /// Pixels are the same whatever the desktop's settings: smooth in grays, without hinting.
  private func setOptions() {
    let options = cairo_font_options_create()
    defer { cairo_font_options_destroy(options) }
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE)
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
    pango_cairo_context_set_font_options(context, options)
    pango_context_set_round_glyph_positions(context, 0)
  }

  private func setFont(_ style: TextStyle) {
    let font = pango_font_description_new()
    defer { pango_font_description_free(font) }
    pango_font_description_set_family(font, style.family)
    pango_font_description_set_weight(font, PangoWeight(UInt32(style.weight.rawValue)))
    pango_font_description_set_absolute_size(font, Self.unitsPerEm)
    pango_layout_set_font_description(layout, font)
  }
}

extension TextStyle.Alignment {
  fileprivate var pango: PangoAlignment {
    switch self {
    case .leading: PANGO_ALIGN_LEFT
    case .center: PANGO_ALIGN_CENTER
    case .trailing: PANGO_ALIGN_RIGHT
    }
  }
}

extension String {
  /// Unicode's composed form (NFC): some keyboards write é as one code point, others as two.
  var composed: String {
    guard let composed = g_utf8_normalize(self, -1, G_NORMALIZE_NFC) else { return self }
    defer { g_free(composed) }
    return String(cString: composed)
  }
}
