import Ikran
import IkranStores

/// A pipeline for one command, and the first thing that went wrong with its cache.
///
/// The disk cache is opened when something asks it: what a table has needs none.
struct Session {
  let pipeline: ImagePipeline
  private let failures: AsyncStream<String>
  private let failed: AsyncStream<String>.Continuation

  init(_ choice: CacheChoice, options: PipelineOptions = PipelineOptions()) throws {
    var options = options
    options.disk = try choice.folder().map { DiskOptions(directory: $0) }
    options.tables = options.disk.map { _ in TableOptions() }
    let (failures, failed) = AsyncStream.makeStream(
      of: String.self,
      bufferingPolicy: .bufferingOldest(1)
    )
    self.failures = failures
    self.failed = failed
    pipeline = ImagePipeline(options: options) { event in
      switch event {
      case .diskFailed(let reason), .tableFailed(let reason): failed.yield(reason)
      default: break
      }
    }
  }

  /// Waits for the disk and the tables, and warns once when the cache failed on the way.
  func finish(_ output: Output) async {
    await pipeline.finishWriting()
    failed.finish()
    for await reason in failures {
      output.complain(Failure("the cache was passed by: \(reason)").sentence)
    }
  }
}
