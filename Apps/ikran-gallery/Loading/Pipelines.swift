import Ikran

/// The two pipelines that are compared; they share the files on the disk.
struct Pipelines: Sendable {
  let withoutTables: ImagePipeline
  let withTables: ImagePipeline
  let counts: SourceCounts
  let memory: MemoryShares

  /// Creates both.
  ///
  /// - Parameters:
  ///   - folder: Where they keep files; nil is the user's folder for caches.
  ///   - origin: The address of the server inside, whose port is another one each time: the caches
  ///     call it by one name.
  ///   - memory: What they may keep in memory.
  init(folder: String?, origin: String?, memory: MemoryShares) {
    let counts = SourceCounts()
    (self.counts, self.memory) = (counts, memory)
    var options = PipelineOptions.standard(
      folder ?? CacheDirectory.standard.map { $0 + "-gallery" }
    )
    options.memory.limit = .bytes(memory.styled)
    options.decoding.acceptsCutFiles = true
    if let origin {
      options.keys.filter = { $0.hasPrefix(origin) ? "origin:" + $0.dropFirst(origin.count) : $0 }
    }
    options.tables?.keepsLocalFiles = true
    withTables = ImagePipeline(options: options, onEvent: { counts.record($0) })
    options.tables = nil
    withoutTables = ImagePipeline(options: options, onEvent: { counts.record($0) })
  }

  /// The one that a mode uses.
  subscript(mode: Mode) -> ImagePipeline { mode == .tables ? withTables : withoutTables }

  /// Empties all caches of both.
  func removeAll() async {
    await withTables.removeAll()
    await withoutTables.removeAll()
    counts.reset()
  }
}
