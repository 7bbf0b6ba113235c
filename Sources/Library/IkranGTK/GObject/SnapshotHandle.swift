import CGTK
import Ikran
import IkranViews

/// What a paintable draws on, in points from its top left.
@MainActor
struct SnapshotHandle {
  let pointer: OpaquePointer
  let width: Double
  let height: Double

  /// All of it.
  var area: Rectangle { Rectangle(x: 0, y: 0, width: width, height: height) }

  /// Draws a picture into a rectangle.
  ///
  /// - Parameters:
  ///   - picture: What to draw.
  ///   - rectangle: Where, in points.
  ///   - inCairo: Whether Cairo draws the window, which then reads the picture's memory itself.
  ///   - isFast: Whether Cairo looks at four pixels for each one, also where it makes them smaller.
  func draw(
    _ picture: DrawableBitmap,
    in rectangle: Rectangle,
    inCairo: Bool,
    isFast: Bool = false
  ) {
    var bounds = rectangle.bounds
    guard inCairo, let surface = picture.surface else {
      if let texture = picture.texture { gtk_snapshot_append_texture(pointer, texture, &bounds) }
      return
    }
    guard let context = gtk_snapshot_append_cairo(pointer, &bounds) else { return }
    defer { cairo_destroy(context) }
    let (width, height) = (Double(picture.bitmap.width), Double(picture.bitmap.height))
    cairo_translate(context, rectangle.x, rectangle.y)
    cairo_scale(context, rectangle.width / width, rectangle.height / height)
    cairo_set_source_surface(context, surface, 0, 0)
    // Its own edge goes on: else scaled pictures would fade at their edges.
    cairo_pattern_set_extend(cairo_get_source(context), CAIRO_EXTEND_PAD)
    if isFast { cairo_pattern_set_filter(cairo_get_source(context), CAIRO_FILTER_BILINEAR) }
    cairo_rectangle(context, 0, 0, width, height)
    cairo_fill(context)
  }

  /// Draws a ring, or a part of one, in the middle: how far something has come.
  ///
  /// - Parameters:
  ///   - from: Where it begins, in turns clockwise from the top.
  ///   - length: How much of the ring, 0…1.
  func drawRing(from: Double, length: Double) {
    let radius = min(16, min(width, height) / 4)
    var bounds = area.bounds
    guard radius >= 2, let context = gtk_snapshot_append_cairo(pointer, &bounds) else { return }
    defer { cairo_destroy(context) }
    cairo_set_line_width(context, max(2, radius / 5))
    cairo_translate(context, width / 2, height / 2)
    let top = -Double.pi / 2
    // A gray that is seen on dark windows and on light ones.
    cairo_set_source_rgba(context, 0.5, 0.5, 0.5, 0.3)
    cairo_arc(context, 0, 0, radius, 0, 2 * .pi)
    cairo_stroke(context)
    cairo_set_source_rgba(context, 0.5, 0.5, 0.5, 0.9)
    cairo_arc(context, 0, 0, radius, top + from * 2 * .pi, top + (from + length) * 2 * .pi)
    cairo_stroke(context)
  }

  /// Draws what `body` draws inside a rectangle alone.
  func clipped(to rectangle: Rectangle, _ body: () -> Void) {
    var bounds = rectangle.bounds
    gtk_snapshot_push_clip(pointer, &bounds)
    body()
    gtk_snapshot_pop(pointer)
  }

  /// Draws what `from` draws and what `to` draws, mixed: 0 is the first alone, 1 the second.
  func mixed(_ progress: Double, from: () -> Void, to: () -> Void) {
    // Where Cairo draws, it mixes two pictures of all that is not clipped: of a whole window. GTK
    // leaves out a clip that cuts nothing off, so there is something to cut.
    var (clear, around) = (GdkRGBA(), area.bounds)
    graphene_rect_inset(&around, -1, -1)
    clipped(to: area) {
      gtk_snapshot_push_cross_fade(pointer, progress)
      gtk_snapshot_append_color(pointer, &clear, &around)
      from()
      gtk_snapshot_pop(pointer)
      to()
      gtk_snapshot_pop(pointer)
    }
  }

  /// Draws what `body` draws inside a rectangle alone, of which so much is seen: from 0 to 1.
  func faded(_ opacity: Double, in rectangle: Rectangle, _ body: () -> Void) {
    guard opacity < 1 else { return clipped(to: rectangle, body) }
    // As `mixed`: what is drawn before it is seen through has to be small.
    clipped(to: rectangle) {
      gtk_snapshot_push_opacity(pointer, opacity)
      clipped(to: rectangle, body)
      gtk_snapshot_pop(pointer)
    }
  }

  /// Draws what `body` draws, moved and scaled about the middle.
  func moved(
    x: Double = 0,
    y: Double = 0,
    scaledX: Double = 1,
    scaledY: Double = 1,
    _ body: () -> Void
  ) {
    gtk_snapshot_save(pointer)
    var center = graphene_point_t(x: Float(x + width / 2), y: Float(y + height / 2))
    gtk_snapshot_translate(pointer, &center)
    gtk_snapshot_scale(pointer, Float(scaledX), Float(scaledY))
    center = graphene_point_t(x: Float(-width / 2), y: Float(-height / 2))
    gtk_snapshot_translate(pointer, &center)
    body()
    gtk_snapshot_restore(pointer)
  }
}

extension Rectangle {
  fileprivate var bounds: graphene_rect_t {
    var bounds = graphene_rect_t()
    graphene_rect_init(&bounds, Float(x), Float(y), Float(width), Float(height))
    return bounds
  }
}
