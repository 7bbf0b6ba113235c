import CGTK
import FoundationEssentials
import IkranTesting
import Support
import Testing

@testable import IkranGTK

extension GTKTests {
  /// A picture that is larger than its view.
  @Suite @MainActor
  struct ZoomViewTests {
    /// Colours that say where they are.
    static func picture(_ width: Int, _ height: Int) throws -> Bitmap {
      var canvas = try Canvas(size: PixelSize(width: width, height: height), format: .bgr)
      let stride = canvas.bytesPerRow
      canvas.withMutableBytes { bytes in
        for y in 0..<height {
          for x in 0..<width {
            let start = y * stride + x * 3
            bytes[start] = UInt8(truncatingIfNeeded: x)
            bytes[start + 1] = UInt8(truncatingIfNeeded: y)
            bytes[start + 2] = UInt8(truncatingIfNeeded: x / 256 * 16 + y / 256)
          }
        }
      }
      return canvas.finish()
    }

    /// With a small overview, so that small pictures have tiles.
    private static func options(_ factor: Double?) -> ZoomOptions {
      var options = ZoomOptions(factor: factor)
      options.overviewPixels = 1_000
      return options
    }

    /// Shows a file, and waits until it is sharp.
    private func shown(
      _ file: [UInt8],
      width: Int = 200,
      height: Int = 150,
      factor: Double? = nil
    ) throws -> (window: Window, view: ZoomView) {
      let window = try Window(width: width, height: height)
      let view = ZoomView(window.widget)
      view.show(file, options: Self.options(factor))
      try Display.run { view.isSharp || view.state.hasFailed }
      return (window, view)
    }

    @Test(arguments: [1, 2])
    func aPixelForAPixelIsTheFile(scale: Int) throws {
      try Display.open()
      try Display.setScale(CInt(scale))
      defer { try? Display.setScale(1) }
      let image = try Self.picture(700, 600)
      let (window, view) = try shown(try image.encoded(as: .png), factor: 1)
      for (x, y) in [(350.0, 300.0), (0, 0), (700, 600), (512.5, 256.5)] {
        view.center(x: x, y: y)
        try Display.run { view.isSharp }
        try window.drawFrames(2)
        let region = try #require(view.visibleRegion)
        #expect(region.size == PixelSize(width: 200 * scale, height: 150 * scale))
        let part = try image.cropped(
          columns: region.x..<region.x + region.size.width,
          rows: region.y..<region.y + region.size.height
        )
        try expectPixels(try window.pixels(scale: scale), equal: part)
      }
    }

    @Test(arguments: [-1, 1, 2, 3])
    func aTurnedPictureIsShownPixelForPixelToo(turns: Int) throws {
      let image = try Self.picture(700, 600)
      let turned = try image.rotated(degrees: Double(turns * 90))
      let window = try Window(width: 200, height: 150)
      let view = ZoomView(window.widget)
      var options = Self.options(1)
      options.quarterTurns = turns
      view.show(try image.encoded(as: .png), options: options)
      for (x, y) in [(0.0, 0.0), (700, 600), (300, 290)] {
        try Display.run { view.isSharp }
        view.center(x: x, y: y)
        try Display.run { view.isSharp }
        try window.drawFrames(2)
        let region = try #require(view.visibleRegion)
        let part = try turned.cropped(
          columns: region.x..<region.x + region.size.width,
          rows: region.y..<region.y + region.size.height
        )
        try expectPixels(try window.pixels(), equal: part)
      }
    }

    @Test func theWholePictureIsShownAtFirst() throws {
      let image = try Bitmap(.white, size: PixelSize(width: 500, height: 500))
      let (window, view) = try shown(try image.encoded(as: .png))
      try window.drawFrames(2)
      let seen = try window.pixels()
      #expect(view.factor == nil && view.currentFactor == 0.3)
      #expect(seen.color(x: 24, y: 75)?.alpha == 0)
      #expect(seen.color(x: 26, y: 75) == .white)
      #expect(seen.color(x: 176, y: 75)?.alpha == 0)
    }

    @Test(arguments: [(500, 400), (0, 0), (1_100, 900)])
    func reducedTilesHaveThePixelsOfTheWholePicture(x: Int, y: Int) throws {
      let file = try Self.picture(1_100, 900).encoded(as: .png)
      let (window, view) = try shown(file, factor: 0.5)
      view.center(x: Double(x), y: Double(y))
      try Display.run { view.isSharp }
      try window.drawFrames(2)
      let region = try #require(view.visibleRegion)
      #expect(region.size == PixelSize(width: 400, height: 300))
      var decoder = try RegionDecoder(file.span)
      let expected = try decoder.decode(
        region,
        of: file.span,
        size: PixelSize(width: 200, height: 150)
      )
      try expectPixels(try window.pixels(), equal: expected)
    }

    @Test func reducedTilesFitTogether() throws {
      let color = Color(red: 9, green: 99, blue: 199)
      let image = try Bitmap(color, size: PixelSize(width: 1_201, height: 803))
      let (window, view) = try shown(try image.encoded(as: .png), factor: 0.43)
      view.center(x: 1_201, y: 803)
      try Display.run { view.isSharp }
      try window.drawFrames(2)
      let expected = try Bitmap(color, size: PixelSize(width: 200, height: 150))
      try expectPixels(try window.pixels(), equal: expected)
    }

    @Test func aVeryWidePictureIsShown() throws {
      let image = try Self.picture(40_000, 20)
      let window = try Window(width: 200, height: 20)
      let view = ZoomView(window.widget)
      view.show(try image.encoded(as: .png), options: ZoomOptions(factor: 1))
      try Display.run { view.isSharp || view.state.hasFailed }
      try window.drawFrames(2)
      let part = try image.cropped(columns: 19_900..<20_100, rows: 0..<20)
      try expectPixels(try window.pixels(), equal: part)
    }

