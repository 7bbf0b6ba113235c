import IkranGTK
import IkranPixels
import Testing

@testable import ikran_gallery

/// The size of the grid's cells.
@MainActor
@Suite(.serialized, .enabled(if: Stage.hasDisplay, "there is no display"))
struct CellSizeTests: WindowSuite {
  let stage: Stage

  init() throws { stage = try Stage() }

  /// The width of the picture in the only cell, in pixels.
  private func loaded(in gallery: Gallery) -> Int? {
    gallery.binder.bound.keys.first?.picture.imageTarget.image?.size.width
  }

  @Test func ctrlAndPlusLoadLargerPictures() throws {
    try create("a.jpg")
    let gallery = try gallery()
    #expect(loaded(in: gallery) == 96)
    #expect(gallery.window.press("<Control>plus"))
    run { gallery.isSettled && loaded(in: gallery) == 128 }
    #expect(loaded(in: gallery) == 128)
  }

  @Test func ctrlAndMinusMakeCellsSmaller() throws {
    try create("a.jpg")
    let gallery = try gallery()
    #expect(gallery.window.press("<Control>minus"))
    #expect(gallery.binder.settings.side == 64)
  }

  @Test func theControlShowsTheSizeThatKeysChose() throws {
    try create("a.jpg")
    let gallery = try gallery()
    gallery.window.press("<Control>plus")
    let control = try #require(gallery.window.control("Size"))
    #expect(control.chosen == GridSettings.sides.firstIndex(of: 128))
  }

  @Test func overALargePictureTheKeysLeaveTheCells() throws {
    try create("a.jpg")
    let gallery = try gallery()
    #expect(gallery.open(named: "a.jpg"))
    #expect(!gallery.window.press("<Control>plus"))
    #expect(gallery.binder.settings.side == 96)
  }

  @Test func whatIsInSightStaysInSight() throws {
    for number in 100..<300 { try create("\(number).jpg") }
    let gallery = try gallery()
    run { gallery.grid.lastOffset > 1000 }
    gallery.grid.offset = 1000
    run { gallery.isSettled && !visible(in: gallery).contains("100.jpg") }
    let before = visible(in: gallery)
    gallery.window.press("<Control>plus")
    run { gallery.isSettled && cells(of: gallery).allSatisfy { $0.key.picture.width == 128 } }
    #expect(!before.isDisjoint(with: visible(in: gallery)))
  }

  private func cells(of gallery: Gallery) -> [GridView.Cell: CellBinder.Bound] {
    gallery.binder.bound.filter { gallery.grid.isVisible($0.key) }
  }

  private func visible(in gallery: Gallery) -> Set<String> {
    Set(cells(of: gallery).values.map { gallery.binder.items[$0.number].name })
  }
}
