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

  /// A large picture, and the area in which it is.
  private func opened(factor: Double?) throws -> (gallery: Gallery, area: ZoomArea, mouse: Mouse) {
    // At a factor of 16 it is larger than its room, also with two pixels for a point.
    let canvas = try Canvas(size: PixelSize(width: 96, height: 96), format: .bgra)
    try Files.create(pictures + "/a.png", try canvas.finish().encoded(as: .png))
    let gallery = try gallery()
    #expect(gallery.open(named: "a.png", factor: factor))
    let area = try #require(gallery.detail?.zoomArea)
    // Bars that come and go are not to be hit.
    gtk_scrolled_window_set_overlay_scrolling(area.opaque, 0)
    run { gallery.isSettled && area.isMapped && gallery.detail?.factor == factor }
    // Until it is laid out.
    run { factor == nil || area.offset.x > 0 }
    return (gallery, area, try Mouse(over: gallery.window))
  }

  @Test func ctrlAndTheWheelEnlargeALargePicture() throws {
    let (gallery, area, mouse) = try opened(factor: nil)
    act("keydown ctrl click 4 keyup ctrl", mouse, on: area) { gallery.detail?.factor != nil }
    #expect(gallery.detail?.factor ?? 0 > 1)
  }

  @Test func aDragMovesALargePicture() throws {
    let (gallery, area, mouse) = try opened(factor: 16)
    defer { withExtendedLifetime(gallery) {} }
    let before = area.offset
    let way = "mousemove_relative -- -20 -10 mousemove_relative -- -20 -10"
    act("mousedown 1 \(way) mouseup 1", mouse, on: area) { area.offset.x > before.x }
    #expect(area.offset.x > before.x)
  }

  @Test func aDragOnAScrollBarMovesTheBar() throws {
    let (gallery, area, mouse) = try opened(factor: 16)
    defer { withExtendedLifetime(gallery) {} }
    let before = area.offset
    let bar = (x: Double(area.width) / 2, y: Double(area.height - 4))
    #expect(area.isScrollBar(at: bar))
    #expect(!area.isScrollBar(at: (bar.x, bar.y / 2)))
    let way = "mousemove_relative 20 0 mousemove_relative 20 0"
    act("mousedown 1 \(way) mouseup 1", mouse, on: area, at: bar) {
      area.offset.x > before.x
    }
    // Drags of the picture go the other way.
    #expect(area.offset.x > before.x)
  }

  @Test func aDoubleClickShowsTheWholePicture() throws {
    let (gallery, area, mouse) = try opened(factor: 16)
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

  @Test func theWheelScrollsTheGrid() throws {
    for number in 10..<40 { try create("\(number).jpg") }
    let gallery = try gallery(size: PixelSize(width: 400, height: 400))
    let mouse = try Mouse(over: gallery.window)
    run { gallery.grid.lastOffset > 0 }
    act("click 5", mouse, on: gallery.grid) { gallery.grid.offset > 0 }
    #expect(gallery.grid.offset > 0)
  }
}
