import IkranCodecs
import IkranPixels
import IkranPlayback
import Support
import Testing

private typealias Pictures = TransitionPictures

@Suite(.timeLimit(.minutes(10))) struct TransitionFrameTests {
  private let store = AnimationStore(threads: 1)

  private func frame(
    _ number: Int,
    _ from: Bitmap,
    _ to: Bitmap,
    _ transition: Transition
  ) async throws -> Bitmap {
    let animation = try Animation(from: from, to: to, transition: transition, store: store)
    return try await animation.decodedFrame(at: number)
  }

  @Test(arguments: TransitionPictures.everyEffect)
  func theFirstAndTheLastFrameAreThePictures(transition: Transition) async throws {
    let from = try Pictures.picture(5, 3) { x, y in [UInt8(x), UInt8(y), 9, UInt8(20 + x)] }
    let to = try Pictures.picture(5, 3) { x, y in [UInt8(y), 7, UInt8(x), UInt8(90 + y)] }
    let first = try await frame(0, from, to, transition)
    let last = try await frame(2, from, to, transition)
    #expect(Pictures.pixels(first) == Pictures.pixels(from))
    #expect(Pictures.pixels(last) == Pictures.pixels(to))
  }

  @Test func aFadeMixesEachPairOfValues() async throws {
    let from = try Pictures.picture(256, 256) { x, _ in [UInt8(x), 0, 0, 255] }
    let to = try Pictures.picture(256, 256) { _, y in [UInt8(y), 0, 0, 255] }
    let halfway = try await frame(1, from, to, Pictures.threeFrames(.fade(Pictures.tenth)))
    for y in 0..<256 {
      #expect(Pictures.blues(halfway, row: y) == (0..<256).map { ($0 + y + 1) / 2 })
    }
  }

  @Test func aFadeMixesPremultipliedPixels() async throws {
    let from = try Pictures.plain(3, 1, [0, 0, 0, 0])
    let to = try Pictures.plain(3, 1, [50, 100, 150, 200])
    let halfway = try await frame(1, from, to, Pictures.threeFrames(.fade(Pictures.tenth)))
    #expect(Pictures.pixels(halfway).prefix(4) == [25, 50, 75, 100])
  }

  @Test func anEasedTransitionBeginsSlowly() async throws {
    let from = try Pictures.plain(1, 1, [0, 0, 0, 255])
    let to = try Pictures.plain(1, 1, [255, 255, 255, 255])
    var transition = Transition.fade(.milliseconds(100))
    transition.framesPerSecond = 50
    let slow = try await frame(1, from, to, transition)
    #expect(Pictures.blues(slow, row: 0) == [40])
    transition.isEased = false
    let even = try await frame(1, from, to, transition)
    #expect(Pictures.blues(even, row: 0) == [64])
  }

  @Test(arguments: [
    (Transition.Edge.left, [43, 44, 1, 2]),
    (.right, [3, 4, 41, 42]),
    (.top, [49, 50, 51, 52]),
    (.bottom, [9, 10, 11, 12]),
  ])
  func aSlidePushesTheOldPictureOut(edge: Transition.Edge, row: [Int]) async throws {
    let (from, to) = (try Pictures.numbered(from: 1), try Pictures.numbered(from: 41))
    let slide = Pictures.threeFrames(.slide(from: edge, Pictures.tenth))
    let halfway = try await frame(1, from, to, slide)
    #expect(Pictures.blues(halfway, row: 0) == row)
    let below = edge == .left || edge == .right ? row.map { $0 + 8 } : (0..<4).map { $0 + 1 }
    switch edge {
    case .left, .right: #expect(Pictures.blues(halfway, row: 2) == below)
    case .top: #expect(Pictures.blues(halfway, row: 2) == below)
    case .bottom: #expect(Pictures.blues(halfway, row: 2) == below.map { $0 + 40 })
    }
  }

  @Test(arguments: [
    (Transition.Edge.left, [41, 42, 3, 4], [49, 50, 11, 12]),
    (.right, [1, 2, 43, 44], [9, 10, 51, 52]),
    (.top, [41, 42, 43, 44], [9, 10, 11, 12]),
    (.bottom, [1, 2, 3, 4], [49, 50, 51, 52]),
  ])
  func aWipeMovesNeitherPicture(edge: Transition.Edge, first: [Int], third: [Int]) async throws {
    let (from, to) = (try Pictures.numbered(from: 1), try Pictures.numbered(from: 41))
    let wipe = Pictures.threeFrames(.wipe(from: edge, Pictures.tenth))
    let halfway = try await frame(1, from, to, wipe)
    #expect(Pictures.blues(halfway, row: 0) == first)
    #expect(Pictures.blues(halfway, row: 2) == third)
  }

  @Test func aFlipSqueezesTheOldPictureAndThenWidensTheNewOne() async throws {
    let from = try Pictures.plain(8, 3, [10, 10, 10, 255])
    let to = try Pictures.plain(8, 3, [90, 90, 90, 255])
    var flip = Transition.flip(from: .left, .milliseconds(100))
    flip.framesPerSecond = 50
    flip.isEased = false
    let quarter = try await frame(1, from, to, flip)
    let middle = try await frame(2, from, to, flip)
    let most = try await frame(3, from, to, flip)
    #expect(Pictures.blues(quarter, row: 1) == [0, 10, 10, 10, 10, 10, 0, 0])
    #expect(Pictures.alphas(middle, row: 1) == [0, 0, 0, 0, 0, 0, 0, 0])
    #expect(Pictures.blues(most, row: 1) == [0, 0, 90, 90, 90, 90, 90, 0])
    #expect(Pictures.alphas(most, row: 1) == [0, 0, 255, 255, 255, 255, 255, 0])
  }

  @Test(arguments: Transition.Edge.allCases, [1, 3])
  func theNearEdgeOfAFlipIsTheLongerOne(edge: Transition.Edge, number: Int) async throws {
    let (from, to) = (
      try Pictures.plain(40, 40, [10, 10, 10, 255]), try Pictures.plain(40, 40, [90, 90, 90, 255])
    )
    var flip = Transition.flip(from: edge, .milliseconds(100))
    flip.framesPerSecond = 50
    flip.isEased = false
    let picture = try await frame(number, from, to, flip)
    let rows = (0..<40).map { Pictures.alphas(picture, row: $0) }
    let isHorizontal = edge == .left || edge == .right
    var lengths: [Int] = []
    for strip in 0..<40 {
      let alphas: [Int] = isHorizontal ? rows.map { $0[strip] } : rows[strip]
      let length = alphas.reduce(0, +) / 255
      if length > 0 { lengths.append(length) }
    }
    let (first, last) = (try #require(lengths.first), try #require(lengths.last))
    // It begins near the edge that is named, and ends at the opposite one.
    let isFirstNearer = (edge == .left || edge == .top) == (number == 1)
    #expect((isFirstNearer ? first : last) >= 39)
    #expect((isFirstNearer ? last : first) <= 31)
    #expect(lengths.count < 30)
  }

  @Test(arguments: TransitionPictures.everyEffect)
  func opaquePicturesStayOpaqueWhereNothingIsUncovered(transition: Transition) async throws {
    let (from, to) = (try Pictures.numbered(from: 1), try Pictures.numbered(from: 41))
    let animation = try Animation(from: from, to: to, transition: transition, store: store)
    let uncovering =
      Pictures.everyEdge.map { Transition.flip(from: $0, Pictures.tenth) } + [Pictures.custom]
    let uncovers = uncovering.map(Pictures.threeFrames).contains(transition)
    let expected: PixelFormat = uncovers ? .bgra : .bgrx
    #expect(animation.info.hasAlpha == (expected == .bgra))
    for number in 0..<3 {
      #expect(try await animation.decodedFrame(at: number).format == expected)
    }
  }

  @Test func aPictureOfAnotherShapeIsFittedIntoTheMiddle() async throws {
    let from = try Pictures.picture(2, 2, .bgrx) { _, _ in [7, 7, 7, 255] }
    let to = try Pictures.picture(4, 8, .bgrx) { _, _ in [70, 70, 70, 255] }
    let fade = Pictures.threeFrames(.fade(Pictures.tenth))
    let first = try await frame(0, from, to, fade)
    #expect(first.size == to.size)
    #expect((0..<8).map { Pictures.alphas(first, row: $0)[0] } == [0, 0, 255, 255, 255, 255, 0, 0])
    #expect((0..<8).map { Pictures.blues(first, row: $0)[3] } == [0, 0, 7, 7, 7, 7, 0, 0])
    let last = try await frame(2, from, to, fade)
    #expect(Pictures.pixels(last) == Pictures.pixels(to))
  }

  @Test func aSmallPlaceholderOfTheSameShapeCoversThePicture() async throws {
    let from = try Pictures.picture(3, 2, .bgrx) { _, _ in [7, 7, 7, 255] }
    let to = try Pictures.picture(30, 20, .bgrx) { _, _ in [70, 70, 70, 255] }
    let first = try await frame(0, from, to, .fade())
    #expect(first.format == .bgrx)
    #expect(Set(Pictures.blues(first, row: 19)) == [7])
  }

  @Test(arguments: TransitionPictures.everyEffect)
  func aPictureOfOnePixelCanBeChanged(transition: Transition) async throws {
    let (from, to) = (
      try Pictures.plain(1, 1, [10, 10, 10, 255]), try Pictures.plain(1, 1, [90, 90, 90, 255])
    )
    let halfway = try await frame(1, from, to, transition)
    #expect(halfway.size == to.size)
    // A card is not seen from its side.
    #expect([0, 10, 50, 90].contains(Pictures.blues(halfway, row: 0)[0]))
  }

  @Test(arguments: PixelFormat.allCases)
  func picturesOfEveryFormatAreShown(format: PixelFormat) async throws {
    let from = try Pictures.picture(3, 3, format) { _, _ in [0, 0, 0, 255] }
    let to = try Pictures.picture(3, 3, .bgrx) { _, _ in [80, 80, 80, 255] }
    let halfway = try await frame(1, from, to, Pictures.threeFrames(.fade(Pictures.tenth)))
    #expect(Pictures.blues(halfway, row: 2) == [40, 40, 40])
  }

  @Test(arguments: TransitionPictures.everyEffect)
  func aStyleAppliesToEveryFrame(transition: Transition) async throws {
    let from = try Pictures.plain(40, 30, [10, 20, 30, 255])
    let to = try Pictures.plain(40, 30, [90, 80, 70, 255])
    let animation = try Animation(
      from: from,
      to: to,
      transition: transition,
      style: .circle(6),
      scale: 2,
      store: store
    )
    #expect(animation.size == PixelSize(width: 12, height: 12))
    let first = try await animation.decodedFrame(at: 0)
    let halfway = try await animation.decodedFrame(at: 1)
    let last = try await animation.decodedFrame(at: 2)
    #expect(Pictures.pixels(first) == Pictures.pixels(try from.styled(.circle(6), scale: 2)))
    #expect(halfway.size == animation.size)
    #expect(Pictures.pixels(last) == Pictures.pixels(try to.styled(.circle(6), scale: 2)))
  }

  @Test func thePicturesThemselvesAreNotChangedByAStyle() async throws {
    let from = try Pictures.plain(12, 12, [10, 20, 30, 255])
    let to = try Pictures.plain(12, 12, [90, 80, 70, 255])
    let before = Pictures.pixels(from)
    let animation = try Animation(from: from, to: to, style: .circle(12), store: store)
    for _ in 0..<2 {
      let first = try await animation.decodedFrame(at: 0)
      #expect(Pictures.alphas(first, row: 0)[0] == 0)
      animation.buffering = .none
    }
    #expect(Pictures.pixels(from) == before)
  }
}
