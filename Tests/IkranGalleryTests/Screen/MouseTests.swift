import CGTK
import IkranCodecs
import IkranPixels
import IkranStores
import Testing

@testable import ikran_gallery

/// What a real mouse does, by events of the screen.
@MainActor
@Suite(
  .serialized,
  .timeLimit(.minutes(10)),
  .enabled(if: Mouse.lack == nil, "\(Mouse.lack ?? "")")
)
struct MouseTests: WindowSuite {
  let stage: Stage

  init() throws { stage = try Stage() }

  /// Acts until a condition holds: again only where the window got nothing of it, as that of a
  /// program that other tests run may come between.
  private func act(
    _ words: String,
    _ mouse: Mouse,
    on widget: any Widget,
    at point: (x: Double, y: Double)? = nil,
    until condition: @escaping @MainActor () -> Bool
  ) {
    for _ in 0..<10 {
      let before = mouse.events
      mouse.act(words, on: widget, at: point)
      run(until: { mouse.events > before || condition() }, within: .milliseconds(1500))
      if condition() { return }
      if mouse.events > before { return run(until: condition, within: .seconds(20)) }
    }
  }

  /// A picture that is shown large, and the area in which it is.
  private func opened(
    _ name: String,
    factor: Double?
  ) throws -> (gallery: Gallery, area: ZoomArea, mouse: Mouse) {
    // The animation has its own size, in which it is larger than this window at a factor of 16,
    // also with two pixels for a point.
    let gallery = try gallery(size: PixelSize(width: 360, height: 360))
    #expect(gallery.open(named: name, factor: factor))
    let area = try #require(gallery.detail?.zoomArea)
    // Bars that come and go are not to be hit.
    gtk_scrolled_window_set_overlay_scrolling(area.opaque, 0)
    run { gallery.isSettled && area.isMapped && gallery.detail?.factor == factor }
    return (gallery, area, try Mouse(over: gallery.window))
  }

