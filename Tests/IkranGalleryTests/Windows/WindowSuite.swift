import Foundation
import IkranPixels
import IkranStores
import Support
import Testing

@testable import ikran_gallery

/// Tests with windows in their own process.
@MainActor
protocol WindowSuite {
  var stage: Stage { get }
}

/// What such a test begins with: a display, and a folder for pictures.
@MainActor
struct Stage {
  nonisolated static let hasDisplay = ProcessInfo.processInfo.environment["DISPLAY"] != nil

  /// The folder of the program's trash, which is not the user's own.
  ///
  /// GLib asks for it once.
  nonisolated static let dataHome: TemporaryDirectory? = {
    guard let folder = try? TemporaryDirectory() else { return nil }
    setenv("XDG_DATA_HOME", folder.path, 1)
    atexit { if let path = Stage.dataHome?.path { try? Files.removeTree(path) } }
    return folder
  }()

  /// Whether the temporary folder is on the disk that the program's trash is for.
  nonisolated static let hasTrash: Bool = {
    let home = getenv("HOME").map { String(cString: $0) } ?? "/"
    return Files.identity("/tmp")?.device == Files.identity(home)?.device
  }()

  let folder: TemporaryDirectory
  let pictures: String
  let application: Application

  init() throws {
    _ = try #require(Self.dataHome)
    folder = try TemporaryDirectory()
    pictures = folder.path + "/pictures"
    try Files.createDirectories(pictures)
    application = try #require(
      Application(name: "ikran-gallery", title: "Ikran Gallery", usesCairo: true)
    )
  }
}

extension WindowSuite {
  var folder: TemporaryDirectory { stage.folder }
  var pictures: String { stage.pictures }

  /// Runs GLib's main loop until a condition holds, a minute at most, or less.
  func run(
    until condition: @escaping @MainActor () -> Bool,
    within longest: Duration = .seconds(60)
  ) {
    let application = stage.application
    let end = ContinuousClock.now + longest
    Timer.repeating(milliseconds: 5) {
      guard !condition(), ContinuousClock.now < end else {
        application.quit()
        return false
      }
      return true
    }
    _ = application.run {}
  }

  /// Shows the pictures until all are there, or why there is none.
  func gallery(
    _ settings: GridSettings = GridSettings(),
    of images: Arguments.Images? = nil,
    size: PixelSize = Gallery.usualSize
  ) throws -> Gallery {
    let source = try GallerySource(images ?? .folder(pictures), stills: false)
    let gallery = Gallery(stage.application, source, settings, pipelines(), size: size)
    gallery.present(showsNumbers: false)
    run { gallery.isSettled }
    return gallery
  }

  func pipelines() -> Pipelines {
    Pipelines(folder: folder.path + "/c", origin: nil, memory: MemoryShares(total: 64 << 20))
  }

  func names(in gallery: Gallery) -> [String] {
    gallery.shown.map { gallery.binder.items[$0].name }
  }

  func create(_ name: String, as fixture: String = "areas-444.jpg") throws {
    try Files.create(pictures + "/" + name, try Fixtures.bytes(fixture))
  }
}
