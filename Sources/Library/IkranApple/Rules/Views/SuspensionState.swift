/// Why a pipeline is to be suspended, and how far it has followed.
///
/// Suspending takes time, in which the app may return, and leave again.
package struct SuspensionState {
  /// What keeps a pipeline suspended.
  package struct Reasons: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The app is in the background.
    package static let background = Reasons(rawValue: 1)
    /// The device is locked, and files cannot be read until it is unlocked.
    package static let lock = Reasons(rawValue: 2)
  }

  private enum Pipeline {
    case running
    case suspending
    case suspended
  }

  private var reasons: Reasons = []
  private var pipeline = Pipeline.running

  package init() {}

  /// Whether the pipeline is to be suspended still.
  package var isWanted: Bool { !reasons.isEmpty }

  /// There is a reason; whether to suspend the pipeline now.
  package mutating func begin(_ reason: Reasons) -> Bool {
    reasons.formUnion(reason)
    guard pipeline == .running else { return false }
    pipeline = .suspending
    return true
  }

  /// A reason is gone; whether to resume the pipeline now.
  package mutating func end(_ reason: Reasons) -> Bool {
    reasons.subtract(reason)
    guard reasons.isEmpty, pipeline == .suspended else { return false }
    pipeline = .running
    return true
  }

  /// The pipeline is suspended; whether to resume it, as no reason is left.
  package mutating func didSuspend() -> Bool {
    pipeline = reasons.isEmpty ? .running : .suspended
    return reasons.isEmpty
  }
}
