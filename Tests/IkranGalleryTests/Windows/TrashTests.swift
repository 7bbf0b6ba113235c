import IkranStores
import Support
import Testing

@testable import ikran_gallery

/// Pictures that are moved to the trash, and put back.
@MainActor
@Suite(
  .serialized,
  .enabled(if: Stage.hasDisplay, "there is no display"),
  .enabled(if: Stage.hasTrash, "files of the temporary folder are not on the home's disk")
)
struct TrashTests: WindowSuite {
  let stage: Stage

  init() throws { stage = try Stage() }

  /// A window with three pictures, of which the second is shown large and then moved to the trash.
  private func galleryWithoutB() throws -> Gallery {
    for name in ["a.jpg", "b.jpg", "c.jpg"] { try create(name) }
    let gallery = try gallery()
    #expect(gallery.open(named: "b.jpg"))
    #expect(gallery.window.press("Delete"))
    run { gallery.files.bar.text != nil && gallery.shown.count == 2 }
    return gallery
  }

  private func undo(in gallery: Gallery) throws {
    let said = gallery.files.bar.text
    let button = try #require(gallery.window.button("Undo"))
    button.click()
    run { gallery.files.bar.text != nil && gallery.files.bar.text != said }
  }

  @Test func deleteMovesALargePictureToTheTrashAndShowsTheNext() throws {
    let gallery = try galleryWithoutB()
    #expect(!Files.exists(pictures + "/b.jpg"))
    #expect(gallery.opened.map { gallery.binder.items[$0].name } == "c.jpg")
    #expect(gallery.files.bar.text == "“b.jpg” is in the trash.")
  }

  @Test func deleteMovesThePictureOfTheFocusedCell() throws {
    try create("a.jpg")
    let gallery = try gallery()
    gallery.grid.focusCells()
    run { gallery.grid.focused != nil }
    #expect(gallery.window.press("Delete"))
    run { gallery.shown.isEmpty }
    #expect(!Files.exists(pictures + "/a.jpg"))
  }

  @Test func undoPutsThePictureBack() throws {
    let gallery = try galleryWithoutB()
    try undo(in: gallery)
    run { gallery.shown.count == 3 }
    #expect(Files.exists(pictures + "/b.jpg"))
    #expect(names(in: gallery) == ["a.jpg", "b.jpg", "c.jpg"])
    #expect(gallery.files.bar.text == "“b.jpg” is back.")
  }

  @Test func undoReplacesNoOtherFile() throws {
    let gallery = try galleryWithoutB()
    try Files.create(pictures + "/b.jpg", [1])
    try undo(in: gallery)
    #expect(gallery.files.bar.text?.hasPrefix("“b.jpg” stays in the trash: ") == true)
    #expect(Files.size(pictures + "/b.jpg") == 1)
  }

  @Test func whatCannotBeMovedStaysAndTheReasonIsSaid() throws {
    let list = folder.path + "/list"
    try Files.create(list, Array("none.png\n".utf8))
    let gallery = try gallery(of: .list(list))
    gallery.files.moveToTrash(gallery.shown[0])
    run { gallery.files.bar.text != nil }
    #expect(gallery.files.bar.text?.hasPrefix("“none.png” stays where it is: ") == true)
    #expect(gallery.shown.count == 1)
  }

  @Test func theTrashSaysWhereAFileWas() throws {
    let text = "[Trash Info]\nPath=/a/b%20c.jpg\nDeletionDate=2024-05-06T07:08:09\n"
    let info = try #require(TrashInfo(text))
    #expect(info.path == "/a/b c.jpg")
    #expect(info.date == "2024-05-06T07:08:09")
    #expect(TrashInfo("[Trash Info]\n") == nil)
  }
}
