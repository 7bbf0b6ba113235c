import CGTK
import Support
import Testing

@testable import IkranGTK

/// A transition as a widget draws it.
@MainActor
enum DrawnTransition {
  /// The pixels of a transition from green to image 1 of 40 × 40 points.
  ///
  /// - Parameters:
  ///   - transition: It takes a second.
  ///   - time: How much of that is gone, in milliseconds.
  ///   - inCairo: Whether Cairo reads the pictures' memory, as in a window that it draws.
  /// - Returns: What is seen.
  /// - Throws: When memory runs out.
  static func picture(
    _ transition: Transition,
    at time: Int,
    inCairo: Bool = true
  ) throws -> Bitmap {
    var transition = transition
    transition.isEased = false
    let options = DisplayOptions(transition: transition)
    var content = LayerContent()
    let green = Placeholder.color(Color(red: 0, green: 160, blue: 0))
    content.show(green, .rectangle(width: 40, height: 40), scale: 1, options)
    let image = try DrawableBitmap(TestURL.picture(1, side: 40))
    content.show(image, 1, options, withTransition: true)
    content.advance(to: 0)

    let snapshot = try #require(gtk_snapshot_new())
    let handle = SnapshotHandle(pointer: snapshot, width: 40, height: 40)
    content.draw(on: handle, at: time * 1000, inCairo: inCairo)
    let surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 40, 40)
    defer { cairo_surface_destroy(surface) }
    // Of what is not seen there is no node.
    if let node = gtk_snapshot_free_to_node(snapshot) {
      let context = cairo_create(surface)
      gsk_render_node_draw(node, context)
      cairo_destroy(context)
      gsk_render_node_unref(node)
    }
    cairo_surface_flush(surface)
    let bytes = UnsafeRawBufferPointer(start: cairo_image_surface_get_data(surface), count: 6400)
    var canvas = try Canvas(size: PixelSize(width: 40, height: 40), format: .bgra)
    let stride = canvas.bytesPerRow
    canvas.withMutableBytes { pixels in
      for y in 0..<40 {
        for x in 0..<160 { pixels[y * stride + x] = bytes[y * 160 + x] }
      }
    }
    return canvas.finish()
  }
}
