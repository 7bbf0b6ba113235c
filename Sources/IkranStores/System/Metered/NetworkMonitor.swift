/// Asks GIO's network monitor, where GIO is installed; called on one thread at a time.
package final class NetworkMonitor: Sendable {
  private enum Library {
    case notLooked
    case missing
    case loaded(GIOLibrary)
  }

  private let name: String
  private let library = Guarded(Library.notLooked)

  /// Takes the name of GIO's library, which is loaded with the first question.
  package init(library name: String = "libgio-2.0.so.0") { self.name = name }

  /// Whether the network costs money, as the portal of a sandbox or NetworkManager says; nil when
  /// GIO is not installed.
  ///
  /// It blocks on the bus: for milliseconds, and 25 seconds when nobody answers there.
  @Sendable package func isNetworkMetered() -> Bool? {
    switch library.withLock({ $0 }) {
    case .missing: return nil
    case .loaded(let loaded): return loaded.isNetworkMetered()
    case .notLooked:
      let loaded = GIOLibrary(name)
      library.withLock { $0 = loaded.map { .loaded($0) } ?? .missing }
      return loaded?.isNetworkMetered()
    }
  }
}
