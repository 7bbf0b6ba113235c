import Foundation
import IkranStores
import Support
import Testing

@testable import ikran_gallery

/// Windows in the process of the tests.
@MainActor
@Suite(
  .serialized,
  .enabled(if: ProcessInfo.processInfo.environment["DISPLAY"] != nil, "there is no display")
)
struct WindowTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// Shows the files of the folder until all pictures are there, or why there is none.
  private func gallery(_ settings: GridSettings) throws -> Gallery {
    let application = try #require(
      Application(name: "ikran-gallery", title: "Ikran Gallery", usesCairo: true)
    )
    let pipelines = Pipelines(
      folder: folder.path + "/c",
      origin: nil,
      memory: MemoryShares(total: 64 << 20)
    )
    let items = try ItemList.folder(folder.path)
    let gallery = Gallery(application, items, settings, pipelines)
    gallery.present(showsNumbers: false)
    let end = ContinuousClock.now + .seconds(60)
    Timer.repeating(milliseconds: 5) {
      guard !gallery.isSettled, ContinuousClock.now < end else {
        application.quit()
        return false
      }
      return true
    }
    _ = application.run {}
    gallery.window.setVisible(false)
    return gallery
  }

  @Test func aCellWithoutItsPictureSaysWhy() throws {
    try Files.create(folder.path + "/broken.png", Array("no picture".utf8))
    let gallery = try gallery(GridSettings())
    let tooltip = try #require(gallery.binder.bound.keys.first?.box.tooltip)
    #expect(tooltip.hasPrefix("broken.png: "))
    #expect(tooltip.count > "broken.png: ".count)
  }

  @Test func aCellWithItsPictureHasItsCaptionAlone() throws {
    try Files.create(folder.path + "/a.jpg", try Fixtures.bytes("areas-444.jpg"))
    let gallery = try gallery(GridSettings())
    #expect(gallery.binder.bound.count == 1)
    #expect(gallery.binder.bound.keys.first?.box.tooltip == nil)
  }
}
