import IkranStores

// The three windows through which tests see a pipeline's inside. What is behind them may change;
// tests do not reach past them.

/// What a pipeline is doing.
///
/// Each figure is exact; together they are no snapshot.
package struct PipelineActivity: Sendable {
  /// Sources that are being loaded.
  package let sources: Int
  /// Requests that wait for those sources.
  package let requests: Int
  /// Transfers of theirs that run or wait.
  package let transfers: Int
  /// The highest priority in the download queue; nil when no download waits.
  package let highestPriority: ImagePriority?
  /// Transfers that wait for renewed credentials.
  package let renewals: Int
  /// Bytes that have arrived and wait for the decoder or to be written.
  package let backlogBytes: Int
  /// Transfers that wait because of them.
  package let backlogWaiters: Int
}

extension ImagePipeline {
  /// What is under way; it takes each part's lock for a moment.
  package var activity: PipelineActivity {
    PipelineActivity(
      sources: loader.count,
      requests: loader.waiting,
      transfers: loader.transfers,
      highestPriority: context.network.queue.urgency,
      renewals: context.network.credentials.waiting,
      backlogBytes: context.network.backlog.bytes,
      backlogWaiters: context.network.backlog.waiting
    )
  }

  /// The bytes of memory that records of sources and remembered failures take.
  package var bookkeepingBytes: (records: Int, failures: Int) {
    (context.records.byteCount, context.network.failures.byteCount)
  }

  /// The remembered failure of a request's source; nil when the source is asked again.
  package func failure(of request: ImageRequest) -> ImageError? {
    context.network.failures.error(
      for: context.source(of: request).failureKey,
      at: context.clock.now()
    )
  }
}
