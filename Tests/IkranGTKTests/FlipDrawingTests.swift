import IkranGTK
import Support
import Testing

extension GTKTests {
  /// A card as a widget draws it while it turns.
  @Suite @MainActor
  struct FlipDrawingTests {
    init() throws { try Display.open() }

    /// The pixels of a flip from green to image 1 of 40 × 40 points, `time` of its 1000 ms gone.
    private func picture(_ edge: Transition.Edge, at time: Int) throws -> Bitmap {
      try DrawnTransition.picture(.flip(from: edge, .seconds(1)), at: time)
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
