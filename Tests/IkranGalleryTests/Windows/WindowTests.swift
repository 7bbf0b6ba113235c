import IkranCodecs
import IkranStores
import Support
import Testing

@testable import ikran_gallery

/// The window, and what it does by itself.
@MainActor
@Suite(.serialized, .enabled(if: Stage.hasDisplay, "there is no display"))
struct WindowTests: WindowSuite {
  let stage: Stage

  init() throws { stage = try Stage() }

  @Test func aCellWithoutItsPictureSaysWhy() throws {
    try Files.create(pictures + "/broken.png", Array("no picture".utf8))
    let gallery = try gallery()
    let tooltip = try #require(gallery.binder.bound.keys.first?.box.tooltip)
    #expect(tooltip.hasPrefix("broken.png: "))
    #expect(tooltip.count > "broken.png: ".count)
  }

  @Test func aCellWithItsPictureHasItsCaptionAlone() throws {
    try create("a.jpg")
    let gallery = try gallery()
    #expect(gallery.binder.bound.count == 1)
    #expect(gallery.binder.bound.keys.first?.box.tooltip == nil)
  }

  @Test func theWindowEndsWithTheGallery() throws {
    for name in ["a.jpg", "b.jpg"] { try create(name) }
    let count = Window.count
    weak var gone: DetailPage?
    do {
      let gallery = try gallery()
      #expect(gallery.open(named: "a.jpg", factor: 4))
      run { gallery.detail?.zoomed.isShown == true }
      gone = gallery.detail
      #expect(Window.count == count + 1)
    }
    #expect(Window.count == count)
    #expect(gone == nil)
  }

  @Test func aScreenshotIsOfTheNextFrame() throws {
    try create("a.jpg")
    let (gallery, path) = (try gallery(), folder.path + "/shot.png")
    gallery.header?.show(picture: "another name")
    #expect(gallery.window.texture() == nil)
    var isWritten: Bool?
    Screenshot(gallery, Output(program: "test")).drawNext { isWritten = $0.save(to: path) }
    run { isWritten != nil }
    #expect(isWritten == true)
    #expect(Files.exists(path))
  }

  /// A picture by a camera that is called M1.
  private func createPhoto(_ name: String) throws {
    // A directory of one entry: the model.
    let block: [UInt8] =
      [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x10, 1, 2, 0, 4, 0, 0, 0]
      + Array("M1\0\0".utf8) + [0, 0, 0, 0]
    let photo = ImageMetadata(exif: block).embedded(in: try Fixtures.bytes("areas-444.jpg"))
    try Files.create(pictures + "/" + name, photo)
  }

  @Test func whatTheCameraWroteIsShown() throws {
    try createPhoto("a.jpg")
    try create("b.jpg")
    let gallery = try gallery()
    #expect(gallery.open(named: "a.jpg"))
    run { gallery.isSettled }
    #expect(gallery.detail?.side.cameraValues == [.camera: "M1"])
    gallery.step(1)
    run { gallery.isSettled }
    #expect(gallery.detail?.side.cameraValues.isEmpty == true)
  }

  @Test func ofAFileThatIsNoPictureAnyMoreNothingIsShown() throws {
    try createPhoto("a.jpg")
    let gallery = try gallery()
    #expect(gallery.open(named: "a.jpg", factor: 4))
    run { gallery.isSettled && gallery.detail?.factor == 4 }
    #expect(gallery.detail?.side.cameraValues == [.camera: "M1"])
    let path = pictures + "/a.jpg"
    try Files.writeAtomically(Array("no picture".utf8), to: path, durable: false, mode: 0o666)
    run { gallery.detail?.side.cameraValues.isEmpty == true }
    #expect(gallery.detail?.side.cameraValues.isEmpty == true)
    #expect(gallery.detail?.factor == nil)
  }

  @Test func filesThatComeAndGoAreShownWithoutAKey() throws {
    for name in ["a.jpg", "c.jpg"] { try create(name) }
    let gallery = try gallery()
    try create("b.jpg")
    run { gallery.shown.count == 3 }
    #expect(names(in: gallery) == ["a.jpg", "b.jpg", "c.jpg"])
    _ = try Files.remove(pictures + "/a.jpg")
    run { gallery.shown.count == 2 }
    #expect(names(in: gallery) == ["b.jpg", "c.jpg"])
  }

  @Test func filesInANewFolderAreShownToo() throws {
    try create("a.jpg")
    let gallery = try gallery()
    try Files.createDirectories(pictures + "/in")
    try create("in/b.jpg")
    run { gallery.shown.count == 2 }
    try create("in/c.jpg")
    run { gallery.shown.count == 3 }
    #expect(names(in: gallery) == ["a.jpg", "b.jpg", "c.jpg"])
  }

  @Test func aNewFileLeavesThePlaceOfTheGrid() throws {
    for number in 100..<400 { try create("\(number).jpg") }
    let gallery = try gallery()
    run { gallery.grid.lastOffset > 1000 }
    gallery.grid.offset = 1000
    run { gallery.isSettled }
    try create("999.jpg")
    run { gallery.shown.count == 301 && gallery.isSettled }
    #expect(gallery.grid.offset == 1000)
  }

  @Test func afterALargePictureThatGoesTheNextIsShown() throws {
    for name in ["a.jpg", "b.jpg", "c.jpg"] { try create(name) }
    let gallery = try gallery()
    #expect(gallery.open(named: "b.jpg"))
    _ = try Files.remove(pictures + "/b.jpg")
    run { gallery.shown.count == 2 }
    #expect(gallery.opened.map { gallery.binder.items[$0].name } == "c.jpg")
  }
}
