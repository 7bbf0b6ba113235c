import CChafa
import Ikran

// Decision 38: libchafa draws in terminals.
/// Turns pictures into text for a terminal, with libchafa.
struct TerminalCanvasHandle: ~Copyable {
  /// How a picture is drawn.
  enum Mode: Sendable {
    /// As pixels, by kitty's graphics protocol.
    case kitty
    /// As pixels, in sixels.
    case sixel
    /// As characters, in colours unless `colors` is nil.
    case cells(colors: Colors?)
  }

  /// The colours of characters.
  enum Colors: Sendable {
    case sixteen, indexed, direct
  }

  let mode: Mode
  /// Owned.
  private let terminal: OpaquePointer
  /// Owned; for pictures laid out as `layout`.
  private var canvas: OpaquePointer?
  private var layout: CellLayout?

  /// Chooses the mode from the environment's variables.
  ///
  /// C functions: `chafa_term_db_detect` and `chafa_term_info_have_seq`.
  ///
  /// - Parameters:
  ///   - choice: The mode that the user wants.
  ///   - isScreen: Whether a terminal shows it; pixels are chosen only for one.
  /// - Throws: ``Failure`` when libchafa gives nothing.
  init(_ choice: ShowMode, isScreen: Bool) throws {
    let variables = g_get_environ()
    defer { g_strfreev(variables) }
    let database = chafa_term_db_get_default()
    guard let terminal = chafa_term_db_detect(database, variables) else {
      throw Failure("libchafa knows no terminal")
    }
    func can(_ sequence: ChafaTermSeq) -> Bool {
      chafa_term_info_have_seq(terminal, sequence) != 0
    }
    func text(_ name: String) -> String {
      g_environ_getenv(variables, name).map { String(cString: $0) } ?? ""
    }
    let colors: Colors? =
      if !text("NO_COLOR").isEmpty || text("TERM") == "dumb" {
        nil
      } else if can(CHAFA_TERM_SEQ_SET_COLOR_FGBG_DIRECT) {
        .direct
      } else {
        can(CHAFA_TERM_SEQ_SET_COLOR_FGBG_256) ? .indexed : .sixteen
      }
    switch choice {
    case .kitty: mode = .kitty
    case .sixel: mode = .sixel
    case .auto where isScreen && can(CHAFA_TERM_SEQ_BEGIN_KITTY_IMMEDIATE_IMAGE_V1): mode = .kitty
    case .auto where isScreen && can(CHAFA_TERM_SEQ_BEGIN_SIXELS): mode = .sixel
    case .auto, .cells: mode = .cells(colors: colors)
    }
    // For a mode that the user chose and the terminal is not known to have.
    chafa_term_info_supplement(terminal, chafa_term_db_get_fallback_info(database))
    self.terminal = terminal
  }

  deinit {
    if let canvas { chafa_canvas_unref(canvas) }
    chafa_term_info_unref(terminal)
  }

  /// The text that draws a picture, from the place of the cursor; no line feed after the last line.
  ///
  /// Cost: up to tenths of a second for a large terminal in sixels.
  ///
  /// C functions: `chafa_canvas_draw_all_pixels` and `chafa_canvas_print`.
  mutating func draw(_ picture: Bitmap, in layout: CellLayout) throws -> [UInt8] {
    let canvas = try canvas(for: layout)
    let opaque = picture.format == .bgrx
    let picture = try picture.format == .bgra || opaque ? picture : picture.converted(to: .bgra)
    let size = size(for: layout)
    if inPixels, picture.isDrawn(for: layout, on: size) {
      // One pixel for one: libchafa would stretch it over the whole canvas.
      let bytes = picture.onCanvas(size)
      bytes.withUnsafeBufferPointer { draw($0, size, bytesPerRow: size.width * 4, on: canvas) }
    } else {
      picture.withBytes { bytes in
        bytes.withUnsafeBufferPointer {
          draw($0, picture.size, bytesPerRow: picture.bytesPerRow, on: canvas)
        }
      }
    }
    guard let text = chafa_canvas_print(canvas, terminal) else { throw Self.failure }
    defer { g_string_free(text, 1) }
    let bytes = UnsafeRawBufferPointer(
      start: ikran_string_bytes(text),
      count: ikran_string_length(text)
    )
    return Array(bytes)
  }

