import CGTK
import IkranGTK
import IkranStores
import IkranTesting
import Support
import Testing

extension GTKTests {
  /// A list whose rows are used for one item after the other.
  @Suite @MainActor
  struct RecycledCellTests {
    private static let count = 2000

    /// Every seventh image is not there; the others arrive when the clock has moved on, in any order.
    private static func origin(_ generator: Guarded<SeededGenerator>) -> FakeTransport {
      let clock = ManualClock()
      return FakeTransport(clock: clock) { (request, _) async throws(TransportError) in
        let number = TestURL.number(request.url)
        let delay = generator.withLock { Int.random(in: 0...40, using: &$0) }
        do { try await clock.sleep(for: .milliseconds(delay)) } catch { throw .cancelled }
        guard number % 7 != 0, let file = try? TestURL.file(number) else {
          return TransportResponse(status: 404, headers: [], body: [], url: request.url)
        }
        return TransportResponse(status: 200, headers: .fresh, body: file, url: request.url)
      }
    }

    @Test(arguments: [false, true])
    func eachVisibleCellShowsItsOwnPicture(hasTables: Bool) throws {
      try Display.open()
      let folder = try TemporaryDirectory()
      let seed = UInt64.random(in: 0 ... .max)
      print("seed \(seed)")
      var generator = SeededGenerator(seed: seed)
      let transport = Self.origin(Guarded(SeededGenerator(seed: seed &+ 1)))
      let pipeline = ImagePipeline.deterministic(
        transport: transport,
        folder: hasTables ? folder.path : nil
      )
      let grid = try TestGrid(count: Self.count) { cell, number in
        ImageTarget(cell).setImage(
          ImageRequest(TestURL.face(number), style: .small),
          from: pipeline,
          options: DisplayOptions(placeholder: .color(.white))
        )
      }
      let window = try Window(grid.widget, width: 200, height: 200)
      for _ in 0..<Rounds.fewer(200, atLeast: 40) {
        grid.scroll(to: .random(in: 0...0.9, using: &generator))
        for _ in 0..<Int.random(in: 0...4, using: &generator) {
          try window.drawFrames(1)
          transport.clock.advance(by: .milliseconds(10))
          for (cell, number) in grid.cells {
            guard let image = ImageTarget(cell).image else { continue }
            #expect(image.middle == TestURL.color(number), "cell of \(number), seed \(seed)")
          }
        }
      }
      // GtkGridView 4.8 may lose its rows in a jump, "ran out of items"; the next jump brings them.
      repeat {
        grid.scroll(to: .random(in: 0...0.9, using: &generator))
        try window.drawFrames(3)
      } while grid.cells.count <= 50
      // All that is bound gets its ending.
      try Display.run {
        transport.clock.advance(by: .milliseconds(50))
        return grid.cells.allSatisfy { !ImageTarget($0.cell).state.isLoading }
      }
      try window.drawFrames(2)
      var shown = 0
      for (cell, number) in grid.cells {
        let view = ImageTarget(cell)
        #expect(view.url == TestURL.face(number))
        let expected = number % 7 == 0 ? Color.white : TestURL.color(number)
        #expect(try window.pixels(of: cell).middle == expected, "cell of \(number), seed \(seed)")
        shown += 1
      }
      #expect(shown > 50)
      #expect(pipeline.downloads.running == 0)
      #expect(pipeline.downloads.waiting == 0)
    }

    @Test func whatIsInSightIsLoadedFirst() throws {
      try Display.open()
      let seed = UInt64.random(in: 0 ... .max)
      print("seed \(seed)")
      var generator = SeededGenerator(seed: seed)
      let transport = TestURL.origin()
      let pipeline = ImagePipeline.deterministic(transport: transport)
      pipeline.maximumConcurrentDownloads = 1
      pipeline.isSuspended = true
      let grid = try TestGrid(count: Self.count) { cell, number in
        ImageTarget(cell).setImage(
          ImageRequest(TestURL.face(number), style: .small),
          from: pipeline
        )
      }
      let window = try Window(grid.widget, width: 200, height: 200)
      // A jump may lose all rows; see above.
      repeat {
        grid.scroll(to: .random(in: 0.2...0.8, using: &generator))
        try window.drawFrames(3)
      } while grid.cells.count <= 50
      try Display.run { pipeline.downloads.waiting >= grid.cells.count }
      let seen = Set(grid.cells.filter { grid.shows($0.cell) }.map(\.number))
      #expect(seen.count > 10)
      pipeline.isSuspended = false
      try Display.run { grid.cells.allSatisfy { !ImageTarget($0.cell).state.isLoading } }
      // Those of earlier pages came before them.
      let order = transport.urls.map { TestURL.number($0) }.filter { number in
        grid.cells.contains { $0.number == number }
      }
      let first = order.prefix(seen.count).count { seen.contains($0) }
      #expect(first * 10 >= seen.count * 9, "\(first) of \(seen.count), seed \(seed)")
    }

    @Test func aFlingLoadsNoMoreThanWhatItStopsAt() throws {
      let transport = TestURL.origin()
      let pipeline = ImagePipeline.deterministic(transport: transport)
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget)
      for number in 0..<10_000 {
        view.setImage(ImageRequest(TestURL.face(number), style: .small), from: pipeline)
      }
      try Display.run { view.state.isShown }
      #expect(transport.requests.count == 1)
      try window.drawFrames(1)
      #expect(try window.pixels().middle == TestURL.color(9_999))
    }
  }
}
