import Ikran

/// Loads every image of a list in every style, a limited number at a time.
struct Batch {
  /// The result for one image of the list.
  struct Outcome: Sendable {
    let index: Int
    /// One image for each style, fewer when one failed.
    var images: [ImageResponse] = []
    var error: String?
  }

  /// The result for the list.
  struct Report {
    var requested: Int
    var downloaded = 0
    var cached = 0
    var failures: [(index: Int, sentence: String)] = []
    var sources: [ImageSource: Int] = [:]
    var statistics: PipelineStatistics
    var duration = Duration.zero

    /// The report of `ikran warm` and `ikran sheet`.
    var json: JSON {
      let shown: [ImageSource] = [.memory, .table, .disk, .network, .file, .data]
      return [
        "requested": .integer(requested),
        "downloaded": .integer(downloaded),
        "cached": .integer(cached),
        "failed": .integer(failures.count),
        "bytes": .integer(statistics.downloadedBytes),
        "savedBytes": .integer(statistics.savedBytes),
        "milliseconds": .milliseconds(duration),
        "decoded": .integer(statistics.decodes),
        "styled": .integer(statistics.stylings),
        "sources": .object(
          shown.map { (key: $0.rawValue, value: .integer(sources[$0, default: 0])) }
        ),
        "peakMemoryBytes": .integer(orNull: ProcessMemory.peak),
      ]
    }
  }

  /// How many images wait for their downloads.
  private static let lookahead = 250

  let inputs: [Input]
  let styles: [Style]
  let concurrency: Int
  let stopsEarly: Bool

  /// Loads everything and calls `handle` for each image, in the order they become ready.
  ///
  /// - Throws: `CancellationError` when the task is cancelled.
  func run(
    _ session: Session,
    _ output: Output,
    handle: (Outcome) throws -> Void = { _ in }
  ) async throws -> Report {
    let clock = ContinuousClock()
    let start = clock.now
    var report = Report(requested: inputs.count, statistics: session.pipeline.statistics)
    try await session.finishing(output) {
      try await load(session.pipeline, output, into: &report, handle)
    }
    report.statistics = session.pipeline.statistics
    report.duration = clock.now - start
    report.failures.sort { $0.index < $1.index }
    return report
  }

  private func load(
    _ pipeline: ImagePipeline,
    _ output: Output,
    into report: inout Report,
    _ handle: (Outcome) throws -> Void
  ) async throws {
    var bar = ProgressBar(on: output)
    defer { bar.clear() }
    // Enough to keep the processors busy while all downloads wait for their servers, and to find
    // images of other hosts behind those of one that never responds.
    let window = concurrency + Self.lookahead
    try await withThrowingTaskGroup(of: Outcome.self) { group in
      var rest = inputs.indices[...]
      for index in rest.prefix(window) { group.addTask { await load(index, pipeline) } }
      rest = rest.dropFirst(window)
      while let outcome = try await group.next() {
        try Task.checkCancellation()
        if let next = rest.popFirst() {
          group.addTask { await load(next, pipeline) }
        }
        report.add(outcome)
        try handle(outcome)
        let bytes = pipeline.statistics.downloadedBytes
        let done = report.downloaded + report.cached + report.failures.count
        bar.show(
          done: done,
          of: inputs.count,
          note: "\(done)/\(inputs.count)  \(ProgressBar.bytes(bytes))"
        )
      }
    }
  }

  private func load(_ index: Int, _ pipeline: ImagePipeline) async -> Outcome {
    var outcome = Outcome(index: index)
    do {
      for style in styles {
        var request = try await inputs[index].request(style: style)
        request.stopsEarly = stopsEarly
        outcome.images.append(try await pipeline.response(for: request))
      }
    } catch {
      outcome.error = Failure(error).sentence
    }
    return outcome
  }
}

extension Batch.Report {
  fileprivate mutating func add(_ outcome: Batch.Outcome) {
    for image in outcome.images { sources[image.source, default: 0] += 1 }
    if let error = outcome.error {
      failures.append((outcome.index, error))
    } else if outcome.images.contains(where: { $0.source == .network }) {
      downloaded += 1
    } else {
      cached += 1
    }
  }

  /// Reports failures: ten lines, then how many more there are.
  func complain(_ output: Output) {
    for failure in failures.prefix(10) { output.complain(failure.sentence) }
    if failures.count > 10 { output.complain("and \(failures.count - 10) more failed") }
  }
}
