import FoundationEssentials
import Ikran
import IkranStores
import IkranTrace
import IkranTransport
import IkranSystem

/// A pipeline for one command, and the first failure of its cache.
///
/// The disk cache is opened on the first use: an image from a table does not need it.
struct Session {
  let pipeline: ImagePipeline
  /// The look-ups in memory, when ``CacheTrace/variable`` names a file; write errors are ignored.
  private let trace: CacheTrace?
  /// Why there is no cache although one is wanted.
  private let missingCache: String?
  private let failures: AsyncStream<String>
  private let failed: AsyncStream<String>.Continuation

  /// Creates a pipeline with the cache.
  ///
  /// - Parameters:
  ///   - choice: Where the cache is.
  ///   - needsCache: Whether the command fails where the cache cannot be made or written; without,
  ///     it goes on with what can be read.
  ///   - options: What the pipeline does, but for its caches.
  /// - Throws: ``Failure`` when it needs a cache and there is none.
  init(
    _ choice: CacheChoice,
    needsCache: Bool = false,
    options: PipelineOptions = PipelineOptions()
  ) throws {
    var options = options
    do {
      options.disk = try choice.folder(isForWriting: needsCache).map { DiskOptions(directory: $0) }
      missingCache = nil
    } catch let failure as Failure where !needsCache {
      missingCache = failure.sentence
    }
    options.tables = options.disk.map { _ in TableOptions() }
    let (failures, failed) = AsyncStream.makeStream(
      of: String.self,
      bufferingPolicy: .bufferingOldest(1)
    )
    self.failures = failures
    self.failed = failed
    let path = Files.variable(CacheTrace.variable)
    let trace = path.flatMap { try? CacheTrace($0) }
    self.trace = trace
    var onLookUp: (@Sendable (String, Int) -> Void)?
    if let trace { onLookUp = { trace.record(key: $0, bytes: $1) } }
    let onEvent: @Sendable (PipelineEvent) -> Void = { event in
      switch event {
      case .diskFailed(let reason), .tableFailed(let reason): failed.yield(reason)
      default: break
      }
    }
    pipeline = ImagePipeline(
      options: options,
      transport: SchemeTransport(),
      onEvent: onEvent,
      clock: .system,
      onLookUp: onLookUp
    )
  }

  /// Runs a command's work with the pipeline, then waits until everything is stored, and warns once
  /// when the cache failed.
  ///
  /// When the work fails or is cancelled, other transfers end too, and the bytes they received are
  /// stored for the next run.
  ///
  /// - Throws: The error of `work`, and `CancellationError` when the task is cancelled.
  func finishing<Value>(
    _ output: Output,
    _ work: () async throws -> Value
  ) async throws -> Value {
    defer { trace?.flush() }
    do {
      let value = try await work()
      await pipeline.finishWriting()
      try Task.checkCancellation()
      await warn(output)
      return value
    } catch {
      await pipeline.cancelAllAndFinishWriting()
      await warn(output)
      throw error
    }
  }

  private func warn(_ output: Output) async {
    failed.finish()
    if let missingCache { output.complain("going on without a cache: \(missingCache)") }
    for await reason in failures {
      output.complain("the cache was skipped: \(clause(reason))")
    }
  }
}
