import IkranPixels
import Testing

@testable import ikran_gallery

/// Windows as small as the screen of a telephone.
@MainActor
@Suite(.serialized, .enabled(if: Stage.hasDisplay, "there is no display"))
struct SmallWindowTests: WindowSuite {
  let stage: Stage
  nonisolated private static let small = PixelSize(width: 360, height: 294)
  nonisolated private static let sizes = [small, Gallery.usualSize]

  init() throws { stage = try Stage() }

  private func expectSmall(_ gallery: Gallery, at place: SourceLocation = #_sourceLocation) {
    let least = gallery.window.leastSize
    #expect(least.width <= 360 && least.height <= 294, "\(least)", sourceLocation: place)
  }

  @Test(arguments: sizes) func theGridCanBeSmall(size: PixelSize) throws {
    for name in ["a.jpg", "b.jpg"] { try create(name) }
    let gallery = try gallery(size: size)
    expectSmall(gallery)
    gallery.header?.focusSearch()
    expectSmall(gallery)
  }

  @Test(arguments: sizes) func aGridWithoutPicturesCanBeSmall(size: PixelSize) throws {
    expectSmall(try gallery(size: size))
  }

  @Test(arguments: sizes) func aLargePictureCanBeSmall(size: PixelSize) throws {
    try create("a.jpg")
    let gallery = try gallery(size: size)
    #expect(gallery.open(named: "a.jpg"))
    run { gallery.isSettled }
    expectSmall(gallery)
    gallery.window.press("i")
    expectSmall(gallery)
  }

  @Test func aLargePictureHasRoomBeforeAnyLayout() throws {
    try create("a.jpg")
    let gallery = Gallery(
      stage.application,
      try GallerySource(.folder(pictures), stills: false),
      GridSettings(),
      pipelines(),
      size: PixelSize(width: 300, height: 100)
    )
    #expect(gallery.pageSize.height > 0)
  }

  @Test func aSmallWindowShowsThePictureAlone() throws {
    try create("a.jpg")
    let gallery = try gallery(size: Self.small)
    #expect(gallery.open(named: "a.jpg"))
    run { gallery.isSettled }
    #expect(gallery.window.width <= 360 && gallery.window.height <= 294)
    #expect(gallery.detail?.isShown == true)
    #expect(gallery.detail?.frame.isSideShown == false)
  }

  @Test func aWindowThatGrowsShowsTheSideAgain() throws {
    try create("a.jpg")
    let gallery = try gallery(size: Self.small)
    #expect(gallery.open(named: "a.jpg"))
    run { gallery.isSettled }
    gallery.window.resize(width: 1100, height: 700)
    run { gallery.detail?.frame.isSideShown == true }
    #expect(gallery.detail?.frame.isSideShown == true)
  }

  @Test func theControlsFoldIntoAMenuAndComeBack() throws {
    try create("a.jpg")
    let gallery = try gallery()
    let order = try #require(gallery.window.control("Order"))
    let menu = try #require(gallery.window.control("Controls (F10)"))
    #expect(order.isMapped && !menu.isMapped)
    gallery.window.resize(width: 360, height: 294)
    run { menu.isMapped }
    #expect(menu.isMapped && !order.isMapped)
    gallery.window.resize(width: 1100, height: 700)
    run { order.isMapped }
    #expect(order.isMapped && !menu.isMapped)
  }

  @Test func aLongerChoiceFoldsTheControlsAndAShorterOneBringsThemBack() throws {
    try create("a.jpg")
    let gallery = try gallery(GridSettings(side: 96))
    let header = try #require(gallery.header)
    let needed = header.bar.widths.natural
    let width = Gallery.usualSize.width - header.bar.width + needed
    gallery.window.resize(width: width, height: 700)
    run { header.bar.width == needed }
    #expect(!header.isFolded)
    let sides = try #require(gallery.window.control("Size"))
    sides.choose(GridSettings.sides.count - 1)
    run { header.isFolded }
    #expect(header.isFolded)
    sides.choose(try #require(GridSettings.sides.firstIndex(of: 96)))
    run { !header.isFolded }
    #expect(!header.isFolded)
  }

  @Test func aChoiceOfTheMenuIsFollowed() throws {
    try create("a.jpg")
    let gallery = try gallery(size: Self.small)
    run { gallery.header?.isFolded == true }
    try #require(gallery.window.control("Size")).choose(0)
    #expect(gallery.binder.settings.side == GridSettings.sides[0])
  }

  @Test func aPictureHasTheFullScreenAlone() throws {
    try create("a.jpg")
    let gallery = try gallery()
    #expect(gallery.open(named: "a.jpg"))
    // Without a window manager only a window that is hidden can come to fill the screen.
    gallery.window.setVisible(false)
    #expect(gallery.window.press("F11"))
    gallery.window.present()
    run(until: { gallery.detail?.frame.isSideShown == false }, within: .seconds(5))
    #expect(gallery.detail?.frame.isSideShown == false)
    gallery.window.setVisible(false)
    #expect(gallery.window.press("F11"))
    gallery.window.present()
    run(until: { gallery.detail?.frame.isSideShown == true }, within: .seconds(5))
    #expect(gallery.detail?.frame.isSideShown == true)
  }

  @Test func aKeyHidesTheSideAndShowsItAgain() throws {
    for name in ["a.jpg", "b.jpg"] { try create(name) }
    let gallery = try gallery()
    #expect(gallery.open(named: "a.jpg"))
    #expect(gallery.window.press("i"))
    #expect(gallery.detail?.frame.isSideShown == false)
    #expect(gallery.detail?.zoomArea.hasFocus == true)
    gallery.step(1)
    #expect(gallery.detail?.frame.isSideShown == false)
    #expect(gallery.window.press("i"))
    #expect(gallery.detail?.frame.isSideShown == true)
  }
}
