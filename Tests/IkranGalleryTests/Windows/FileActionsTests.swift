import IkranStores
import Support
import Testing

@testable import ikran_gallery

/// What is done with files.
@MainActor
@Suite(.serialized, .enabled(if: Stage.hasDisplay, "there is no display"))
struct FileActionsTests: WindowSuite {
  let stage: Stage

  init() throws { stage = try Stage() }

  /// A window whose only cell has its menu open, by a key.
  private func galleryWithMenu(_ keys: String = "<Shift>F10") throws -> Gallery {
    try create("a b.jpg")
    let gallery = try gallery()
    gallery.grid.focusCells()
    run { gallery.grid.focused != nil }
    #expect(gallery.window.press(keys))
    return gallery
  }

  @Test(arguments: ["Menu", "<Shift>F10"])
  func keysShowTheMenuOfTheCellThatHasTheFocus(keys: String) throws {
    let gallery = try galleryWithMenu(keys)
    #expect(gallery.files.menu?.isShown == true)
    #expect(gallery.files.menu?.number == gallery.shown.first)
  }

  @Test(arguments: ["Menu", "<Shift>F10"])
  func keysShowTheMenuOfTheLargePicture(keys: String) throws {
    for name in ["a.jpg", "b.jpg"] { try create(name) }
    let gallery = try gallery()
    #expect(gallery.open(named: "b.jpg"))
    run { gallery.isSettled && gallery.detail?.layers.isMapped == true }
    #expect(gallery.window.press(keys))
    #expect(gallery.files.pictureMenu?.isShown == true)
    #expect(gallery.files.menu?.isShown == false)
    #expect(gallery.detail?.layers.activate("cell.copy") == true)
    #expect(gallery.window.copied == "b.jpg")
  }

  @Test func aPointOfACellIsThatOfItsItem() throws {
    try create("a.jpg")
    let gallery = try gallery()
    gallery.grid.focusCells()
    run { gallery.grid.focused != nil }
    let area = try #require(gallery.grid.focused?.area)
    #expect(gallery.grid.item(at: (Double(area.x + 5), Double(area.y + 5))) == gallery.shown[0])
    #expect(gallery.grid.item(at: (Double(area.x + 5), Double(gallery.grid.height - 5))) == nil)
  }

  @Test func theFileNameIsCopied() throws {
    let gallery = try galleryWithMenu()
    #expect(gallery.grid.activate("cell.copy"))
    #expect(gallery.window.copied == "a b.jpg")
  }

  @Test func aFileIsOpenedByItsURL() throws {
    let gallery = try galleryWithMenu()
    var opened: [String] = []
    gallery.files.launch = { url, _ in opened.append(url) }
    gallery.grid.activate("cell.open")
    #expect(opened == [Item(path: pictures + "/a b.jpg").location])
  }

  @Test func aDialogChoosesAnotherProgramForAFile() throws {
    let gallery = try galleryWithMenu()
    var chosen: [String] = []
    gallery.files.chooseProgram = { _, item, onEnd in
      chosen.append(item.name)
      onEnd("It does not start.")
      return nil
    }
    #expect(gallery.grid.activate("cell.program"))
    #expect(chosen == ["a b.jpg"])
    #expect(gallery.files.bar.text == "It does not start.")
  }

  @Test func itsFolderIsOpenedByItsURL() throws {
    let gallery = try galleryWithMenu()
    var opened: [String] = []
    gallery.files.launch = { url, _ in opened.append(url) }
    gallery.grid.activate("cell.folder")
    #expect(opened == [Item(path: pictures).location])
  }

  @Test func aProgramThatDoesNotStartIsSaid() throws {
    let gallery = try galleryWithMenu()
    gallery.files.launch = { _, onFailure in onFailure("There is no program.") }
    gallery.grid.activate("cell.open")
    #expect(gallery.files.bar.text == "There is no program.")
  }

  @Test(arguments: ["<Control>o", "<Control><Shift>o"])
  func keysShowADialogForFiles(keys: String) throws {
    let gallery = try gallery()
    #expect(gallery.window.press(keys))
    #expect(gallery.files.chooser?.isShown == true)
  }

  @Test func chosenFilesTakeThePlaceOfTheOthers() throws {
    try create("a.jpg")
    let gallery = try gallery()
    let other = folder.path + "/other"
    try Files.createDirectories(other)
    for name in ["b.jpg", "c.jpg"] {
      try Files.create(other + "/" + name, try Fixtures.bytes("areas-444.jpg"))
    }
    gallery.files.show([other])
    run { gallery.shown.count == 2 }
    #expect(names(in: gallery) == ["b.jpg", "c.jpg"])
  }

  @Test func aFolderThatWasChosenIsWatched() throws {
    let gallery = try gallery()
    let other = folder.path + "/other"
    try Files.createDirectories(other)
    try Files.create(other + "/b.jpg", [1])
    gallery.files.show([other])
    run { gallery.shown.count == 1 }
    try Files.create(other + "/c.jpg", [1])
    run { gallery.shown.count == 2 }
    #expect(names(in: gallery) == ["b.jpg", "c.jpg"])
  }

  @Test func aFileThatIsNotThereIsSaid() throws {
    let gallery = try gallery()
    gallery.files.show([folder.path + "/none.png"])
    run { gallery.files.bar.text != nil }
    #expect(gallery.files.bar.text?.contains("none.png") == true)
  }
}
