import Ikran
import IkranStores

/// A pipeline for one command, and the first thing that went wrong with its cache.
struct Session {
  let pipeline: ImagePipeline
  private let cache: DiskCache?
  private let failures: AsyncStream<String>
  private let failed: AsyncStream<String>.Continuation

  init(_ choice: CacheChoice, options: PipelineOptions = PipelineOptions()) throws {
    cache = try choice.open()
    var options = options
    options.tables = cache.map { cache in
      TableOptions(directory: TableFolder(ofCache: cache.directory).directory)
    }
    let (failures, failed) = AsyncStream.makeStream(
      of: String.self,
      bufferingPolicy: .bufferingOldest(1)
    )
    self.failures = failures
    self.failed = failed
    pipeline = ImagePipeline(options: options, diskCache: cache) { event in
      switch event {
      case .diskFailed(let reason), .tableFailed(let reason): failed.yield(reason)
      default: break
      }
    }
  }

  /// Waits for the disk and the tables, and warns once when the cache failed on the way.
  func finish(_ output: Output) async {
    await pipeline.finishWriting()
    cache?.flush()
    failed.finish()
    for await reason in failures {
      output.complain(Failure("the cache was passed by: \(reason)").sentence)
    }
  }
}
