import Ikran
import IkranStores

/// A pipeline for one command, and the first thing that went wrong with its disk cache.
struct Session {
  let pipeline: ImagePipeline
  private let cache: DiskCache?
  private let diskFailures: AsyncStream<String>
  private let diskFailed: AsyncStream<String>.Continuation

  init(_ choice: CacheChoice, options: PipelineOptions = PipelineOptions()) throws {
    cache = try choice.open()
    let (failures, failed) = AsyncStream.makeStream(
      of: String.self,
      bufferingPolicy: .bufferingOldest(1)
    )
    diskFailures = failures
    diskFailed = failed
    pipeline = ImagePipeline(options: options, diskCache: cache) { event in
      if case .diskFailed(let reason) = event { failed.yield(reason) }
    }
  }

  /// Waits for the disk, and warns once when the cache failed on the way.
  func finish(_ output: Output) async {
    await pipeline.finishWriting()
    cache?.flush()
    diskFailed.finish()
    for await reason in diskFailures {
      output.complain(Failure("the cache was passed by: \(reason)").sentence)
    }
  }
}
