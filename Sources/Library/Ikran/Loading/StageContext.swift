import IkranStores

/// The parts that every stage of a pipeline works with.
struct StageContext: Sendable {
  let counters: PipelineCounters
  /// Counts the bytes that wait for the decoder or to be written.
  let backlog: Backlog
  /// The key of digests that stand for secrets on the disk.
  var secret = FolderSecret(folder: nil)
  var clock = PipelineClock.system
}
