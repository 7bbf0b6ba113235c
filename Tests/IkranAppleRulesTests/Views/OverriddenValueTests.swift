import IkranApple
import IkranPixels
import Testing

/// A property of a view that pictures override.
struct OverriddenValueTests {
  private enum Mode { case fit, fill, stretch }

  @Test func whatNoPictureAsksForStays() {
    var mode = OverriddenValue<Mode>()
    #expect(mode.value(for: nil, over: .fill) == .fill)
    #expect(mode.own(.fill) == .fill)
  }

  @Test func theProgramsOwnIsSetAgainAfterAPicture() {
    var mode = OverriddenValue<Mode>()
    #expect(mode.value(for: .stretch, over: .fill) == .stretch)
    #expect(mode.own(.stretch) == .fill)
    #expect(mode.value(for: nil, over: .stretch) == .fill)
    #expect(mode.value(for: nil, over: .fill) == .fill)
  }

  @Test func onePictureAfterAnotherLeavesTheProgramsOwn() {
    var mode = OverriddenValue<Mode>()
    #expect(mode.value(for: .stretch, over: .fill) == .stretch)
    #expect(mode.value(for: .fit, over: .stretch) == .fit)
    #expect(mode.value(for: nil, over: .fit) == .fill)
  }

  @Test func whatAProgramSetsWhileAPictureIsShownIsItsOwn() {
    var mode = OverriddenValue<Mode>()
    #expect(mode.value(for: .stretch, over: .fill) == .stretch)
    #expect(mode.own(.fit) == .fit)
    #expect(mode.value(for: nil, over: .fit) == .fit)
  }

  @Test func coreGraphicsSharesAllFormatsButOne() {
    #expect(CoreGraphicsLayout.formats == [.bgra, .bgrx, .gray, .bgr555])
  }
}
