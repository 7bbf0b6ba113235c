/// Queries GIO's network monitor, where GIO is installed; called on one thread at a time.
package final class NetworkMonitor: Sendable {
  private enum Library {
    case notLoaded
    case missing
    case loaded(GIOLibrary)
  }

  private let name: String
  private let library = Guarded(Library.notLoaded)

  /// Takes the name of GIO's library, which is loaded by the first query.
  package init(library name: String = "libgio-2.0.so.0") { self.name = name }

  /// Whether the portal of a sandbox or NetworkManager reports a metered network; nil when GIO is
  /// not installed.
  ///
  /// It blocks on the bus for milliseconds, or 25 seconds when no service responds there.
  @Sendable package func isNetworkMetered() -> Bool? {
    switch library.withLock({ $0 }) {
    case .missing: return nil
    case .loaded(let loaded): return loaded.isNetworkMetered()
    case .notLoaded:
      let loaded = GIOLibrary(name)
      library.withLock { $0 = loaded.map { .loaded($0) } ?? .missing }
      return loaded?.isNetworkMetered()
    }
  }
}
