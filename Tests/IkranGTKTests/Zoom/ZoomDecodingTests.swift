import CGTK
import IkranTesting
import Support
import Testing

@testable import IkranGTK

extension GTKTests {
  /// What a zoomed picture decodes, and when.
  @Suite @MainActor
  struct ZoomDecodingTests {
    private static func options(
      _ factor: Double?,
      _ watch: @escaping @Sendable (WatchedCodec.Decode) throws(DecodeError) -> Void
    ) -> ZoomOptions {
      var options = ZoomOptions(codecs: CodecList([WatchedCodec(watch)]), factor: factor)
      options.overviewPixels = 1_000
      return options
    }

    /// Waits until a view is sharp or has failed.
    private func wait(for view: ZoomView) throws {
      try Display.run {
        if case .failed = view.state { return true }
        return view.isSharp
      }
    }

    private func isShown(_ view: ZoomView) -> Bool {
      if case .shown = view.state { true } else { false }
    }

    // MARK: - Pictures that follow each other

    @Test func onlyTheLastOfThePicturesThatWaitIsDecoded() throws {
      let (door, begun) = (ThreadLatch(), Recorder<Int>())
      defer { door.open() }
      let options = Self.options(nil) { decode in
        begun.add(decode.width)
        if decode.width == 11 { door.wait() }
      }
      let window = try Window(width: 200, height: 150)
      let view = ZoomView(window.widget)
      view.show(try TestURL.file(1, side: 11), options: options)
      try Display.run { begun.items == [11] }
      for side in 12...14 {
        view.show(try TestURL.file(2, side: side), options: options)
        // One that is not kept waiting begins in this time.
        try window.drawFrames(2)
      }
      door.open()
      try wait(for: view)
      #expect(begun.items == [11, 14])
    }

    @Test func aNewPictureEndsTheWaitForADecoder() throws {
      let (door, begun, ended) = (ThreadLatch(), Counter(), Counter())
      let options = Self.options(nil) { (decode) throws(DecodeError) in
        begun.add()
        // As a decoder in another process does.
        guard decode.width == 11, let cancellation = decode.workspace.cancellation,
          cancellation.onCancel({ door.open() })
        else { return }
        door.wait()
        cancellation.ignore()
        ended.add()
        throw .isolated(.png, .cancelled)
      }
      let window = try Window(width: 200, height: 150)
      let view = ZoomView(window.widget)
      view.show(try TestURL.file(1, side: 11), options: options)
      try Display.run { begun.count == 1 }
      view.show(try TestURL.file(2, side: 12), options: options)
      try wait(for: view)
      #expect(isShown(view))
      #expect(ended.count == 1)
    }

    @Test func aWidgetThatEndsWaitsForNoDecode() throws {
      weak var content: ZoomContent?
      let (door, begun) = (ThreadLatch(), Counter())
      defer { door.open() }
      do {
        let window = try Window(width: 200, height: 150)
        let view = ZoomView(window.widget)
        content = view.content
        let options = Self.options(nil) { _ in
          begun.add()
          door.wait()
        }
        view.show(try TestURL.file(1), options: options)
        try Display.run { begun.count == 1 }
        window.close()
      }
      #expect(content == nil)
    }

    // MARK: - Tiles that cannot be decoded

    @Test func aTileThatFailsOnceIsDecodedAgain() throws {
      let failures = Counter()
      let options = Self.options(1) { (decode) throws(DecodeError) in
        guard decode.region != nil, failures.count == 0 else { return }
        failures.add()
        throw .truncated(.png, offset: 0)
      }
      let image = try ZoomViewTests.picture(700, 600)
      let window = try Window(width: 200, height: 150)
      let view = ZoomView(window.widget)
      view.show(try image.encoded(as: .png), options: options)
      try wait(for: view)
      try window.drawFrames(2)
      #expect(isShown(view) && failures.count == 1)
      let part = try image.cropped(columns: 250..<450, rows: 225..<375)
      try expectPixels(try window.pixels(), equal: part)
    }

    @Test func aTileThatFailsAgainLeavesTheOthersShown() throws {
      let failures = Counter()
      let options = Self.options(1) { (decode) throws(DecodeError) in
        guard let region = decode.region, region.y == 256,
          (region.x..<region.x + region.size.width).contains(300)
        else { return }
        failures.add()
        throw .truncated(.png, offset: 0)
      }
      let window = try Window(width: 200, height: 150)
      let view = ZoomView(window.widget)
      view.show(try ZoomViewTests.picture(700, 600).encoded(as: .png), options: options)
      try wait(for: view)
      #expect(isShown(view))
      let cache = view.content.cache
      for (column, row) in [(0, 0), (1, 0), (0, 1)] {
        #expect(cache.contains(ZoomTile(level: 0, column: column, row: row)))
      }
      #expect(!cache.contains(ZoomTile(level: 0, column: 1, row: 1)))
      // With its neighbours, and without.
      #expect(failures.count == 2)
      view.center(x: 0, y: 0)
      view.center(x: 350, y: 300)
      try wait(for: view)
      #expect(failures.count == 2)
    }

    @Test func aTileThatCannotBeStoredIsNotAskedForAgain() throws {
      let regions = Recorder<PixelRectangle>()
      var codec = WatchedCodec { if let region = $0.region { regions.add(region) } }
      // Each tile of it takes more than all may.
      codec.replacement = try Bitmap(.white, size: PixelSize(width: 1_024, height: 4_200))
      var options = ZoomOptions(codecs: CodecList([codec]), factor: 1)
      options.overviewPixels = 1_000
      let window = try Window(width: 200, height: 150)
      let view = ZoomView(window.widget)
      view.content.leastTileBytes = 0
      view.show(try ZoomViewTests.picture(700, 600).encoded(as: .png), options: options)
      try wait(for: view)
      #expect(isShown(view) && view.content.cache.byteCount == 0)
      view.center(x: 0, y: 0)
      view.center(x: 350, y: 300)
      try wait(for: view)
      try window.drawFrames(2)
      for (x, y) in [(0, 0), (256, 0), (0, 256), (256, 256)] {
        let decodes = regions.items.filter { region in
          region.y == y && (region.x..<region.x + region.size.width).contains(x)
        }
        // With its neighbours, and without.
        #expect(decodes.count == 2, "\(x), \(y)")
      }
    }

    @Test func aTileWithoutRoomIsNotStored() throws {
      let picture = try DrawableBitmap(Bitmap(.white, size: PixelSize(width: 10, height: 10)))
      var cache = TileCache(byteLimit: picture.bitmap.byteCount)
      let tiles = (0..<2).map { ZoomTile(level: 0, column: $0, row: 0) }
      for tile in tiles {
        let isStored = cache.insert(picture, as: tile)
        #expect(isStored)
      }
      #expect(!cache.contains(tiles[0]) && cache.contains(tiles[1]))
      cache.limit(to: picture.bitmap.byteCount - 1)
      #expect(!cache.contains(tiles[1]) && cache.byteCount == 0)
      let isStored = cache.insert(picture, as: tiles[0])
      #expect(!isStored)
    }
  }
}
