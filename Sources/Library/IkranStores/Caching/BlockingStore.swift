/// A store whose calls wait for the disk: ``DiskCache``, ``ImageTable``, caches of your own.
///
/// The module Ikran makes them from tasks, in `concurrently(_:)`.
public protocol BlockingStore: Sendable {
  /// Lets running calls end, then releases every lock of a file, until ``resume()``.
  ///
  /// Meant for a program that the system stops while it is in the background: iOS ends one that
  /// holds a lock of a file in a shared container (0xdead10cc). A store without such locks, or of
  /// your own, need not implement it.
  func suspend() throws
  /// Ends a suspension; without one it does nothing.
  func resume()
}

extension BlockingStore {
  /// Nothing: the store holds no lock between its calls.
  public func suspend() throws {}

  /// Nothing.
  public func resume() {}
}
