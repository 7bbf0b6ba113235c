import IkranCodecs
import IkranPixels
import IkranServer
import IkranStores
import Support
import Testing

@testable import Ikran

/// Downloads that end when what has arrived is enough.
@Suite(.timeLimit(.minutes(10))) struct EarlyStopTests {
  private let folder: TemporaryDirectory
  private let size = ProgressiveSite.file.count

  init() throws { folder = try TemporaryDirectory() }

  @Test func aThumbnailNeedsTheFirstScansOnlyAndHasThePixelsOfTheWholeFile() async throws {
    let site = try ProgressiveSite()
    let pipeline = ImagePipeline.stopping(in: folder)
    let response = try await pipeline.response(for: site.thumbnail())
    let statistics = pipeline.statistics
    #expect(response.image.hasSamePixels(as: try ProgressiveSite.picture(site.thumbnail())))
    #expect(statistics.earlyStops == 1)
    #expect(statistics.savedBytes > size / 5)
    #expect(statistics.savedBytes + statistics.downloadedBytes == size)
    #expect(response.metrics.savedBytes == statistics.savedBytes)
    #expect(response.encodedBytes == size)
    await pipeline.finishWriting()
  }

  @Test func withoutTheOptionAllOfItIsDownloaded() async throws {
    let site = try ProgressiveSite()
    let pipeline = ImagePipeline.stopping(in: folder)
    var request = site.thumbnail()
    request.stopsEarly = false
    let response = try await pipeline.response(for: request)
    #expect(response.image.hasSamePixels(as: try ProgressiveSite.picture(request)))
    #expect(pipeline.statistics.earlyStops == 0)
    #expect(pipeline.statistics.downloadedBytes == size)
    await pipeline.finishWriting()
  }

  /// The same pipeline, or another process.
  @Test(arguments: [false, true]) func aLargerStyleTransfersTheRest(isLater: Bool) async throws {
    let site = try ProgressiveSite()
    let first = ImagePipeline.stopping(in: folder)
    _ = try await first.response(for: site.thumbnail())
    let arrived = first.statistics.downloadedBytes
    await first.finishWriting()
    let second = isLater ? ImagePipeline.stopping(in: folder) : first
    let response = try await second.response(for: site.original)
    #expect(response.image.hasSamePixels(as: try ProgressiveSite.picture(site.original)))
    #expect(site.ranges == ["", "bytes=\(arrived)-"])
    #expect(site.requests.items[1].header("if-range") == "\"1\"")
    #expect(try await second.data(for: site.original) == ProgressiveSite.file)
    await second.finishWriting()
    #expect(try Files.list(folder.path + "/partial").isEmpty)
    let third = ImagePipeline.stopping(in: folder)
    #expect(try await third.data(for: site.original) == ProgressiveSite.file)
    #expect(site.ranges.count == 2)
    await third.finishWriting()
  }

  @Test(arguments: [false, true]) func aSmallerStyleNeedsNoNetwork(isLater: Bool) async throws {
    let site = try ProgressiveSite()
    let first = ImagePipeline.stopping(in: folder)
    _ = try await first.response(for: site.thumbnail())
    await first.finishWriting()
    let second = isLater ? ImagePipeline.stopping(in: folder) : first
    let response = try await second.response(for: site.thumbnail(24))
    let picture = try ProgressiveSite.picture(site.thumbnail(24))
    #expect(response.image.hasSamePixels(as: picture))
    #expect(response.source == (isLater ? .disk : .memory))
    #expect(site.ranges == [""])
    await second.finishWriting()
  }

  @Test func aMiddleSizeGoesOnUntilItHasEnough() async throws {
    let file = ProgressiveSite.largeFile
    let site = try ProgressiveSite(ProgressiveSite.Conduct(file: file))
    let pipeline = ImagePipeline.stopping(in: folder)
    _ = try await pipeline.response(for: site.thumbnail())
    let arrived = pipeline.statistics.downloadedBytes
    let response = try await pipeline.response(for: site.thumbnail(96))
    let picture = try ProgressiveSite.picture(site.thumbnail(96), of: file)
    #expect(response.image.hasSamePixels(as: picture))
    #expect(site.ranges == ["", "bytes=\(arrived)-"])
    #expect(pipeline.statistics.earlyStops == 2)
    #expect(try await pipeline.data(for: site.original) == file)
    #expect(site.ranges.count == 3)
    await pipeline.finishWriting()
  }

  @Test func theBeginningIsNeverTakenForTheFile() async throws {
    let site = try ProgressiveSite()
    let pipeline = ImagePipeline.stopping(in: folder)
    _ = try await pipeline.response(for: site.thumbnail())
    #expect(await pipeline.contains(site.original) == [])
    #expect(await pipeline.contains(site.thumbnail(24)) == [.memory, .disk])
    var whole = site.thumbnail(24)
    whole.stopsEarly = false
    #expect(await pipeline.contains(whole) == [])
    pipeline.isOffline = true
    await #expect(throws: ImageError.offline(url: site.url)) {
      try await pipeline.data(for: site.thumbnail())
    }
    await #expect(throws: ImageError.offline(url: site.url)) {
      try await pipeline.response(for: site.original)
    }
    let small = try await pipeline.response(for: site.thumbnail(24))
    let picture = try ProgressiveSite.picture(site.thumbnail(24))
    #expect(small.image.hasSamePixels(as: picture))
    pipeline.isOffline = false
    #expect(try await pipeline.data(for: site.thumbnail()) == ProgressiveSite.file)
    await pipeline.finishWriting()
  }

  /// In a folder, and in memory where there is none.
  @Test(arguments: [false, true])
  func whatNeedsNoNetworkIsContained(hasDisk: Bool) async throws {
    let site = try ProgressiveSite()
    let first = ImagePipeline.stopping(in: hasDisk ? folder : nil)
    #expect(await first.contains(site.thumbnail(24)) == [])
    _ = try await first.response(for: site.thumbnail())
    if hasDisk { await first.finishWriting() } else { await first.removeImagesAndFilesFromMemory() }
    let second = hasDisk ? ImagePipeline.stopping(in: folder) : first
    #expect(await second.contains(site.thumbnail(24)) == .disk)
    #expect(await second.contains(site.original) == [])
    var other = site.thumbnail(24)
    other.stopsEarly = false
    #expect(await second.contains(other) == [])
    other = site.thumbnail(24)
    other.caching.reads = [.memory, .tables]
    #expect(await second.contains(other) == [])
    // As it says, the image needs no network.
    second.isOffline = true
    _ = try await second.response(for: site.thumbnail(24))
    second.remove(site.thumbnail(24))
    #expect(await second.contains(site.thumbnail(24)) == [])
    await second.finishWriting()
  }

  @Test func whenTheRestHasArrivedTheThumbnailIsStillCurrent() async throws {
    let site = try ProgressiveSite()
    let pipeline = ImagePipeline.stopping(in: folder, tables: true)
    _ = try await pipeline.response(for: site.thumbnail())
    _ = try await pipeline.data(for: site.original)
    pipeline.removeAllFromMemory()
    let decodes = pipeline.statistics.decodes
    #expect(try await pipeline.response(for: site.thumbnail()).source == .table)
    #expect(pipeline.statistics.decodes == decodes)
    await pipeline.finishWriting()
    let later = ImagePipeline.stopping(in: folder, tables: true)
    #expect(try await later.response(for: site.thumbnail()).source == .table)
    #expect(site.ranges.count == 2)
    await later.finishWriting()
  }

  @Test func aReloadTakesTheWholeFile() async throws {
    let site = try ProgressiveSite()
    let pipeline = ImagePipeline.stopping(in: folder)
    var request = site.thumbnail()
    request.caching.policy = .reload
    _ = try await pipeline.response(for: request)
    #expect(pipeline.statistics.downloadedBytes == size)
    await pipeline.finishWriting()
  }

  @Test func aFileOfAnotherKindIsDownloadedWhole() async throws {
    let baseline = JPEGSample(width: 800, height: 600, sampling: .quarter, quality: 92).bytes()
    let site = try ProgressiveSite(ProgressiveSite.Conduct(file: baseline))
    let pipeline = ImagePipeline.stopping(in: folder)
    _ = try await pipeline.response(for: site.thumbnail())
    #expect(pipeline.statistics.downloadedBytes == baseline.count)
    #expect(pipeline.statistics.earlyStops == 0)
    await pipeline.finishWriting()
  }

  @Test func whereAScanThatIsNeededIsDamagedTheWholeFileDecides() async throws {
    var file = ProgressiveSite.file
    let scans = JPEGPrefix(file.span)
    let enough = try #require(scans?.sufficientByteCount(for: .cover(PixelSize(48, 48))))
    // Codes that no table has, in the last scan that is needed.
    for offset in enough - 600..<enough - 300 where file[offset] != 0xFF && file[offset - 1] != 0xFF
    {
      file[offset] = 0xFE
    }
    let site = try ProgressiveSite(ProgressiveSite.Conduct(file: file))
    let pipeline = ImagePipeline.stopping(in: folder)
    let response = try await pipeline.response(for: site.thumbnail())
    let picture = try ProgressiveSite.picture(site.thumbnail(), of: file)
    #expect(response.image.hasSamePixels(as: picture))
    #expect(pipeline.statistics.downloads == 2)
    #expect(try await pipeline.data(for: site.original) == file)
    #expect(site.ranges.count == 2)
    await pipeline.finishWriting()
  }
}

extension PixelSize {
  fileprivate init(_ width: Int, _ height: Int) { self.init(width: width, height: height) }
}