  /// Whether pictures are drawn in pixels.
  var inPixels: Bool { if case .cells = mode { false } else { true } }

  private func draw(
    _ bytes: UnsafeBufferPointer<UInt8>,
    _ size: PixelSize,
    bytesPerRow: Int,
    on canvas: OpaquePointer
  ) {
    chafa_canvas_draw_all_pixels(
      canvas,
      CHAFA_PIXEL_BGRA8_PREMULTIPLIED,
      bytes.baseAddress,
      size.cWidth,
      size.cHeight,
      gint(clamping: bytesPerRow)
    )
  }

  /// The canvas of the last picture, or another one.
  ///
  /// C function: `chafa_canvas_new`.
  private mutating func canvas(for layout: CellLayout) throws -> OpaquePointer {
    if let canvas, self.layout == layout { return canvas }
    guard let configuration = chafa_canvas_config_new() else { throw Self.failure }
    defer { chafa_canvas_config_unref(configuration) }
    var (cells, cell) = (PixelSize(width: layout.columns, height: layout.rows), layout.cell)
    // One cell: libchafa makes sixels of whole cells otherwise.
    if case .sixel = mode { (cells, cell) = (PixelSize(width: 1, height: 1), size(for: layout)) }
    chafa_canvas_config_set_geometry(configuration, cells.cWidth, cells.cHeight)
    chafa_canvas_config_set_cell_geometry(configuration, cell.cWidth, cell.cHeight)
    let (pixels, colors) = modes
    chafa_canvas_config_set_pixel_mode(configuration, pixels)
    chafa_canvas_config_set_canvas_mode(configuration, colors)
    guard let canvas = chafa_canvas_new(configuration) else { throw Self.failure }
    if let old = self.canvas { chafa_canvas_unref(old) }
    (self.canvas, self.layout) = (canvas, layout)
    return canvas
  }

  private var modes: (ChafaPixelMode, ChafaCanvasMode) {
    switch mode {
    case .kitty: (CHAFA_PIXEL_MODE_KITTY, CHAFA_CANVAS_MODE_TRUECOLOR)
    case .sixel: (CHAFA_PIXEL_MODE_SIXELS, CHAFA_CANVAS_MODE_TRUECOLOR)
    case .cells(.direct): (CHAFA_PIXEL_MODE_SYMBOLS, CHAFA_CANVAS_MODE_TRUECOLOR)
    case .cells(.indexed): (CHAFA_PIXEL_MODE_SYMBOLS, CHAFA_CANVAS_MODE_INDEXED_256)
    case .cells(.sixteen): (CHAFA_PIXEL_MODE_SYMBOLS, CHAFA_CANVAS_MODE_INDEXED_16)
    case .cells(nil): (CHAFA_PIXEL_MODE_SYMBOLS, CHAFA_CANVAS_MODE_FGBG)
    }
  }

  /// The pixels of what is drawn: whole cells for kitty, lines of six pixels for sixels.
  private func size(for layout: CellLayout) -> PixelSize {
    guard case .sixel = mode else { return layout.canvas }
    return PixelSize(width: layout.pixels.width, height: (layout.pixels.height + 5) / 6 * 6)
  }

  private static var failure: Failure { Failure("libchafa has no memory for the picture") }
}

extension PixelSize {
  fileprivate var cWidth: gint { gint(clamping: width) }
  fileprivate var cHeight: gint { gint(clamping: height) }
}

extension Bitmap {
  /// Whether it was drawn for a layout, where a style's size may be rounded, and not for another
  /// one before the terminal's size changed.
  fileprivate func isDrawn(for layout: CellLayout, on canvas: PixelSize) -> Bool {
    width <= canvas.width && height <= canvas.height
      && abs(width - layout.pixels.width) <= 1 && abs(height - layout.pixels.height) <= 1
  }

  /// Its pixels at the top left of a clear picture of four bytes a pixel, without padding.
  fileprivate func onCanvas(_ size: PixelSize) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: size.width * size.height * 4)
    bytes.withUnsafeMutableBytes { bytes in
      for y in 0..<height {
        withRow(y) { row in
          row.withUnsafeBytes {
            UnsafeMutableRawBufferPointer(rebasing: bytes[(y * size.width * 4)...])
              .copyBytes(from: $0.prefix(width * 4))
          }
        }
      }
    }
    return bytes
  }
}
