import CGTK
import Ikran
import IkranGTK
import IkranStores
import Support
import Testing

@testable import ikran_gallery

/// A large picture that is zoomed.
@MainActor
@Suite(.serialized, .enabled(if: Stage.hasDisplay, "there is no display"))
struct ZoomedPictureTests: WindowSuite {
  let stage: Stage

  init() throws { stage = try Stage() }

  /// Writes a picture that no room of these tests has all pixels of.
  private func createLarge(_ name: String, width: Int = 1_500, height: Int = 1_000) throws {
    var canvas = try Canvas(size: PixelSize(width: width, height: height), format: .bgrx)
    canvas.fill(RoundedShape(canvas.size), with: Color(red: 40, green: 120, blue: 200))
    let file = try canvas.finish().encoded(as: .jpeg(quality: 60))
    try Files.writeAtomically(file, to: pictures + "/" + name, durable: false, mode: 0o666)
  }

  private func opened(
    _ name: String,
    factor: Double? = nil
  ) throws -> (gallery: Gallery, page: DetailPage) {
    let gallery = try gallery(size: PixelSize(width: 800, height: 500))
    #expect(gallery.open(named: name, factor: factor))
    run { gallery.isSettled && gallery.detail?.factor == factor }
    return (gallery, try #require(gallery.detail))
  }

  @Test func aZoomedStillIsShownByItsTiles() throws {
    try createLarge("a.jpg")
    let (gallery, page) = try opened("a.jpg")
    defer { withExtendedLifetime(gallery) {} }
    let decodes = gallery.decodes
    #expect(gallery.window.press("1"))
    run { gallery.isSettled }
    #expect(page.factor == 1)
    #expect(page.zoomed.isShown)
    // What lies around the middle.
    let region = try #require(page.zoomed.visibleRegion)
    #expect(region.size.width == page.zoomed.picture.width * gallery.window.scale)
    #expect(abs(2 * region.x + region.size.width - 1_500) <= 2)
    #expect(page.zoomed.memoryBytes <= ZoomView.maximumMemoryBytes)
    // Its full size is neither decoded by the pipelines nor kept.
    #expect(gallery.decodes == decodes)
    let item = try #require(gallery.opened.map { gallery.binder.items[$0] })
    let request = ImageRequest(location: item.location, style: .original)
    #expect(gallery.pipelines.withTables.cached(for: request) == nil)
    #expect(gallery.pipelines.withoutTables.cached(for: request) == nil)
  }

  @Test func theWholePictureIsSeenAgain() throws {
    try createLarge("a.jpg")
    let (gallery, page) = try opened("a.jpg", factor: 2)
    defer { withExtendedLifetime(gallery) {} }
    #expect(page.zoomed.isShown)
    #expect(gtk_widget_get_opacity(page.zoomArea.picture.pointer) == 0)
    #expect(gallery.window.press("0"))
    run { gallery.isSettled }
    #expect(page.factor == nil)
    #expect(!page.zoomed.isShown)
    #expect(page.zoomed.memoryBytes == 0)
    #expect(gtk_widget_get_opacity(page.zoomArea.picture.pointer) == 1)
  }

  @Test func aPictureIsTurnedUntilAnotherOneIsShown() throws {
    for name in ["a.jpg", "b.jpg"] { try createLarge(name) }
    let (gallery, page) = try opened("a.jpg", factor: 1)
    defer { withExtendedLifetime(gallery) {} }
    #expect(gallery.window.press("r"))
    run { gallery.isSettled }
    #expect(page.factor == nil)
    #expect(page.size == PixelSize(width: 1_000, height: 1_500))
    let shown = try #require(page.zoomArea.picture.imageTarget.image?.size)
    #expect(abs(shown.height * 2 - shown.width * 3) <= 3)
    #expect(gallery.window.press("1"))
    run { gallery.isSettled }
    #expect(page.zoomed.isShown)
    #expect(page.zoomed.visibleRegion.map { $0.y + $0.size.height / 2 } == 750)
    #expect(gallery.window.press("<Shift>r"))
    #expect(page.size == PixelSize(width: 1_500, height: 1_000))
    #expect(gallery.window.press("r"))
    gallery.step(1)
    run { gallery.isSettled }
    #expect(page.size == PixelSize(width: 1_500, height: 1_000))
  }

  @Test func keysThatAreFasterThanTheDecoderAreFollowed() throws {
    try createLarge("a.jpg")
    let (gallery, page) = try opened("a.jpg")
    defer { withExtendedLifetime(gallery) {} }
    gallery.window.press("1")
    #expect(page.zoomed.isLoading)
    for _ in 0..<3 { gallery.window.press("plus") }
    #expect(page.zoomed.isLoading)
    let factor = page.factor
    #expect(factor ?? 0 > 2.7)
    run { gallery.isSettled }
    #expect(page.zoomed.factor == factor)
    gallery.window.press("1")
    gallery.window.press("0")
    #expect(page.factor == nil)
  }

  @Test func theNextPictureIsShownAsAWhole() throws {
    for name in ["a.jpg", "b.jpg"] { try createLarge(name) }
    let (gallery, page) = try opened("a.jpg", factor: 1)
    defer { withExtendedLifetime(gallery) {} }
    gallery.step(1)
    #expect(page.factor == nil)
    #expect(!page.zoomed.isShown)
    run { gallery.isSettled }
    #expect(page.factor == nil)
    #expect(!page.zoomed.isShown)
  }

  @Test func theGridHasTheKeyboardWhereTheLastPictureIs() throws {
    for number in 0..<60 { try createLarge("\(number).jpg", width: 40, height: 30) }
    let (gallery, _) = try opened("0.jpg")
    gallery.step(50)
    run { gallery.isSettled }
    #expect(gallery.window.press("Escape"))
    run { gallery.grid.focused?.number == 50 }
    #expect(gallery.grid.focused?.number == 50)
  }

  @Test func theGridEndsTheZoom() throws {
    try createLarge("a.jpg")
    let (gallery, page) = try opened("a.jpg", factor: 1)
    defer { withExtendedLifetime(gallery) {} }
    gallery.close()
    #expect(!page.zoomed.isShown)
    #expect(page.zoomed.memoryBytes == 0)
  }

  @Test func anAnimationPlaysOnInItsScroller() throws {
    try create("a.webp", as: "animation-3-frames.webp")
    let (gallery, page) = try opened("a.webp", factor: 16)
    defer { withExtendedLifetime(gallery) {} }
    #expect(!page.zoomed.isShown && !page.zoomed.isLoading)
    let target = page.zoomArea.picture.imageTarget
    let width = 48 * 16 / gallery.window.scale
    run { page.zoomArea.picture.width == width && target.player?.shownFrame == 2 }
    #expect(page.zoomArea.picture.width == width)
    #expect(target.image?.size == PixelSize(width: 48, height: 32))
    #expect(target.player?.shownFrame == 2)
  }

  @Test func aFileThatHasChangedIsShownInTheSamePlace() throws {
    try createLarge("a.jpg")
    let (gallery, page) = try opened("a.jpg", factor: 2)
    defer { withExtendedLifetime(gallery) {} }
    try createLarge("a.jpg", width: 750, height: 1_500)
    run { page.size == PixelSize(width: 750, height: 1_500) && gallery.isSettled }
    #expect(page.zoomed.isShown)
    #expect(page.factor == 2)
    let region = try #require(page.zoomed.visibleRegion)
    #expect(abs(2 * region.x + region.size.width - 750) <= 2)
    #expect(abs(2 * region.y + region.size.height - 1_500) <= 2)
  }

  @Test func aFileThatIsNoPictureAnyMoreEndsTheZoom() throws {
    try createLarge("a.jpg")
    let (gallery, page) = try opened("a.jpg", factor: 2)
    defer { withExtendedLifetime(gallery) {} }
    let path = pictures + "/a.jpg"
    try Files.writeAtomically(Array("no picture".utf8), to: path, durable: false, mode: 0o666)
    run { page.factor == nil }
    #expect(page.factor == nil)
    #expect(!page.zoomed.isShown)
    guard case .failed = page.zoomArea.picture.imageTarget.state else {
      Issue.record("It is not said to have failed.")
      return
    }
  }

  @Test func aFileThatIsCutOffIsZoomedAsFarAsItGoes() throws {
    try create("a.jpg", as: "truncated-in-scan.jpg")
    let (gallery, page) = try opened("a.jpg", factor: 4)
    defer { withExtendedLifetime(gallery) {} }
    #expect(page.factor == 4)
    #expect(page.zoomed.isShown)
  }

  @Test func aStillThatBecomesAnAnimationIsShownAsAWhole() throws {
    try createLarge("a.webp")
    let (gallery, page) = try opened("a.webp", factor: 2)
    defer { withExtendedLifetime(gallery) {} }
    #expect(page.zoomed.isShown)
    let file = try Fixtures.bytes("animation-3-frames.webp")
    try Files.writeAtomically(file, to: pictures + "/a.webp", durable: false, mode: 0o666)
    run { page.factor == nil && gallery.isSettled }
    #expect(page.factor == nil)
    #expect(!page.zoomed.isShown)
    #expect(page.zoomArea.picture.imageTarget.player != nil)
  }

  @Test func theFittedPictureIsEnlargedUntilTheZoomedOneIsThere() throws {
    try createLarge("a.jpg")
    let (gallery, page) = try opened("a.jpg")
    defer { withExtendedLifetime(gallery) {} }
    gallery.window.press("1")
    #expect(page.zoomed.isLoading)
    var size: (width: CInt, height: CInt) = (0, 0)
    gtk_widget_get_size_request(page.zoomArea.picture.pointer, &size.width, &size.height)
    #expect(size == (1_500 / CInt(gallery.window.scale), 1_000 / CInt(gallery.window.scale)))
    run { gallery.isSettled }
    #expect(page.zoomed.isShown)
    gtk_widget_get_size_request(page.zoomArea.picture.pointer, &size.width, &size.height)
    #expect(size == (-1, -1))
  }

  @Test func aPictureThatIsMovedBeforeItIsThereStaysThere() throws {
    try createLarge("a.jpg")
    let (gallery, page) = try opened("a.jpg")
    defer { withExtendedLifetime(gallery) {} }
    gallery.window.press("1")
    #expect(!gallery.window.press("Right"))
    #expect(page.zoomArea.press("Right"))
    #expect(page.zoomed.isLoading)
    run { gallery.isSettled }
    let region = try #require(page.zoomed.visibleRegion)
    let way = Double(region.x) + Double(region.size.width) / 2 - 750
    #expect(abs(way - Double(region.size.width) / 10) <= 2)
  }

  @Test func keysThatZoomGiveThePictureTheArrows() throws {
    for name in ["a.jpg", "b.jpg"] { try createLarge(name) }
    let (gallery, page) = try opened("a.jpg")
    #expect(page.side.panel.hasFocus)
    gallery.window.press("plus")
    run { gallery.isSettled }
    #expect(page.zoomed.picture.hasFocus)
    #expect(!gallery.window.press("Right"))
    gallery.window.press("0")
    run { gallery.isSettled }
    #expect(gallery.window.press("Right"))
    #expect(gallery.opened.map { gallery.binder.items[$0].name } == "b.jpg")
  }

  @Test func arrowsMoveAZoomedAnimationUpToItsEdge() throws {
    try create("a.webp", as: "animation-3-frames.webp")
    try createLarge("b.jpg")
    let (gallery, page) = try opened("a.webp", factor: 16)
    run { page.zoomArea.offset.x > 0 }
    gallery.window.press("plus")
    #expect(!gallery.window.press("Right"))
    let before = page.zoomArea.offset.x
    #expect(page.zoomArea.press("Right"))
    #expect(page.zoomArea.offset.x > before)
    while page.zoomArea.press("Right") {}
    #expect(page.layers.press("Right"))
    #expect(gallery.opened.map { gallery.binder.items[$0].name } == "b.jpg")
  }

  @Test func aZoomedPictureWithTheKeyboardHasTheArrowsFirst() throws {
    for name in ["a.jpg", "b.jpg"] { try createLarge(name) }
    let (gallery, page) = try opened("a.jpg")
    defer { withExtendedLifetime(gallery) {} }
    // It has the focus where it is shown.
    if page.frame.isSideShown { gallery.window.press("i") }
    #expect(gallery.window.press("1"))
    run { gallery.isSettled }
    #expect(page.zoomed.picture.hasFocus)
    #expect(!gallery.window.press("Right"))
    #expect(gallery.opened.map { gallery.binder.items[$0].name } == "a.jpg")
    // Those that it leaves show the next picture.
    #expect(page.layers.press("Right"))
    #expect(gallery.opened.map { gallery.binder.items[$0].name } == "b.jpg")
    #expect(page.zoomArea.hasFocus)
    #expect(gallery.window.press("Left"))
    #expect(gallery.opened.map { gallery.binder.items[$0].name } == "a.jpg")
  }
}