  private func openedStill(
    factor: Double?
  ) throws -> (gallery: Gallery, page: DetailPage, mouse: Mouse) {
    let canvas = try Canvas(size: PixelSize(width: 1_400, height: 1_000), format: .bgra)
    try Files.create(pictures + "/a.png", try canvas.finish().encoded(as: .png))
    let (gallery, _, mouse) = try opened("a.png", factor: factor)
    return (gallery, try #require(gallery.detail), mouse)
  }

  private func openedAnimation() throws -> (gallery: Gallery, area: ZoomArea, mouse: Mouse) {
    try create("a.webp", as: "animation-3-frames.webp")
    let all = try opened("a.webp", factor: 16)
    // Until it is laid out.
    run { all.area.offset.x > 0 }
    return all
  }

  @Test func ctrlAndTheWheelEnlargeWhatIsAtTheMouse() throws {
    let (gallery, page, mouse) = try openedStill(factor: nil)
    let room = (width: Double(page.zoomArea.width), height: Double(page.zoomArea.height))
    let point = (x: room.width / 2 + 40, y: room.height / 2 - 30)
    let scale = Double(gallery.window.scale)
    let fitting = min(room.width / 1_400, room.height / 1_000) * scale
    let pixel = (x: 700 + 40 * scale / fitting, y: 500 - 30 * scale / fitting)
    var factor = fitting
    // Turned above the fitted picture, and then above the zoomed one, which has come there.
    for _ in 0..<2 {
      let last = factor
      act("keydown ctrl click 4 keyup ctrl", mouse, on: page.zoomArea, at: point) {
        page.factor ?? 0 > last
      }
      run { gallery.isSettled }
      factor = page.factor ?? 0
      #expect(factor > last)
      let region = try #require(page.zoomed.visibleRegion)
      let middle = (
        x: Double(region.x) + Double(region.size.width) / 2,
        y: Double(region.y) + Double(region.size.height) / 2
      )
      // The mouse is at whole pixels, and those of the picture are smaller.
      #expect(abs(middle.x + 40 * scale / factor - pixel.x) < 4 / fitting)
      #expect(abs(middle.y - 30 * scale / factor - pixel.y) < 4 / fitting)
    }
  }

  @Test func theWheelEndsTheZoom() throws {
    let (gallery, page, mouse) = try openedStill(factor: nil)
    page.zoom { $0.step(1) }
    run { gallery.isSettled }
    #expect(page.zoomed.isShown)
    act("keydown ctrl click 5 keyup ctrl", mouse, on: page.zoomArea) { page.factor == nil }
    #expect(page.factor == nil)
    #expect(!page.zoomed.isShown)
    // And begins it.
    act("keydown ctrl click 4 keyup ctrl", mouse, on: page.zoomArea) { page.factor != nil }
    #expect(page.factor != nil)
    run { gallery.isSettled }
  }

  @Test func aDragMovesAZoomedPicture() throws {
    let (gallery, page, mouse) = try openedStill(factor: 1)
    defer { withExtendedLifetime(gallery) {} }
    let before = try #require(page.zoomed.visibleRegion)
    let way = "mousemove_relative -- -20 -10 mousemove_relative -- -20 -10"
    act("mousedown 1 \(way) mouseup 1", mouse, on: page.zoomArea) {
      page.zoomed.visibleRegion?.x ?? 0 > before.x
    }
    let after = try #require(page.zoomed.visibleRegion)
    #expect(after.x > before.x && after.y > before.y)
    #expect(page.zoomed.picture.hasFocus)
  }

  @Test func aDragMovesAnAnimation() throws {
    let (gallery, area, mouse) = try openedAnimation()
    defer { withExtendedLifetime(gallery) {} }
    let before = area.offset
    let way = "mousemove_relative -- -5 -3 mousemove_relative -- -5 -3"
    act("mousedown 1 \(way) mouseup 1", mouse, on: area) { area.offset.x > before.x }
    #expect(area.offset.x > before.x)
  }

  @Test func aDragOnAScrollBarMovesTheBar() throws {
    let (gallery, area, mouse) = try openedAnimation()
    defer { withExtendedLifetime(gallery) {} }
    let before = area.offset
    let bar = (x: Double(area.width) / 2, y: Double(area.height - 4))
    #expect(area.isScrollBar(at: bar))
    #expect(!area.isScrollBar(at: (bar.x, bar.y / 2)))
    let way = "mousemove_relative 5 0 mousemove_relative 5 0"
    act("mousedown 1 \(way) mouseup 1", mouse, on: area, at: bar) {
      area.offset.x > before.x
    }
    // Drags of the picture go the other way.
    #expect(area.offset.x > before.x)
  }

  @Test func aDoubleClickShowsTheWholePicture() throws {
    let (gallery, page, mouse) = try openedStill(factor: 1)
    defer { withExtendedLifetime(gallery) {} }
    act("click --repeat 2 --delay 40 1", mouse, on: page.zoomArea) { page.factor == nil }
    #expect(page.factor == nil)
    #expect(!page.zoomed.isShown)
  }

  @Test func aDoubleClickShowsAnAnimationAsAWhole() throws {
    let (gallery, area, mouse) = try openedAnimation()
    act("click --repeat 2 --delay 40 1", mouse, on: area) { gallery.detail?.factor == nil }
    #expect(gallery.detail?.factor == nil)
  }

  @Test func aRightClickOnACellShowsItsMenu() throws {
    try create("a.jpg")
    let gallery = try gallery()
    let mouse = try Mouse(over: gallery.window)
    let cell = try #require(gallery.binder.bound.keys.first)
    act("click 3", mouse, on: cell.picture) { gallery.files.menu?.isShown == true }
    #expect(gallery.files.menu?.number == gallery.shown.first)
    let corner = (x: 8.0, y: Double(gallery.grid.height - 8))
    act("click 1", mouse, on: gallery.grid, at: corner) {
      gallery.files.menu?.isShown == false
    }
    #expect(gallery.files.menu?.isShown == false)
  }

  @Test(arguments: [nil, 1.0])
  func aRightClickOnALargePictureShowsItsMenu(factor: Double?) throws {
    let (gallery, page, mouse) = try openedStill(factor: factor)
    act("click 3", mouse, on: page.zoomArea) { gallery.files.pictureMenu?.isShown == true }
    #expect(gallery.files.pictureMenu?.isShown == true)
    #expect(gallery.files.pictureMenu?.number == gallery.opened)
    gallery.files.closeMenus()
    run { page.hasPictureFocus }
    #expect(page.hasPictureFocus)
  }

  @Test func theWheelScrollsTheGrid() throws {
    for number in 10..<40 { try create("\(number).jpg") }
    let gallery = try gallery(size: PixelSize(width: 400, height: 400))
    let mouse = try Mouse(over: gallery.window)
    run { gallery.grid.lastOffset > 0 }
    act("click 5", mouse, on: gallery.grid) { gallery.grid.offset > 0 }
    #expect(gallery.grid.offset > 0)
  }
}
