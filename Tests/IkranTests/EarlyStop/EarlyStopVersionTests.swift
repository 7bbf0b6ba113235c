import IkranPixels
import IkranStores
import Support
import Testing

@testable import Ikran

/// Downloads that end early, of files that change.
@Suite(.timeLimit(.minutes(10))) struct EarlyStopVersionTests {
  private let folder: TemporaryDirectory
  /// The file with another end.
  private let repaired: [UInt8]

  init() throws {
    folder = try TemporaryDirectory()
    var file = ProgressiveSite.file
    for offset in file.count - 400..<file.count - 300 where file[offset] != 0xFF {
      file[offset] &= 0x7F
    }
    repaired = file
    #expect(repaired != ProgressiveSite.file)
  }

  @Test func aNewerVersionThatBeginsAlikeIsNotTheOlderOne() async throws {
    let site = try ProgressiveSite()
    let pipeline = ImagePipeline.stopping(in: folder, tables: true)
    _ = try await pipeline.response(for: site.thumbnail())
    #expect(try await pipeline.data(for: site.original) == ProgressiveSite.file)
    await pipeline.finishWriting()
    site.conduct.withLock { ($0.file, $0.tag) = (repaired, "\"2\"") }
    var refresh = site.thumbnail()
    refresh.caching.policy = .refresh
    _ = try await pipeline.response(for: refresh)
    await pipeline.finishWriting()
    #expect(try await pipeline.data(for: site.original) == repaired)
    await pipeline.finishWriting()
    let later = ImagePipeline.stopping(in: folder, tables: true)
    #expect(try await later.data(for: site.original) == repaired)
    await later.finishWriting()
  }

  @Test func theRestOfAnotherVersionIsNotGluedOn() async throws {
    let site = try ProgressiveSite()
    let pipeline = ImagePipeline.stopping(in: folder)
    _ = try await pipeline.response(for: site.thumbnail())
    await pipeline.finishWriting()
    // Of the same length, and other from the beginning.
    var newer = repaired
    for offset in 2_000..<2_400 where newer[offset] != 0xFF { newer[offset] &= 0x7F }
    #expect(newer[..<2_400] != repaired[..<2_400])
    site.conduct.withLock { [newer] conduct in
      (conduct.file, conduct.tag) = (newer, "\"2\"")
      conduct.sendsUntaggedParts = true
    }
    #expect(try await pipeline.data(for: site.original) == newer)
    #expect(site.ranges.count == 3 && site.ranges.last == "")
    await pipeline.finishWriting()
  }

  @Test func aReloadFindsOtherBytesUnderTheSameTag() async throws {
    let site = try ProgressiveSite()
    let pipeline = ImagePipeline.stopping(in: folder)
    _ = try await pipeline.response(for: site.thumbnail())
    await pipeline.finishWriting()
    let decodes = pipeline.statistics.decodes
    site.conduct.withLock { $0.file = repaired }
    var reload = site.original
    reload.caching.policy = .reload
    _ = try await pipeline.response(for: reload)
    _ = try await pipeline.response(for: site.thumbnail())
    #expect(pipeline.statistics.decodes == decodes + 2)
    #expect(try await pipeline.data(for: site.original) == repaired)
    await pipeline.finishWriting()
  }

  @Test func aRectangleOutsideOfThePictureIsAnErrorAlsoOfItsBeginning() async throws {
    let site = try ProgressiveSite()
    let pipeline = ImagePipeline.stopping(in: folder, tables: true)
    var request = site.thumbnail()
    let outside = PixelRectangle(x: 400, y: 0, width: 800, height: 600)
    request.style = .region(outside, width: 40, height: 30)
    await #expect(throws: ImageError.self) { try await pipeline.response(for: request) }
    await pipeline.finishWriting()
  }
}
