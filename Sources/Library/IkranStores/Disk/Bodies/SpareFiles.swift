import IkranSystem

// Decision 56: files of evicted bodies are written over.
/// Files of bodies that left the cache, to be written over with the next bodies.
///
/// Writing over a file and renaming it takes half the time of creating one and removing another.
/// The files keep their names, so for every process they belong to no entry: any may remove them,
/// and what a process that dies leaves is swept. Only files whose removal from the index is
/// committed become spare: a body in the index is never written over.
final class SpareFiles: Sendable {
  private struct State {
    var files: [(path: String, byteCount: Int)] = []
    var byteCount = 0
  }

  /// As many as the bodies of a transaction, usually.
  private static let most = 16

  private let state = Guarded(State())
  private let byteLimit: Int

  /// - Parameter byteLimit: The cache's limit; spare files take up to a 32nd of it in addition.
  init(byteLimit: Int) { self.byteLimit = byteLimit / 32 }

  /// Keeps a file; false when there is no room for it.
  func keep(_ path: String, byteCount: Int) -> Bool {
    state.withLock { state in
      guard state.files.count < Self.most, byteCount >= 0, byteCount <= byteLimit - state.byteCount
      else {
        return false
      }
      state.files.append((path, byteCount))
      state.byteCount += byteCount
      return true
    }
  }

  /// The path of a file, which is no longer kept; nil when there is none.
  func take() -> String? {
    state.withLock { state in
      guard let file = state.files.popLast() else { return nil }
      state.byteCount -= file.byteCount
      return file.path
    }
  }

  /// The paths of all files, which are no longer kept.
  func takeAll() -> [String] {
    state.withLock { state in
      defer { state = State() }
      return state.files.map(\.path)
    }
  }
}
