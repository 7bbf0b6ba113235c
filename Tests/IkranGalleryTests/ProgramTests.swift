import Foundation
import IkranCodecs
import IkranPixels
import IkranStores
import Support
import Testing

/// The built program, run; with windows only where a display is.
@Suite(.serialized)
struct ProgramTests: ProgramSuite {
  let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  @Test func theIconIsAPicture() throws {
    let path = folder.path + "/icon.png"
    #expect(try run("--icon", path).code == 0)
    let bytes = try Files.read(path, maximumBytes: 1 << 20)
    #expect(bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]))
  }

  @Test func wrongUsageEndsWithTwo() throws { #expect(try run("--nothing").code == 2) }

  @Test func aCacheThatCannotBeMadeEndsItAndIsNamed() throws {
    try Files.create(folder.path + "/file", [1])
    let ending = try run("--folder", folder.path, "--cache", folder.path + "/file/cache")
    #expect(ending.code == 1)
    #expect(ending.output.isEmpty)
  }

  @Test(.enabled(if: Stage.hasDisplay)) func aPictureThatIsNotThereHasNoScreenshot() throws {
    let path = folder.path + "/shot.png"
    let cache = folder.path + "/c"
    let ending = try run(
      "--count",
      "4",
      "--cache",
      cache,
      "--open",
      "nobody",
      "--screenshot",
      path
    )
    #expect(ending.code == 1)
    #expect(!Files.exists(path))
  }

  @Test(.enabled(if: Stage.hasDisplay)) func aScreenshotHasThePixelsOfTheMonitor() throws {
    let name = "areas-444.jpg"
    let plain = greens(in: try window(showing: [name]))
    let fine = greens(in: try window(showing: [name], environment: "GDK_SCALE=2"))
    #expect(plain > 0)
    // The edges of the area are mixed colours.
    #expect((3.6...4.4).contains(Double(fine) / Double(plain)), "\(plain) and \(fine)")
  }

  @Test func withoutADisplayItFails() throws {
    let environment = "DISPLAY= WAYLAND_DISPLAY=/none"
    let ending = try run("--folder", folder.path, environment: environment)
    #expect(ending.code == 1)
  }

  @Test(.enabled(if: Stage.hasDisplay)) func theBenchPrintsOneObject() throws {
    let cache = folder.path + "/c"
    let (frames, count) = Sanitizer.watchesThreads ? (10, 15) : (30, 60)
    let ending = try run(
      "--bench",
      "--frames",
      "\(frames)",
      "--count",
      "\(count)",
      "--cache",
      cache
    )
    #expect(ending.code == 0)
    let object = try JSONSerialization.jsonObject(with: Data(ending.output.utf8))
    let report = try #require(object as? [String: Any])
    let modes = try #require(report["modes"] as? [String: [String: Any]])
    #expect(Set(modes.keys) == ["conventional", "thumbnails", "pipeline", "tables"])
    for (name, mode) in modes {
      #expect(mode["frames"] as? Int == frames, "\(name)")
      #expect((mode["p99Ms"] as? Double ?? 0) >= (mode["p50Ms"] as? Double ?? 1), "\(name)")
    }
    #expect(modes["tables"]?["decodes"] as? Int == 0)
    let first = try #require(report["first"] as? [String: Any])
    #expect((first["shownInFirstFrame"] as? Int ?? 0) > 0)
    #expect(first["missingInFirstFrame"] as? Int == 0)
    let flood = try #require(report["flood"] as? [String: Any])
    #expect((flood["framesPerSecond"] as? Double ?? 0) > 0)
  }

  private static let readsAll = Set(CodecList.standard.codecs.map(\.format))
    .isSuperset(of: [.avif, .heic, .jpegXL, .svg, .tiff])

  /// How many pixels have the colour of the largest of four areas.
  private func greens(in window: Bitmap) -> Int {
    window.withBytes { bytes in
      (0..<bytes.count / 4).count { pixel in
        zip([60, 180, 40], 4 * pixel..<4 * pixel + 3).allSatisfy { abs($0 - Int(bytes[$1])) <= 14 }
      }
    }
  }

  @Test(.enabled(if: Stage.hasDisplay)) func aLargePictureIsZoomed() throws {
    let name = "areas-444.jpg"
    let whole = greens(in: try window(showing: [name], ["--open", name]))
    let twice = greens(in: try window(showing: [name], ["--open", name, "--zoom", "2"]))
    #expect(whole > 0)
    // The edges of the area are mixed colours.
    #expect((3.6...4.4).contains(Double(twice) / Double(whole)), "\(whole) and \(twice)")
  }

  /// Each shows four areas of colour, of which the green one is the largest.
  @Test(
    .enabled(if: Stage.hasDisplay),
    .enabled(if: readsAll, "this build leaves formats out")
  )
  func filesOfEveryFormatAreShown() throws {
    let window = try window(showing: [
      "areas-24b.bmp", "areas-444.heic", "areas-444.jpg", "areas-deflate.tif",
      "areas-lossless.avif", "areas-lossless.jxl", "areas-lossless.webp", "areas.arw", "areas.cr2",
      "areas.cur", "areas.dng", "areas.heif", "areas.ico", "areas.nef", "areas.ppm", "areas.qoi",
      "areas.raf", "areas.svg", "areas.svgz",
    ])
    let greens = greens(in: window)
    // 48,610 where all are there, 2,110 and more of them for each.
    #expect((47_600...49_600).contains(greens), "\(greens)")
  }

  /// Whichever of its frames is shown, much of it is darker than the window.
  @Test(
    .enabled(if: Stage.hasDisplay),
    .enabled(if: readsAll, "this build leaves formats out"),
    arguments: ["animation-3-frames.avif", "animation-3-frames.jxl"]
  )
  func anAnimationIsShown(name: String) throws {
    let window = try window(showing: [name])
    let dark = window.withBytes { bytes in
      (0..<bytes.count / 4).count { pixel in
        (4 * pixel..<4 * pixel + 3).contains { bytes[$0] < 140 }
      }
    }
    // 11,085 and more, 2,459 where its place is empty.
    #expect(dark > 8000, "\(dark)")
  }

  @Test(.enabled(if: Stage.hasDisplay)) func aScreenshotIsWritten() throws {
    let (pictures, path) = (folder.path + "/pictures", folder.path + "/shot.png")
    try Files.createDirectories(pictures)
    let names = ["areas-444.jpg", "indexed.gif", "truncated-in-idat.png", "animation-once.gif"]
    for name in names {
      try Files.create(pictures + "/" + name, try Fixtures.bytes(name))
    }
    let ending = try run(
      "--folder",
      pictures,
      "--screenshot",
      path,
      "--cache",
      folder.path + "/c"
    )
    #expect(ending.code == 0)
    #expect(try Files.read(path, maximumBytes: 1 << 24).count > 4096)
  }

  @Test(.enabled(if: Stage.hasDisplay)) func ctrlCEndsIt() throws {
    let ending = try run(
      "--count",
      "20",
      "--cache",
      folder.path + "/c",
      prefix: "timeout -k 20 -s INT 3"
    )
    // It sent the signal, and had not to kill it.
    #expect(ending.code == 124)
  }
}
