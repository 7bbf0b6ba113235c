import IkranPixels
import IkranPlayback
import Testing

private typealias Moment = Transition.Moment
private typealias Pictures = TransitionPictures
private typealias Placement = Transition.Placement

@Suite(.timeLimit(.minutes(10))) struct CustomTransitionTests {
  private let store = AnimationStore(threads: 1)

  /// A frame of eleven, all of which are equally far apart.
  private func frame(
    _ number: Int,
    from: Bitmap,
    to: Bitmap,
    _ transition: Transition
  ) async throws -> Bitmap {
    var transition = transition
    (transition.isEased, transition.framesPerSecond) = (false, 11)
    let animation = try Animation(from: from, to: to, transition: transition, store: store)
    #expect(animation.frameCount == 11)
    return try await animation.decodedFrame(at: number)
  }

  private func custom(_ moment: @escaping @Sendable (Double) -> Moment) -> Transition {
    .custom(id: "a test's", .seconds(1), moment: moment)
  }

  /// What is halfway between two pictures of 40 × 40 pixels, of blue 10 and blue 90.
  private func halfway(_ moment: Moment) async throws -> Bitmap {
    let from = try Pictures.plain(40, 40, [10, 10, 10, 255])
    let to = try Pictures.plain(40, 40, [90, 90, 90, 255])
    return try await frame(5, from: from, to: to, custom { _ in moment })
  }

  /// Pixels that all differ.
  private func noise(_ seed: Int, alpha: UInt8? = nil) throws -> Bitmap {
    try Pictures.picture(30, 20) { x, y in
      let value = UInt8((x * 7 + y * 31 + seed * 53) % 256)
      let alpha = alpha ?? value
      return [min(value, alpha), min(255 - value, alpha), alpha / 2, alpha]
    }
  }

  @Test(arguments: Transition.Edge.allCases, [UInt8?.none, 255])
  func aMoveOfBothPicturesIsASlide(edge: Transition.Edge, alpha: UInt8?) async throws {
    let (x, y): (Double, Double) =
      switch edge {
      case .left: (-1, 0)
      case .right: (1, 0)
      case .top: (0, -1)
      case .bottom: (0, 1)
      }
    let move = custom { progress in
      Moment(
        old: Placement(x: -x * progress, y: -y * progress),
        new: Placement(x: x * (1 - progress), y: y * (1 - progress))
      )
    }
    let (from, to) = (try noise(1, alpha: alpha), try noise(2, alpha: alpha))
    for number in 0..<11 {
      let moved = try await frame(number, from: from, to: to, move)
      let slid = try await frame(number, from: from, to: to, .slide(from: edge, .seconds(1)))
      #expect(Pictures.pixels(moved) == Pictures.pixels(slid), "\(number)")
    }
  }

  @Test func aNewPictureThatAppearsIsAFade() async throws {
    let fade = custom { Moment(new: Placement(opacity: $0)) }
    let (from, to) = (try noise(1, alpha: 255), try noise(2, alpha: 255))
    for number in 0..<11 {
      let custom = try await frame(number, from: from, to: to, fade)
      let plain = try await frame(number, from: from, to: to, .fade(.seconds(1)))
      #expect(Pictures.pixels(custom) == Pictures.pixels(plain), "\(number)")
    }
  }

  @Test func aClipThatGrowsIsAWipe() async throws {
    let wipe = custom { progress in
      Moment(
        old: Placement(clip: Transition.Area(x: progress, width: 1 - progress)),
        new: Placement(clip: Transition.Area(width: progress))
      )
    }
    let (from, to) = (try noise(1), try noise(2))
    for number in 0..<11 {
      let custom = try await frame(number, from: from, to: to, wipe)
      let plain = try await frame(number, from: from, to: to, .wipe(from: .left, .seconds(1)))
      #expect(Pictures.pixels(custom) == Pictures.pixels(plain), "\(number)")
    }
  }

  @Test func aSmallPictureStandsInTheMiddleOfTheOther() async throws {
    let picture = try await halfway(Moment(new: Placement(scale: 0.5)))
    let expected = (0..<40).map { (10..<30).contains($0) ? 90 : 10 }
    #expect(Pictures.blues(picture, row: 20) == expected)
    #expect((0..<40).map { Pictures.blues(picture, row: $0)[20] } == expected)
    #expect(Set(Pictures.blues(picture, row: 9)) == [10])
    #expect(Set(Pictures.alphas(picture, row: 10)) == [255])
  }

  @Test func aPictureBehindTheOtherIsCovered() async throws {
    let moment = Moment(old: Placement(scale: 0.5), isNewInFront: false)
    let picture = try await halfway(moment)
    #expect(Pictures.blues(picture, row: 20)[9...10] == [90, 10])
  }

  @Test func aLargePictureShowsItsMiddle() async throws {
    let from = try Pictures.plain(8, 8, [0, 0, 0, 255])
    let to = try Pictures.picture(8, 8) { x, y in [UInt8(x * 10), UInt8(y * 10), 0, 255] }
    let zoom = custom { _ in Moment(new: Placement(scale: 2)) }
    let picture = try await frame(5, from: from, to: to, zoom)
    // A column of the picture is two wide; between two middles it is a mix.
    #expect(Pictures.blues(picture, row: 4) == [18, 23, 28, 33, 38, 43, 48, 53])
  }

  @Test func theEdgeOfALargePictureIsAsClearAsTheRest() async throws {
    var place = Placement(scale: 4)
    place.x = 1.75
    let picture = try await halfway(Moment(old: Placement(opacity: 0), new: place))
    let expected = (0..<40).map { $0 < 10 ? 0 : 255 }
    #expect(Pictures.alphas(picture, row: 20) == expected)
  }

  @Test func anEdgeBetweenPixelsCoversPartOfThem() async throws {
    let place = Placement(x: 0.5125, scale: 0.5)
    let picture = try await halfway(Moment(old: Placement(opacity: 0), new: place))
    #expect(Pictures.alphas(picture, row: 20)[29...31] == [0, 128, 255])
  }

  @Test func theAxesAreScaledApart() async throws {
    var place = Placement()
    (place.scaleX, place.scaleY) = (0.5, 0.25)
    let picture = try await halfway(Moment(old: Placement(opacity: 0), new: place))
    #expect(Pictures.alphas(picture, row: 20) == (0..<40).map { 10..<30 ~= $0 ? 255 : 0 })
    #expect(Pictures.alphas(picture, row: 14)[20] == 0)
    #expect(Pictures.alphas(picture, row: 15)[20] == 255)
  }

  @Test func whatIsUncoveredIsClear() async throws {
    let away = Placement(x: 0.5)
    let picture = try await halfway(Moment(old: away, new: away))
    #expect(picture.format == .bgra)
    #expect(Pictures.alphas(picture, row: 0) == (0..<40).map { $0 < 20 ? 0 : 255 })
  }

  @Test(arguments: [
    Double.nan, .infinity, -.infinity, -1, 0, 1e-4, .leastNonzeroMagnitude, 1e18,
    .greatestFiniteMagnitude,
  ])
  func anyNumberIsDrawn(number: Double) async throws {
    let changes: [(inout Placement) -> Void] = [
      { $0.opacity = number }, { $0.x = number }, { $0.y = number }, { $0.scaleX = number },
      { $0.scaleY = number }, { ($0.scaleX, $0.scaleY) = (number, number) },
      { $0.clip = Transition.Area(x: number) }, { $0.clip = Transition.Area(y: number) },
      { $0.clip = Transition.Area(width: number) }, { $0.clip = Transition.Area(height: number) },
      { ($0.x, $0.scaleX) = (number, 1e300) },
      { $0.clip = Transition.Area(x: number, y: -number, width: number, height: number) },
    ]
    for (index, change) in changes.enumerated() {
      var place = Placement(opacity: 0.5)
      change(&place)
      let picture = try await halfway(Moment(old: place, new: place))
      #expect(picture.size == PixelSize(width: 40, height: 40), "\(index)")
      let alphas = Set((0..<40).flatMap { Pictures.alphas(picture, row: $0) })
      #expect(number.isFinite || alphas == [0], "\(index)")
    }
  }

  @Test func aHugePictureFillsTheCanvas() async throws {
    let picture = try await halfway(Moment(new: Placement(scale: 1e12)))
    #expect(Set((0..<40).flatMap { Pictures.blues(picture, row: $0) }) == [90])
  }

  @Test func anOpacityOutsideMeansTheNearest() async throws {
    let over = try await halfway(Moment(new: Placement(opacity: 7)))
    #expect(Set(Pictures.blues(over, row: 3)) == [90])
    let under = try await halfway(Moment(new: Placement(opacity: -7)))
    #expect(Set(Pictures.blues(under, row: 3)) == [10])
  }

  @Test func transitionsAreEqualByTheirNames() {
    let one = Transition.custom(id: "one") { _ in Moment() }
    #expect(one == .custom(id: "one") { _ in Moment(new: Placement(opacity: 0)) })
    #expect(one != .custom(id: "two") { _ in Moment() })
    #expect(one != .custom(id: "one", .seconds(9)) { _ in Moment() })
    #expect(one != .fade())
    #expect(Set([one, .custom(id: "one") { _ in Moment() }]).count == 1)
  }

  @Test func theProgressIsEased() async throws {
    let (from, to) = (try noise(1, alpha: 255), try noise(2, alpha: 255))
    var fade = Transition.custom(id: "fade", .seconds(1)) { progress in
      Moment(new: Placement(opacity: progress < 0.2 ? 0 : 1))
    }
    fade.framesPerSecond = 11
    for (isEased, expected) in [(true, from), (false, to)] {
      fade.isEased = isEased
      let animation = try Animation(from: from, to: to, transition: fade, store: store)
      let third = try await animation.decodedFrame(at: 2)
      #expect(Pictures.pixels(third) == Pictures.pixels(expected))
    }
  }
}
