import IkranApple
import IkranPlayback
import IkranViews
import Testing

/// Which images of a button are seen.
struct ControlStatesTests {
  @Test func everySlotOfAButtonIsFoundAgain() throws {
    for states in UInt(0)..<16 {
      for isBackground in [false, true] {
        let slot = ControlStates.slot(states, isBackground: isBackground)
        let image = try #require(ControlStates.image(of: slot))
        #expect(image.states == states && image.isBackground == isBackground)
      }
    }
  }

  @Test func aButtonIsNeitherHoveredNorChecked() {
    #expect(ControlStates.image(of: .hovered) == nil)
    #expect(ControlStates.image(of: .checked) == nil)
  }

  @Test func theImageOfTheStatesIsSeen() {
    let both = ControlStates.slot(5, isBackground: false)
    #expect(ControlStates.seen(of: [.image, both, .pressed], in: 5) == [both])
    #expect(ControlStates.seen(of: [.image, both, .pressed], in: 1) == [.pressed])
  }

  @Test func withoutOneThatOfNoStateIsSeen() {
    #expect(ControlStates.seen(of: [.image, .pressed], in: 5) == [.image])
    #expect(ControlStates.seen(of: [.pressed], in: 4).isEmpty)
  }

  @Test func theBackgroundIsBehindTheImage() {
    let behind = ControlStates.slot(1, isBackground: true)
    #expect(ControlStates.seen(of: [.image, .background, behind], in: 1) == [behind, .image])
    #expect(ControlStates.seen(of: [.image, .background], in: 1) == [.background, .image])
  }
}

/// How often a display link calls.
struct FrameDemandTests {
  @Test func withoutFollowersTheLinkStands() {
    var demand = FrameDemand()
    #expect(demand.isEmpty)
    let number = demand.add(interval: 0)
    #expect(!demand.isEmpty)
    demand.remove(number)
    demand.remove(number)
    #expect(demand.isEmpty)
  }

  @Test func aTransitionHasTheRateOfTheDisplay() {
    var demand = FrameDemand()
    _ = demand.add(interval: 0)
    _ = demand.add(interval: 100)
    #expect(demand.rate(savesPower: false) == nil)
  }

  @Test func theFastestAnimationGivesTheRate() {
    var demand = FrameDemand()
    _ = demand.add(interval: 100)
    let fast = demand.add(interval: 40)
    #expect(
      demand.rate(savesPower: false) == FrameRate(minimum: 25, maximum: 60, preferred: 25)
    )
    demand.remove(fast)
    #expect(
      demand.rate(savesPower: false) == FrameRate(minimum: 10, maximum: 60, preferred: 10)
    )
  }

  @Test(arguments: [0, 11, 40, 70_000])
  func halfOfTheFramesAreDrawnWhilePowerIsSaved(interval: Int) throws {
    var demand = FrameDemand()
    _ = demand.add(interval: interval)
    let rate = try #require(demand.rate(savesPower: true))
    let whole = demand.rate(savesPower: false)?.preferred ?? 60
    #expect(rate.preferred == whole / 2)
    #expect(rate.minimum <= rate.preferred && rate.preferred <= rate.maximum)
  }
}

/// What Core Animation does for a transition.
struct LayerMotionTests {
  @Test(arguments: Transition.Edge.allCases)
  func aUserWhoWantsNoMotionSeesAFade(edge: Transition.Edge) {
    for transition in [Transition.slide(from: edge), .wipe(from: edge), .flip(from: edge)] {
      let moving = LayerMotion(transition, reducesMotion: false, isAlone: true)
      #expect(moving != .fade)
      #expect(LayerMotion(transition, reducesMotion: true, isAlone: true) == .fade)
      #expect(LayerMotion(transition, reducesMotion: false, isAlone: false) == .fade)
    }
  }

  @Test func theCurveIsThatOfTheTransition() {
    for isEased in [true, false] {
      var transition = Transition.fade()
      transition.isEased = isEased
      let points = LayerMotion.controlPoints(isEased: isEased)
      for step in 0...20 {
        let part = Double(step) / 20
        let (x, y) = (curve(points[0], points[2], part), curve(points[1], points[3], part))
        #expect(abs(transition.eased(x) - y) < 1e-9)
      }
    }
  }

  /// A cubic curve from 0 to 1.
  private func curve(_ first: Double, _ second: Double, _ part: Double) -> Double {
    let rest = 1 - part
    return 3 * rest * rest * part * first + 3 * rest * part * part * second + part * part * part
  }

  @Test(arguments: [true, false])
  func theEdgeOfAFlipComesNearer(isYDown: Bool) {
    for edge in Transition.Edge.allCases {
      let angle = LayerMotion.angle(from: edge, at: 0.25, isYDown: isYDown)
      let (x, y) = LayerMotion.offset(of: edge, isYDown: isYDown)
      // What a rotation about the vertical axis, and one about the horizontal, add to the nearness.
      let nearness = edge == .left || edge == .right ? -x * angle : y * angle
      #expect(nearness > 0)
    }
  }

  @Test func aFlipEndsWhereItBegan() {
    for edge in Transition.Edge.allCases {
      #expect(LayerMotion.angle(from: edge, at: 0, isYDown: true) == 0)
      #expect(LayerMotion.angle(from: edge, at: 1, isYDown: true) == 0)
      let half = LayerMotion.angle(from: edge, at: 0.5, isYDown: true)
      #expect(abs(abs(half) - .pi / 2) < 1e-9)
    }
  }

