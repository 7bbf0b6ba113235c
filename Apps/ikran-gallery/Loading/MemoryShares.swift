/// How the caches of the modes divide the memory for pictures, in bytes.
struct MemoryShares: Sendable, Equatable {
  /// The most that all of them keep.
  let total: Int

  /// For the styled images of each pipeline, which keeps a quarter as many again for files and
  /// decodes: three eighths in all.
  var styled: Int { total / 10 * 3 }

  /// For the original files, and for the small ones, of the conventional modes.
  var files: Int { total / 8 }
}
