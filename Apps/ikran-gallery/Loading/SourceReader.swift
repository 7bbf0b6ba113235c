import IkranGTK

/// Looks for files that came, changed or went: when a folder says so, and when it is called.
@MainActor
final class SourceReader {
  private let source: GallerySource
  private let onFound: @MainActor (ItemList.Found) -> Void
  private var monitor: FolderMonitor?
  private var reading: Task<Void, Never>?

  /// Watches the folders of a source.
  ///
  /// - Parameters:
  ///   - source: What the program was started with.
  ///   - onFound: Called with what is there now.
  init(_ source: GallerySource, onFound: @escaping @MainActor (ItemList.Found) -> Void) {
    (self.source, self.onFound) = (source, onFound)
    monitor = FolderMonitor { [weak self] in self?.readAgain() }
    monitor?.watch(source.found.folders)
  }

  /// Reads the source again, on another thread.
  func readAgain() {
    reading?.cancel()
    reading = Task { @concurrent [source, weak self] in
      // A folder that cannot be read may be there again later: what is shown stays.
      guard let found = try? await source.readAgain(), !Task.isCancelled else { return }
      MainLoop.post { [weak self] in self?.use(found) }
    }
  }

  private func use(_ found: ItemList.Found) {
    monitor?.watch(found.folders)
    onFound(found)
  }
}
