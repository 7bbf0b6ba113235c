import CGTK
import IkranGTK

/// A widget that a closure draws.
struct DrawingArea: Widget {
  let pointer: UnsafeMutablePointer<GtkWidget>

  init(_ draw: @escaping @MainActor (Drawing) -> Void) {
    pointer = gtk_drawing_area_new()
    gtk_drawing_area_set_draw_func(
      raw.assumingMemoryBound(to: GtkDrawingArea.self),
      { _, context, width, height, data in
        guard let context else { return }
        let drawing = Drawing(context: context, width: Double(width), height: Double(height))
        CallbackData<Drawing, Void>.call(data, drawing)
      },
      CallbackData(draw).retained(),
      releaseCallbackData
    )
  }
}

/// What a drawing area is drawn with: Cairo, in points from the top left.
struct Drawing {
  fileprivate let context: OpaquePointer
  let width: Double
  let height: Double

  func setColor(_ color: Color, alpha: Double = 1) {
    cairo_set_source_rgba(
      context,
      Double(color.red) / 255,
      Double(color.green) / 255,
      Double(color.blue) / 255,
      Double(color.alpha) / 255 * alpha
    )
  }

  func fill(x: Double, y: Double, width: Double, height: Double) {
    cairo_rectangle(context, x, y, width, height)
    cairo_fill(context)
  }

  /// Draws what follows inside of a rectangle with round corners only.
  func clip(x: Double, y: Double, width: Double, height: Double, radius: Double) {
    addRounded(x: x, y: y, width: width, height: height, radius: radius)
    cairo_clip(context)
  }

  /// Draws a dashed line across.
  func line(y: Double) {
    line(from: (0, y.rounded() + 0.5), to: (width, y.rounded() + 0.5), dashes: [3, 3])
  }

  /// Draws a line down.
  func line(x: Double) {
    line(from: (x.rounded() + 0.5, 0), to: (x.rounded() + 0.5, height), dashes: [])
  }

  private func line(from: (Double, Double), to: (Double, Double), dashes: [Double]) {
    cairo_set_dash(context, dashes, CInt(dashes.count), 0)
    cairo_set_line_width(context, 1)
    cairo_move_to(context, from.0, from.1)
    cairo_line_to(context, to.0, to.1)
    cairo_stroke(context)
  }

  private func addRounded(x: Double, y: Double, width: Double, height: Double, radius: Double) {
    let radius = max(0, min(radius, min(width, height) / 2))
    cairo_new_sub_path(context)
    cairo_arc(context, x + width - radius, y + radius, radius, -.pi / 2, 0)
    cairo_arc(context, x + width - radius, y + height - radius, radius, 0, .pi / 2)
    cairo_arc(context, x + radius, y + height - radius, radius, .pi / 2, .pi)
    cairo_arc(context, x + radius, y + radius, radius, .pi, .pi * 1.5)
    cairo_close_path(context)
  }
}
