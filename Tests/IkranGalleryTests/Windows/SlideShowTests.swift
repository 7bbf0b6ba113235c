import Testing

@testable import ikran_gallery

/// Pictures that follow each other by themselves.
@MainActor
@Suite(.serialized, .enabled(if: Stage.hasDisplay, "there is no display"))
struct SlideShowTests: WindowSuite {
  let stage: Stage

  init() throws { stage = try Stage() }

  private func gallery(showing names: [String]) throws -> Gallery {
    for name in names { try create(name) }
    let gallery = try gallery()
    gallery.slideShow.seconds = 0.05
    return gallery
  }

  private func opened(in gallery: Gallery) -> String? {
    gallery.opened.map { gallery.binder.items[$0].name }
  }

  @Test func itBeginsWithTheFirstPictureAndBeginsAgainAfterTheLast() throws {
    let gallery = try gallery(showing: ["a.jpg", "b.jpg"])
    gallery.toggleSlideShow()
    #expect(opened(in: gallery) == "a.jpg")
    run { opened(in: gallery) == "b.jpg" }
    #expect(opened(in: gallery) == "b.jpg")
    run { opened(in: gallery) == "a.jpg" }
    #expect(opened(in: gallery) == "a.jpg")
  }

  @Test func theKeyBeginsItInALargePictureAndEndsIt() throws {
    let gallery = try gallery(showing: ["a.jpg", "b.jpg"])
    #expect(gallery.open(named: "b.jpg"))
    #expect(gallery.window.press("s"))
    #expect(gallery.slideShow.isRunning)
    run { opened(in: gallery) == "a.jpg" }
    #expect(gallery.window.press("s"))
    #expect(!gallery.slideShow.isRunning)
  }

  @Test func inTheGridTheKeyIsALetterOfASearch() throws {
    let gallery = try gallery(showing: ["a.jpg"])
    #expect(!gallery.window.press("s"))
    #expect(!gallery.slideShow.isRunning)
  }

  @Test func escapeEndsIt() throws {
    let gallery = try gallery(showing: ["a.jpg", "b.jpg"])
    gallery.toggleSlideShow()
    #expect(gallery.window.press("Escape"))
    #expect(!gallery.slideShow.isRunning)
    #expect(gallery.opened == nil)
  }

  @Test func aPictureThatTheUserChoosesHasAllOfItsTime() throws {
    let gallery = try gallery(showing: ["a.jpg", "b.jpg", "c.jpg"])
    gallery.toggleSlideShow()
    run { opened(in: gallery) == "b.jpg" }
    gallery.slideShow.seconds = 3600
    #expect(gallery.window.press("Right"))
    #expect(opened(in: gallery) == "c.jpg")
    #expect(gallery.slideShow.isRunning)
  }

  @Test func withoutPicturesItDoesNotBegin() throws {
    let gallery = try gallery(showing: [])
    gallery.toggleSlideShow()
    #expect(!gallery.slideShow.isRunning)
  }
}
