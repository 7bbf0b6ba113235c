#if SVG
import CIkranCodecs
import IkranPixels

/// A document in librsvg, which draws it.
///
/// It is read from memory and knows no address of its own: librsvg opens no file and no connection
/// for it, only what `data` addresses hold.
struct SVGHandle: ~Copyable {
  private let document: OpaquePointer

  /// Parses a whole document.
  ///
  /// Cost: some half a microsecond for each byte.
  ///
  /// - Throws: ``DecodeError``.
  init(_ text: [UInt8]) throws(DecodeError) {
    let opened = text.withUnsafeBufferPointer { ikran_svg_open($0.baseAddress, $0.count) }
    guard let opened else { throw .bitmap(.outOfMemory(bytes: text.count)) }
    guard ikran_svg_is_open(opened) else {
      defer { ikran_svg_close(opened) }
      throw Self.failure(opened)
    }
    document = opened
  }

  deinit { ikran_svg_close(document) }

  /// The area of the user's coordinates that the document shows at its own size.
  ///
  /// Its width and height where it has them; else those of its `viewBox`, or what follows from
  /// that and one side; else what it draws.
  ///
  /// - Parameter drawing: What drawing it takes: measuring runs its filters; nil where not all of
  ///   it is there.
  /// - Returns: The area; nil when what it draws has to be known and is not there.
  /// - Throws: ``DecodeError`` for a document without area.
  func area(ofDrawing drawing: SVGCost?) throws(DecodeError) -> SVGArea? {
    let size = ikran_svg_measure(document)
    if size.is_whole { return try SVGArea(width: size.width, height: size.height) }
    let width = size.width < 0 ? nil : size.width
    let height = size.height < 0 ? nil : size.height
    if size.has_box {
      if let width {
        return try SVGArea(width: width, height: width / size.box_width * size.box_height)
      }
      if let height {
        return try SVGArea(width: height / size.box_height * size.box_width, height: height)
      }
      return try SVGArea(width: size.box_width, height: size.box_height)
    }
    guard let drawing else { return nil }
    return try drawnArea(width, height, checking: drawing)
  }

  /// Draws the document.
  ///
  /// - Parameters:
  ///   - area: The area of ``area(ofDrawing:)``.
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
    let (across, down) = (Double(size.width) / area.width, Double(size.height) / area.height)
    let viewport = area.viewport
    var view = ikran_svg_view(
      x: area.x + plan.crop.x / across,
      y: area.y + plan.crop.y / down,
      scale_x: across * Double(plan.output.width) / plan.crop.width,
      scale_y: down * Double(plan.output.height) / plan.crop.height,
      width: viewport.width,
      height: viewport.height
    )
    let result = canvas.withUnsafeMutableBytes { bytes in
      var pixels = ikran_svg_canvas(
        pixels: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
        width: CInt(clamping: plan.output.width),
        height: CInt(clamping: plan.output.height),
        bytes_per_row: CInt(clamping: bytesPerRow)
      )
      return ikran_svg_draw(document, &pixels, &view)
    }
    switch result {
    case IKRAN_SVG_DRAWN: return canvas.finish()
    case IKRAN_SVG_TOO_LARGE:
      throw .unsupported(.svg, feature: "a size of more than 32767 pixels")
    default: throw Self.failure(document)
    }
  }

  // MARK: - librsvg

  /// What a document without a size draws, in as much room as CSS gives to pictures without one.
  private func drawnArea(
    _ width: Double?,
    _ height: Double?,
    checking drawing: SVGCost
  ) throws(DecodeError) -> SVGArea {
    let room = (width: width ?? 300, height: height ?? 150)
    try drawing.check(width: room.width, height: room.height)
    var ink = ikran_svg_rectangle()
    guard ikran_svg_measure_ink(document, room.width, room.height, &ink) else {
      throw Self.failure(document)
    }
    return try SVGArea(
      x: width == nil ? ink.x : 0,
      y: height == nil ? ink.y : 0,
      width: width ?? ink.width,
      height: height ?? ink.height,
      viewport: room
    )
  }

  private static func failure(_ document: OpaquePointer) -> DecodeError {
    .malformed(.svg, offset: 0, reason: String(cString: ikran_svg_message(document)))
  }
}
#endif
