#if canImport(Glibc)
/// Queries GIO's network monitor, where GIO is installed.
package struct NetworkMonitor: Sendable {
  private let name: String

  /// Takes the name of GIO's library, which each query looks for: it stays loaded after the first.
  package init(library name: String = "libgio-2.0.so.0") { self.name = name }

  /// Whether the portal of a sandbox or NetworkManager reports a metered network; nil when GIO is
  /// not installed.
  ///
  /// It blocks on the bus for milliseconds, or 25 seconds when no service responds there.
  @Sendable package func isNetworkMetered() -> Bool? { GIOLibrary(name)?.isNetworkMetered() }
}
#endif
