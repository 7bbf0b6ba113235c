/// A store whose calls wait for the disk: ``DiskCache``, ``ImageTable``, caches of your own.
///
/// The module Ikran makes them from tasks, in `concurrently(_:)`.
public protocol BlockingStore: Sendable {}
