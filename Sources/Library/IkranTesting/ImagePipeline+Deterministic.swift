public import Ikran
import IkranTransport

extension ImagePipeline {
  /// A pipeline that does the same in every run, on every machine.
  ///
  /// It decodes on one thread and keeps 64 MiB in memory, however scarce the machine's is. Nothing
  /// is retried, no failure is remembered, no host counts as silent, no file on the disk gets too
  /// old, and neither the environment nor the kind of network changes anything.
  ///
  /// - Parameters:
  ///   - transport: Where bytes come from, such as a ``FakeTransport``.
  ///   - clock: The time for freshness, deadlines and waits; nil takes the one of a
  ///     ``FakeTransport``, or one that never moves.
  ///   - folder: Where the disk cache and the image tables are, such as a temporary folder; nil
  ///     keeps nothing on the disk.
  ///   - configure: Changes options, for a test that needs others.
  /// - Returns: The pipeline.
  public static func deterministic(
    transport: any Transport,
    clock: ManualClock? = nil,
    folder: String? = nil,
    configure: (inout PipelineOptions) -> Void = { _ in }
  ) -> ImagePipeline {
    let clock = clock ?? (transport as? FakeTransport)?.clock ?? ManualClock()
    var options = PipelineOptions(
      memory: MemoryOptions(limit: .bytes(64 << 20), trimsUnderMemoryPressure: false),
      disk: folder.map { DiskOptions(directory: $0, maximumAge: .never) },
      tables: folder.map { _ in TableOptions() },
      network: NetworkOptions(
        queue: QueueOptions(maximumSilence: nil),
        retry: .none,
        failures: .none
      ),
      decoding: DecodingOptions(maximumConcurrent: 1)
    )
    configure(&options)
    return ImagePipeline(
      options: options,
      transport: transport,
      clock: clock.pipelineClock,
      metered: MeteredNetwork(now: { clock.microseconds }, ask: { nil }),
      environment: { _ in nil }
    )
  }
}
