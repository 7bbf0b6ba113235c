import CGTK
import IkranTesting
import Support
import Testing

@testable import IkranGTK

extension GTKTests {
  /// A card as a widget draws it while it turns.
  @Suite @MainActor
  struct FlipDrawingTests {
    init() throws { try Display.open() }

    /// The pixels of a flip from green to image 1 of 40 × 40 points, `time` of its 1000 ms gone.
    private func picture(_ edge: Transition.Edge, at time: Int) throws -> Bitmap {
      var flip = Transition.flip(from: edge, .seconds(1))
      flip.isEased = false
      let options = DisplayOptions(transition: flip)
      var content = LayerContent()
      let green = Placeholder.color(Color(red: 0, green: 160, blue: 0))
      content.show(green, .rectangle(width: 40, height: 40), scale: 1, options)
      let image = try DrawableBitmap(TestURL.picture(1, side: 40))
      content.show(image, 1, options, withTransition: true)
      content.advance(to: 0)

      let snapshot = try #require(gtk_snapshot_new())
      let handle = SnapshotHandle(pointer: snapshot, width: 40, height: 40)
      content.draw(on: handle, at: time * 1000, inCairo: true)
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

    /// How much of each column or row is covered, without those that are clear.
    private func lengths(_ picture: Bitmap, ofColumns areColumns: Bool) -> [Int] {
      var lengths: [Int] = []
      for strip in 0..<40 {
        var sum = 0
        for place in 0..<40 {
          let (x, y) = areColumns ? (strip, place) : (place, strip)
          sum += picture.withRow(y) { Int($0[x * 4 + 3]) }
        }
        if sum >= 255 { lengths.append(sum / 255) }
      }
      return lengths
    }

    @Test(arguments: Transition.Edge.allCases, [250, 750])
    func theNearEdgeIsTheLongerOne(edge: Transition.Edge, time: Int) throws {
      let picture = try picture(edge, at: time)
      let lengths = lengths(picture, ofColumns: edge == .left || edge == .right)
      let first = try #require(lengths.dropFirst().first)
      let last = try #require(lengths.dropLast().last)
      // It begins near the edge that is named, and ends at the opposite one.
      let isFirstNearer = (edge == .left || edge == .top) == (time < 500)
      #expect((isFirstNearer ? first : last) >= 38)
      #expect((isFirstNearer ? last : first) <= 32)
      #expect(lengths.count < 30)
    }

    @Test(arguments: [250, 750]) func aCardHasNoGaps(time: Int) throws {
      let picture = try picture(.left, at: time)
      let middle = picture.withRow(20) { row in (10..<30).map { row[$0 * 4 + 3] } }
      #expect(middle.allSatisfy { $0 >= 254 })
      let color = time < 500 ? Color(red: 0, green: 160, blue: 0) : TestURL.color(1)
      #expect(picture.middle == color)
    }

    @Test func aCardIsNotSeenFromItsSide() throws {
      #expect(lengths(try picture(.right, at: 500), ofColumns: true) == [])
    }
  }
}
