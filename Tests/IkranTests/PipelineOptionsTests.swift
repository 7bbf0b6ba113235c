import Ikran
import IkranTransport
import Support
import Testing

@Suite(.timeLimit(.minutes(10)))
struct PipelineOptionsTests {
  @Test func theStandardOptionsHaveADiskCacheAndTablesInAFolder() {
    let options = PipelineOptions.standard("/caches/faces")
    #expect(options.disk == DiskOptions(directory: "/caches/faces"))
    #expect(options.tables == TableOptions())
    #expect(options.memory == MemoryOptions())
  }

  @Test func withoutAFolderTheyAreInTheUsersCacheFolder() {
    let options = PipelineOptions.standard()
    #expect(options.disk?.directory == CacheDirectory.standard)
  }

  @Test func theShortFormOfNetworkOptionsLimitsDownloadsInAllAndOfEachHost() {
    let options = NetworkOptions(
      maximumConcurrent: 3,
      timeout: .seconds(15),
      retry: .exponential(maximum: 3)
    )
    #expect(options.queue == QueueOptions(maximumConcurrent: 3, maximumPerHost: 3))
    #expect(options.timeout == .seconds(15))
    #expect(options.retry.maximum == 3)
  }

  @Test func anAgeInDaysCountsFromTheLastUse() {
    #expect(DiskCacheOptions.Age.days(7) == .sinceAccess(.seconds(604_800)))
  }
}
