import IkranPixels
import IkranServer
import IkranStores
import IkranTesting
import Support
import Testing

@testable import Ikran

/// Early ends and what the origin and the disk do meanwhile.
@Suite(.timeLimit(.minutes(10))) struct EarlyStopOriginTests {
  private let folder: TemporaryDirectory
  private let size = ProgressiveSite.file.count

  init() throws { folder = try TemporaryDirectory() }

  @Test func whereRangesAreRefusedAllOfItIsDownloaded() async throws {
    let fields = [Field("Accept-Ranges", "none")]
    let site = try ProgressiveSite(ProgressiveSite.Conduct(fields: fields))
    let pipeline = ImagePipeline.stopping(in: folder)
    _ = try await pipeline.response(for: site.thumbnail())
    #expect(pipeline.statistics.downloadedBytes == size)
    await pipeline.finishWriting()
  }

  @Test(arguments: ["W/\"1\"", "1"])
  func withoutAStrongValidatorAllOfItIsDownloaded(_ tag: String) async throws {
    let site = try ProgressiveSite(ProgressiveSite.Conduct(tag: tag))
    let pipeline = ImagePipeline.stopping(in: folder)
    _ = try await pipeline.response(for: site.thumbnail())
    #expect(pipeline.statistics.downloadedBytes == size)
    await pipeline.finishWriting()
  }

  @Test func aBodyWithoutALengthMayEndEarlyToo() async throws {
    let site = try ProgressiveSite(ProgressiveSite.Conduct(announcesLength: false))
    let pipeline = ImagePipeline.stopping(in: folder)
    let response = try await pipeline.response(for: site.thumbnail())
    #expect(response.image.hasSamePixels(as: try ProgressiveSite.picture(site.thumbnail())))
    #expect(pipeline.statistics.earlyStops == 1 && pipeline.statistics.savedBytes == 0)
    #expect(try await pipeline.data(for: site.original) == ProgressiveSite.file)
    await pipeline.finishWriting()
  }

  @Test func anOriginThatIgnoresRangesSendsItWhole() async throws {
    let site = try ProgressiveSite(ProgressiveSite.Conduct(ignoresRanges: true))
    let pipeline = ImagePipeline.stopping(in: folder)
    _ = try await pipeline.response(for: site.thumbnail())
    #expect(try await pipeline.data(for: site.original) == ProgressiveSite.file)
    #expect(site.ranges.count == 2)
    await pipeline.finishWriting()
  }

  @Test func anotherVersionIsNotGluedOnAndReplacesTheThumbnail() async throws {
    let site = try ProgressiveSite()
    let pipeline = ImagePipeline.stopping(in: folder, tables: true)
    _ = try await pipeline.response(for: site.thumbnail())
    site.conduct.withLock { ($0.file, $0.tag) = (ProgressiveSite.newerFile, "\"2\"") }
    let data = try await pipeline.data(for: site.original)
    #expect(data == ProgressiveSite.newerFile)
    let newer = try await pipeline.response(for: site.thumbnail())
    let picture = try ProgressiveSite.picture(site.thumbnail(), of: ProgressiveSite.newerFile)
    #expect(newer.image.hasSamePixels(as: picture))
    #expect(site.ranges.count == 2)
    await pipeline.finishWriting()
  }

  @Test func aReloadOfOtherBytesUnderTheSameTagReplacesTheThumbnail() async throws {
    let site = try ProgressiveSite()
    let pipeline = ImagePipeline.stopping(in: folder)
    _ = try await pipeline.response(for: site.thumbnail())
    site.conduct.withLock { $0.file = ProgressiveSite.newerFile }
    var reload = site.original
    reload.caching.policy = .reload
    _ = try await pipeline.response(for: reload)
    let newer = try await pipeline.response(for: site.thumbnail())
    let picture = try ProgressiveSite.picture(site.thumbnail(), of: ProgressiveSite.newerFile)
    #expect(newer.image.hasSamePixels(as: picture))
    await pipeline.finishWriting()
  }

  @Test func aStaleThumbnailIsRevalidatedByItsTag() async throws {
    let fields = [
      Field("Accept-Ranges", "bytes"), Field("Cache-Control", "max-age=0, must-revalidate"),
    ]
    let site = try ProgressiveSite(ProgressiveSite.Conduct(fields: fields))
    let pipeline = ImagePipeline.stopping(in: folder)
    _ = try await pipeline.response(for: site.thumbnail())
    let again = try await pipeline.response(for: site.thumbnail())
    #expect(again.image.hasSamePixels(as: try ProgressiveSite.picture(site.thumbnail())))
    #expect(site.requests.items[1].header("if-none-match") == "\"1\"")
    // The beginning, too, is good again.
    let smaller = try await pipeline.response(for: site.thumbnail(24))
    let picture = try ProgressiveSite.picture(site.thumbnail(24))
    #expect(smaller.image.hasSamePixels(as: picture))
    #expect(pipeline.statistics.downloads == 1)
    #expect(pipeline.statistics.confirmations == 2)
    site.conduct.withLock { ($0.file, $0.tag) = (ProgressiveSite.newerFile, "\"2\"") }
    let newer = try await pipeline.response(for: site.thumbnail())
    let other = try ProgressiveSite.picture(site.thumbnail(), of: ProgressiveSite.newerFile)
    #expect(newer.image.hasSamePixels(as: other))
    #expect(pipeline.statistics.earlyStops == 2)
    await pipeline.finishWriting()
  }

  @Test func withoutADiskMemoryKeepsTheBeginning() async throws {
    let site = try ProgressiveSite()
    let pipeline = ImagePipeline.stopping(in: nil)
    _ = try await pipeline.response(for: site.thumbnail())
    let arrived = pipeline.statistics.downloadedBytes
    await pipeline.removeImagesAndFilesFromMemory()
    _ = try await pipeline.response(for: site.thumbnail(24))
    #expect(site.ranges == [""])
    #expect(try await pipeline.data(for: site.original) == ProgressiveSite.file)
    #expect(site.ranges == ["", "bytes=\(arrived)-"])
  }

  @Test(arguments: [false, true])
  func ofARequestThatKeepsNothingOnTheDiskMemoryHasTheBeginning(hasDisk: Bool) async throws {
    let site = try ProgressiveSite()
    let pipeline = ImagePipeline.stopping(in: hasDisk ? folder : nil)
    func kept(_ request: ImageRequest) -> ImageRequest {
      var request = request
      (request.caching.reads, request.caching.stores) = (.memory, .memory)
      return request
    }
    _ = try await pipeline.response(for: kept(site.thumbnail()))
    let arrived = pipeline.statistics.downloadedBytes
    #expect(try await pipeline.data(for: kept(site.original)) == ProgressiveSite.file)
    #expect(site.ranges == ["", "bytes=\(arrived)-"])
    // Without it the download begins again.
    pipeline.removeAllFromMemory()
    _ = try await pipeline.response(for: kept(site.thumbnail()))
    pipeline.removeAllFromMemory()
    #expect(try await pipeline.data(for: kept(site.original)) == ProgressiveSite.file)
    #expect(site.ranges[2...] == ["", ""])
    await pipeline.finishWriting()
    #expect(((try? Files.list(folder.path + "/partial")) ?? []).isEmpty)
  }

  @Test func whatMemoryHasIsNotGluedToAnotherVersion() async throws {
    let site = try ProgressiveSite()
    let pipeline = ImagePipeline.stopping(in: nil)
    var (thumbnail, original) = (site.thumbnail(), site.original)
    (thumbnail.caching.stores, original.caching.stores) = (.memory, .memory)
    _ = try await pipeline.response(for: thumbnail)
    site.conduct.withLock { ($0.file, $0.tag) = (ProgressiveSite.newerFile, "\"2\"") }
    #expect(try await pipeline.data(for: original) == ProgressiveSite.newerFile)
    #expect(site.ranges.count == 2)
    let newer = try await pipeline.response(for: thumbnail)
    let picture = try ProgressiveSite.picture(thumbnail, of: ProgressiveSite.newerFile)
    #expect(newer.image.hasSamePixels(as: picture))
  }

  @Test func aRangeThatDoesNotFitWhatMemoryHasStartsOver() async throws {
    let site = try ProgressiveSite()
    let pipeline = ImagePipeline.stopping(in: nil)
    var (thumbnail, original) = (site.thumbnail(), site.original)
    (thumbnail.caching.stores, original.caching.stores) = (.memory, .memory)
    _ = try await pipeline.response(for: thumbnail)
    // Another length under the same tag.
    site.conduct.withLock { $0.file = ProgressiveSite.newerFile }
    #expect(try await pipeline.data(for: original) == ProgressiveSite.newerFile)
    #expect(site.ranges.count == 3 && site.ranges[2].isEmpty)
  }

  @Test func whereTheBeginningWasLostTheDownloadBeginsAgain() async throws {
    let site = try ProgressiveSite()
    let first = ImagePipeline.stopping(in: folder)
    _ = try await first.response(for: site.thumbnail())
    await first.finishWriting()
    // As when the process was killed between the two.
    for name in try Files.list(folder.path + "/partial") {
      try Files.remove("\(folder.path)/partial/\(name)")
    }
    let second = ImagePipeline.stopping(in: folder)
    let small = try await second.response(for: site.thumbnail(24))
    let picture = try ProgressiveSite.picture(site.thumbnail(24))
    #expect(small.image.hasSamePixels(as: picture))
    #expect(try await second.data(for: site.original) == ProgressiveSite.file)
    await second.finishWriting()
  }

  @Test func theBeginningOfAnUnknownFileIsResumedAndNotTrusted() async throws {
    let site = try ProgressiveSite()
    let first = ImagePipeline.stopping(in: folder)
    _ = try await first.response(for: site.thumbnail())
    await first.finishWriting()
    // The other way around: the record was never written.
    for name in try Files.list(folder.path) where name != "partial" {
      try Files.removeTree("\(folder.path)/\(name)")
    }
    let second = ImagePipeline.stopping(in: folder)
    let small = try await second.response(for: site.thumbnail(24))
    let picture = try ProgressiveSite.picture(site.thumbnail(24))
    #expect(small.image.hasSamePixels(as: picture))
    #expect(site.ranges[1].hasPrefix("bytes="))
    #expect(second.statistics.earlyStops == 1)
    #expect(try await second.data(for: site.original) == ProgressiveSite.file)
    await second.finishWriting()
  }

  @Test func theBeginningOfANoStoreResponseIsKeptNowhere() async throws {
    let fields = [Field("Accept-Ranges", "bytes"), Field("Cache-Control", "no-store")]
    let site = try ProgressiveSite(ProgressiveSite.Conduct(fields: fields))
    let pipeline = ImagePipeline.stopping(in: folder)
    _ = try await pipeline.response(for: site.thumbnail())
    #expect(pipeline.statistics.earlyStops == 1)
    #expect(try await pipeline.data(for: site.original) == ProgressiveSite.file)
    #expect(site.ranges == ["", ""])
    await pipeline.finishWriting()
    #expect(((try? Files.list(folder.path + "/partial")) ?? []).isEmpty)
  }

  // MARK: - Several requests

  @Test func whileAnyRequestNeedsAllTheDownloadGoesOn() async throws {
    let site = try ProgressiveSite()
    let pipeline = ImagePipeline.stopping(in: folder)
    pipeline.isSuspended = true
    async let small = pipeline.response(for: site.thumbnail())
    async let large = pipeline.response(for: site.original)
    async let data = pipeline.data(for: site.thumbnail())
    try await until { pipeline.activity.requests == 3 }
    pipeline.isSuspended = false
    #expect(try await data == ProgressiveSite.file)
    let (thumbnail, original) = (try await small, try await large)
    #expect(thumbnail.image.hasSamePixels(as: try ProgressiveSite.picture(site.thumbnail())))
    #expect(original.image.hasSamePixels(as: try ProgressiveSite.picture(site.original)))
    #expect(site.ranges == [""] && pipeline.statistics.earlyStops == 0)
    await pipeline.finishWriting()
  }

  @Test func theLargestOfSeveralThumbnailsDecides() async throws {
    let file = ProgressiveSite.largeFile
    let site = try ProgressiveSite(ProgressiveSite.Conduct(file: file))
    let pipeline = ImagePipeline.stopping(in: folder)
    pipeline.isSuspended = true
    let sides = [24.0, 48, 96]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for side in sides {
        group.addTask {
          let response = try await pipeline.response(for: site.thumbnail(side))
          let picture = try ProgressiveSite.picture(site.thumbnail(side), of: file)
          #expect(response.image.hasSamePixels(as: picture))
        }
      }
      try await until { pipeline.activity.requests == sides.count }
      pipeline.isSuspended = false
      try await group.waitForAll()
    }
    #expect(site.ranges == [""] && pipeline.statistics.earlyStops == 1)
    await pipeline.finishWriting()
  }
}