  @Test(arguments: [true, false])
  func theMomentsOfAFlipHaveItsAngles(isYDown: Bool) throws {
    for edge in Transition.Edge.allCases {
      let moments = LayerMotion.flipMoments(from: edge, isYDown: isYDown)
      for step in 0..<1000 {
        let progress = Double(step) / 1000
        let next = try #require(moments.firstIndex { $0.progress > progress })
        let (from, to) = (moments[next - 1], moments[next])
        let part = (progress - from.progress) / (to.progress - from.progress)
        let angle = from.angle + (to.angle - from.angle) * part
        let expected = LayerMotion.angle(from: edge, at: progress, isYDown: isYDown)
        #expect(abs(angle - expected) < 1e-9)
      }
    }
  }

  @Test func aFlipGoesToItsOtherSideAtOnce() {
    let moments = LayerMotion.flipMoments(from: .left, isYDown: true)
    let middle = moments.filter { $0.progress == 0.5 }.map(\.angle)
    #expect(middle.count == 2)
    #expect(zip(middle, [.pi / 2, -.pi / 2]).allSatisfy { abs($0 - $1) < 1e-9 })
    #expect(zip(moments, moments.dropFirst()).allSatisfy { $0.progress <= $1.progress })
  }

  @Test func theOldPictureStaysBehindALineAndOnTheFrontOfACard() {
    #expect(LayerMotion.wipe(from: .left).showsOld(at: 0.9))
    #expect(LayerMotion.flip(from: .left).showsOld(at: 0.49))
    #expect(!LayerMotion.flip(from: .left).showsOld(at: 0.5))
    #expect(!LayerMotion.fade.showsOld(at: 0))
  }
}

/// The curls of UIKit.
struct CurlTests {
  @Test(arguments: Curl.allCases)
  func aCurlIsFoundAgain(curl: Curl) {
    let transition = curl.transition(.seconds(1))
    #expect(Curl(transition) == curl)
    #expect(transition.duration == .seconds(1))
  }

  @Test func noOtherTransitionIsACurl() {
    #expect(Curl(.fade()) == nil)
    #expect(Curl(.custom(id: "zoom") { _ in Transition.Moment() }) == nil)
  }

  @Test(arguments: Curl.allCases)
  func whatDrawsNoCurlsFades(curl: Curl) {
    let transition = curl.transition(.seconds(1))
    #expect(LayerMotion(transition, reducesMotion: false, isAlone: true) == .fade)
  }
}

/// The room of a view.
struct ViewRoomTests {
  @Test func sidesAreWholePoints() throws {
    let room = try #require(ViewRoom.points((10.2, 20), in: nil, isLaidOut: false))
    #expect(room == (11, 20))
  }

  @Test func aSideWithoutALengthIsLeftToThePicture() throws {
    #expect(ViewRoom.points((100, 0), in: (320, 480), isLaidOut: false) == nil)
    let room = try #require(ViewRoom.points((100, 0), in: (320, 480), isLaidOut: true))
    #expect(room == (100, 0))
  }

  @Test func aViewWithoutASizeHasThatOfItsWindow() throws {
    let room = try #require(ViewRoom.points((0, 0), in: (320, 480), isLaidOut: true))
    #expect(room == (320, 480))
    #expect(ViewRoom.points((0, 0), in: nil, isLaidOut: true) == nil)
  }

  @Test func noSizeIsTooLarge() throws {
    let room = try #require(ViewRoom.points((.infinity, 1e300), in: nil, isLaidOut: true))
    #expect(room == (1_000_000, 1_000_000))
    #expect(ViewRoom.points((.nan, 4), in: nil, isLaidOut: false) == nil)
  }
}

/// What becomes of a pipeline as its app goes and returns.
struct SuspensionStateTests {
  private enum Step { case leaves, returns, isLocked, isUnlocked, isSuspended }

  /// What the state says to each step: whether to suspend, to resume, to resume late.
  private static func said(_ steps: [Step]) -> [Bool] {
    var state = SuspensionState()
    return steps.map { step in
      switch step {
      case .leaves: state.begin(.background)
      case .returns: state.end(.background)
      case .isLocked: state.begin(.lock)
      case .isUnlocked: state.end(.lock)
      case .isSuspended: state.didSuspend()
      }
    }
  }

  @Test func anAppThatReturnsResumes() {
    #expect(Self.said([.leaves, .isSuspended, .returns]) == [true, false, true])
  }

  @Test func anAppThatReturnsEarlyResumesOnceThePipelineIsSuspended() {
    #expect(Self.said([.leaves, .returns, .isSuspended]) == [true, false, true])
  }

  @Test func anAppThatHasLeftAgainStaysSuspended() {
    let said = Self.said([.leaves, .returns, .leaves, .isSuspended, .returns])
    #expect(said == [true, false, false, false, true])
  }

  @Test func anAppThatReturnsToALockedDeviceStaysSuspended() {
    let said = Self.said([.leaves, .isLocked, .isSuspended, .returns, .isUnlocked])
    #expect(said == [true, false, false, false, true])
  }

  @Test func anUnlockedDeviceDoesNotWakeAnAppInTheBackground() {
    let said = Self.said([.isLocked, .isSuspended, .leaves, .isUnlocked, .returns])
    #expect(said == [true, false, false, false, true])
  }

  @Test func anAppThatReturnsWhileFilesAreRemovedNeedNotBeSuspended() {
    var state = SuspensionState()
    let began = state.begin(.background)
    let resumed = state.end(.background)
    let isWanted = state.isWanted
    #expect(began && !resumed && !isWanted)
    let ended = state.didSuspend()
    let beganAgain = state.begin(.background)
    #expect(ended && beganAgain)
  }

  @Test func theSecondNotificationOfTheSameChangesNothing() {
    #expect(Self.said([.returns, .leaves, .leaves]) == [false, true, false])
  }
}
