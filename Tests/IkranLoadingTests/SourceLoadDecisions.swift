@testable import Ikran

// What a load's index of its subscribers has to agree with: what it would decide for each now.

extension SourceLoad {
  /// Whether a subscriber waits for a batch, as a member or behind it.
  func waits(_ subscriber: Subscriber, for number: BatchNumber) -> Bool {
    if let batch = subscriber.batch { return batch == number }
    guard case .waitsFor(number) = need(of: subscriber) else { return false }
    return true
  }

  /// Whether what was decided for a subscriber is what would be decided now, and it is found there.
  func isUpToDate(_ subscriber: Subscriber) -> Bool {
    let wait = subscriber.wait
    guard subscribers.waiting(for: wait).contains(where: { $0.id == subscriber.id }) else {
      return false
    }
    if case .batch = wait { return true }
    return switch (need(of: subscriber), wait) {
    case (.caches, .caches), (.record, .caches): true
    case (.waitsFor(let batch), .waitsFor(let decided)): batch == decided
    case (.transfer, .transfer): transfer?.serves(subscriber) == true
    case (.transfer, .laterTransfer): transfer?.serves(subscriber) == false
    default: false
    }
  }
}
