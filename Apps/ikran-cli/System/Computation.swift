import FoundationEssentials
import IkranPixels
import IkranSystem
import IkranTransport

/// Long work that cannot be stopped, on threads of its own.
enum Computation {
  private static let threads = WorkerPool(
    name: "computation",
    threads: ProcessInfo.processInfo.activeProcessorCount
  ) { _ in }

  /// Returns the work's result, or throws as soon as the task is cancelled.
  ///
  /// Work that is no longer awaited goes on until the process ends.
  static func value<Value: Sendable>(
    of work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    let outcome = OneShot<Result<Value, any Error>>()
    return try await withTaskCancellationHandler {
      threads.submit(id: threads.nextID(), priority: { 0 }) {
        outcome.resume(Result { try work() })
      } dropped: {
        outcome.resume(.failure(CancellationError()))
      }
      return await outcome.value
    } onCancel: {
      outcome.resume(.failure(CancellationError()))
    }.get()
  }
}