    @Test func transparentPixelsAreDrawnOnce() throws {
      let half = Color(red: 255, green: 0, blue: 0, alpha: 128)
      let image = try Bitmap(half, size: PixelSize(width: 600, height: 600))
      let (window, view) = try shown(try image.encoded(as: .png), factor: 1)
      try window.drawFrames(2)
      #expect(view.isSharp)
      #expect(abs(Int(try window.pixels().middle?.alpha ?? 0) - 128) <= 1)
    }

    @Test func tilesTakeNoMoreThanTheyMay() throws {
      let image = try Bitmap(.white, size: PixelSize(width: 2_000, height: 1_000))
      let file = try image.encoded(as: .png)
      let window = try Window(width: 200, height: 150)
      let view = ZoomView(window.widget)
      // Two and two are seen, and one more is on each side.
      let limit = 16 * ZoomTile.largestBytes
      view.content.leastTileBytes = 0
      view.show(file, options: Self.options(1))
      var most = 0
      for step in 0..<12 {
        view.center(x: Double(step) * 160, y: Double(step) * 80)
        try Display.run { view.isSharp || view.state.hasFailed }
        most = max(most, view.content.cache.byteCount)
      }
      #expect(most > limit / 2 && most <= limit)
      let overview = try #require(view.content.overview).bitmap
      #expect(overview.width * overview.height <= 1_000)
      #expect(view.memoryBytes == view.content.cache.byteCount + overview.byteCount)
    }

    @Test func zoomingAtAPointKeepsIt() throws {
      let (window, view) = try shown(try Self.picture(700, 600).encoded(as: .png), factor: 1)
      try window.drawFrames(2)
      let before = try window.pixels().color(x: 40, y: 30)
      view.zoom(to: 4, at: (40.5, 30.5))
      try Display.run { view.isSharp }
      try window.drawFrames(2)
      #expect(view.factor == 4)
      #expect(try window.pixels().color(x: 40, y: 30) == before)
    }

    // MARK: - Files

    @Test func aBrokenFileIsAnError() throws {
      let window = try Window(width: 200, height: 150)
      var states: [String] = []
      let view = ZoomView(window.widget)
      view.show([1, 2, 3, 4], options: ZoomOptions { states.append("\($0.state)") })
      try Display.run { view.state.hasFailed }
      #expect(states.count == 2)
      guard case .failed(.decode(.unknownFormat, _, _)) = view.state else {
        Issue.record("\(view.state)")
        return
      }
      view.zoom(by: 1)
      view.scroll(x: 1, y: 1)
      #expect(view.visibleRegion == nil && !view.isSharp)
    }

    @Test func aRequestsFileIsLoaded() throws {
      let window = try Window(width: 200, height: 150)
      let pipeline = ImagePipeline.deterministic(transport: TestURL.origin())
      let view = ZoomView(window.widget)
      view.show(ImageRequest(TestURL.face(1)), from: pipeline)
      #expect(view.state.isLoading)
      try Display.run { view.isSharp }
      try window.drawFrames(2)
      #expect(try window.pixels().middle == TestURL.color(1))
    }

    @Test func aRequestThatFailsIsAnError() throws {
      let window = try Window(width: 200, height: 150)
      let transport = FakeTransport { (request, _) async throws(TransportError) in
        TransportResponse(status: 404, headers: [], body: [], url: request.url)
      }
      let pipeline = ImagePipeline.deterministic(transport: transport)
      let view = ZoomView(window.widget)
      view.show(ImageRequest(TestURL.face(1)), from: pipeline)
      try Display.run { view.state.hasFailed }
    }

    @Test func theLastPictureIsShown() throws {
      let window = try Window(width: 200, height: 150)
      let view = ZoomView(window.widget)
      view.show(try TestURL.file(1))
      view.show(try TestURL.file(2))
      try Display.run { view.isSharp }
      try window.drawFrames(3)
      #expect(try window.pixels().middle == TestURL.color(2))
      view.clear()
      try window.drawFrames(2)
      #expect(try window.pixels().middle?.alpha == 0)
      #expect(view.state.isEmpty && view.memoryBytes == 0)
    }

    @Test func aWidgetWithoutPicturesIsAnError() throws {
      let window = try Window(gtk_label_new("a"), width: 200, height: 150)
      let view = ZoomView(window.widget)
      view.show(try TestURL.file(1))
      #expect(view.state.hasFailed)
    }

    // MARK: - The end

    @Test func aViewThatIsGoneHoldsNothing() throws {
      /// A part of a program.
      final class Owner: Sendable {}
      weak var content: ZoomContent?
      weak var owner: Owner?
      let file = try Self.picture(700, 600).encoded(as: .png)
      do {
        let held = Owner()
        owner = held
        let window = try Window(width: 200, height: 150)
        let view = ZoomView(window.widget)
        var options = Self.options(1)
        options.onChange = { _ in withExtendedLifetime(held) {} }
        view.show(file, options: options)
        try Display.run { view.isSharp }
        #expect(ZoomView(window.widget).content === view.content)
        content = view.content
        view.center(x: 0, y: 0)
        window.close()
      }
      // What was decoded when the widget ended arrives.
      try Display.run { content == nil }
      #expect(owner == nil)
    }
  }
}

extension ZoomView.State {
  fileprivate var isLoading: Bool { if case .loading = self { true } else { false } }
  fileprivate var hasFailed: Bool { if case .failed = self { true } else { false } }
  fileprivate var isEmpty: Bool { if case .empty = self { true } else { false } }
}
