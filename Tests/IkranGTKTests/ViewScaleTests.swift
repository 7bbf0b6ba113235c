import IkranGTK
import IkranTesting
import Testing

extension GTKTests {
  /// Monitors with several pixels per point.
  @Suite @MainActor
  struct ViewScaleTests {
    @Test func aChangeOfScaleBringsAnImageWithMorePixels() throws {
      try Display.open()
      let transport = FakeTransport(body: try TestURL.file(1, side: 64))
      let pipeline = ImagePipeline.deterministic(transport: transport)
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      view.setImage(ImageRequest(TestURL.face(1), style: .small), from: pipeline)
      try Display.run { view.state.isShown }
      let request = { (scale: Double) in
        var request = ImageRequest(TestURL.face(1), style: .small)
        request.scale = scale
        return request
      }
      #expect(pipeline.cached(for: request(1))?.width == 16)
      #expect(pipeline.cached(for: request(2)) == nil)
      try Display.setScale(2)
      defer { try? Display.setScale(1) }
      try Display.run { pipeline.cached(for: request(2)) != nil && view.state.isShown }
      #expect(pipeline.cached(for: request(2))?.width == 32)
      try window.drawFrames(2)
      #expect(try window.pixels(scale: 2).middle == TestURL.color(1))
      window.close()
    }

    @Test func aRequestWithAScaleKeepsIt() throws {
      try Display.open()
      let transport = FakeTransport(body: try TestURL.file(1, side: 64))
      let pipeline = ImagePipeline.deterministic(transport: transport)
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      var request = ImageRequest(TestURL.face(1), style: .small)
      request.scale = 3
      view.setImage(request, from: pipeline)
      try Display.run { view.state.isShown }
      #expect(pipeline.cached(for: request)?.width == 48)
    }
  }
}
