/// Whether an app is in the background, and how far its pipeline has followed.
///
/// Suspending takes time, in which the app may return, and leave again.
package struct SuspensionState {
  private enum Pipeline {
    case running
    case suspending
    case suspended
  }

  private var isInBackground = false
  private var pipeline = Pipeline.running

  package init() {}

  /// Whether the app is in the background with a pipeline that runs.
  package var needsSuspension: Bool { isInBackground && pipeline == .running }

  /// The app is in the background; whether to suspend the pipeline now.
  package mutating func enterBackground() -> Bool {
    isInBackground = true
    guard pipeline == .running else { return false }
    pipeline = .suspending
    return true
  }

  /// The app returns; whether to resume the pipeline now.
  package mutating func enterForeground() -> Bool {
    isInBackground = false
    guard pipeline == .suspended else { return false }
    pipeline = .running
    return true
  }

  /// The pipeline is suspended; whether to resume it, as the app has returned.
  package mutating func didSuspend() -> Bool {
    guard !isInBackground else {
      pipeline = .suspended
      return false
    }
    pipeline = .running
    return true
  }
}
