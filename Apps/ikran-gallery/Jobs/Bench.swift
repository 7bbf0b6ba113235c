import Ikran

/// Scrolls the grid in each mode and prints what frames cost.
@MainActor
struct Bench {
  private let gallery: Gallery
  private let arguments: Arguments
  private let output: Output

  private static let floodCount = 100_000

  init(_ gallery: Gallery, _ arguments: Arguments, _ output: Output) {
    (self.gallery, self.arguments, self.output) = (gallery, arguments, output)
  }

  /// Measures and prints one JSON object; false when not everything could be measured.
  func run() async -> Bool {
    let frames = arguments.frames ?? 300
    await warm()
    var modes: [(key: String, value: JSON)] = []
    for mode in Mode.allCases {
      modes.append((key: mode.rawValue, value: await measure(mode, frames: frames)))
    }
    let flood = await Flood.run(gallery, results: Self.floodCount)
    let first = firstFrames()
    let settings = arguments.settings
    let report: JSON = [
      "count": .integer(gallery.binder.items.count),
      "frames": .integer(frames),
      "style": .string(settings.outline.rawValue),
      "size": .integer(settings.side),
      "filter": .string(settings.effect.rawValue),
      "cells": .integer(gallery.binder.boundCount),
      "renderer": .string(gallery.window.rendererName),
      "modes": .object(modes),
      "flood": ["results": .integer(Self.floodCount), "framesPerSecond": .rounded(flood)],
      "first": first ?? .object([]),
    ]
    try? output.line(report.text)
    if first == nil { output.complain("the program could not be run once more") }
    return first != nil
  }

  private func measure(_ mode: Mode, frames: Int) async -> JSON {
    var settings = arguments.settings
    settings.mode = mode
    gallery.grid.offset = 0
    gallery.change(settings)
    _ = await gallery.settle(within: .seconds(30))
    try? await Task.sleep(for: .milliseconds(300))
    let decodes = gallery.decodes
    let result = await Scroll.run(gallery, frames: frames)
    let report: JSON = [
      "frames": .integer(result.times.count),
      "p50Ms": .rounded(result.times.percentile(0.5)),
      "p99Ms": .rounded(result.times.percentile(0.99)),
      "framesOverBudget": .integer(result.times.overBudget),
      "cpuMsPerFrame": .rounded(result.processorTime / Double(result.times.count)),
      "decodes": .integer(gallery.decodes - decodes),
    ]
    return report
  }

  /// Fills the disk cache, the tables and what the conventional modes decode; then memory is
  /// emptied, so that each mode shows what it does with its own caches.
  private func warm() async {
    let pipeline = gallery.pipelines.withTables
    var running: [Task<Void, Never>] = []
    for number in gallery.binder.items.indices {
      // As many as keep the processors busy.
      if running.count == 8 { await running.removeFirst().value }
      running.append(Task { await warm(number) })
    }
    for task in running { await task.value }
    await pipeline.finishWriting()
    await pipeline.removeAll(from: .memory)
    gallery.pipelines.counts.reset()
  }

  private func warm(_ number: Int) async {
    let (item, settings, scale) = (
      gallery.binder.items[number], arguments.settings, gallery.grid.scale
    )
    let request = settings.request(for: item, scale: Double(scale))
    // What cannot be loaded shows the sign of a failure in every mode.
    _ = try? await gallery.pipelines.withTables.response(for: request)
    try? await gallery.originals.fetch(item, number)
    await gallery.originals.makeThumbnail(number, side: settings.side * scale)
  }

  /// Runs the program again, whose tables are warm.
  private func firstFrames() -> JSON? {
    var words = ["--first", "--mode", "tables"]
    let settings = arguments.settings
    words += ["--style", settings.outline.rawValue, "--cell", "\(settings.side)"]
    words += ["--filter", settings.effect.rawValue]
    if let cache = arguments.cache { words += ["--cache", cache] }
    switch arguments.images {
    case .portraits(let count): words += ["--count", "\(count)"]
    case .list(let path): words += ["--urls", path]
    case .folder(let path): words += ["--folder", path]
    case .paths(let paths): words += paths
    }
    return Subprocess.run(words).map { .verbatim($0) }
  }
}
