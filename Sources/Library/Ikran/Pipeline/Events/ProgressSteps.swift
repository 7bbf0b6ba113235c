import IkranSystem
import IkranTransport

/// Decides which changes of a transfer's progress are reported.
final class ProgressSteps: Sendable {
  private let share: Double
  private let reported = Guarded(0)

  init(_ share: Double) { self.share = share }

  /// Whether enough has arrived since the last one; always at the beginning and at the end.
  func includes(_ progress: TransferProgress) -> Bool {
    guard share > 0, let expected = progress.expected else { return true }
    return reported.withLock { reported in
      let received = progress.received
      let step = Double(received - reported) / Double(max(1, expected))
      // A restarted transfer has less than before.
      guard received <= reported || received >= expected || step >= share else { return false }
      reported = received
      return true
    }
  }
}
