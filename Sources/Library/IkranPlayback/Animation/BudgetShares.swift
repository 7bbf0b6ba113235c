/// Divides the budget of a process among its animations: a value without lock.
package struct BudgetShares: Sendable {
  /// What one animation can use.
  package struct Demand: Sendable, Hashable {
    /// Bytes of all frames that it wants.
    package var full: Int
    /// Bytes that it wants when it cannot have all.
    package var reduced: Int
    /// Bytes of one frame, which an animation without players keeps.
    package var frame: Int
    /// Whether a player shows it.
    package var isShown: Bool

    package init(full: Int, reduced: Int, frame: Int, isShown: Bool) {
      self.full = full
      self.reduced = reduced
      self.frame = frame
      self.isShown = isShown
    }
  }

  /// The bytes for all animations together.
  package var byteLimit: Int
  /// The limit is divided by this while memory is scarce.
  package private(set) var divisor = 1
  /// Frames until the divisor is halved.
  private var untilRecovery = 0
  private var demands: [UInt64: Demand] = [:]

  package init(byteLimit: Int) { self.byteLimit = byteLimit }

  /// Sets what an animation can use; nil forgets it.
  ///
  /// - Returns: Whether that is new.
  package mutating func set(_ demand: Demand?, of id: UInt64) -> Bool {
    guard demands[id] != demand else { return false }
    demands[id] = demand
    return true
  }

  /// Makes do with less: half of the budget, or an eighth.
  package mutating func relieve(isCritical: Bool) {
    divisor = max(divisor, isCritical ? 8 : 2)
    untilRecovery = 256
  }

  /// Counts a decoded frame: after 256 of them a divided budget doubles.
  ///
  /// - Returns: Whether it did.
  package mutating func countDecoded() -> Bool {
    guard divisor > 1 else { return false }
    untilRecovery -= 1
    guard untilRecovery <= 0 else { return false }
    divisor /= 2
    untilRecovery = 256
    return true
  }

  /// The bytes for each animation; together they are at most the limit.
  ///
  /// Animations on display come first. Those that want less than an equal part get all they want,
  /// and the others share what they leave. Animations that are not shown get one frame each from
  /// what is left, the newest first, but none while memory is scarce.
  ///
  /// Cost: sorts the animations.
  package func shares() -> [UInt64: Int] {
    var shares: [UInt64: Int] = [:]
    var left = max(0, byteLimit) / divisor
    let shown = demands.filter(\.value.isShown)
      .sorted { ($0.value.full, $0.key) < ($1.value.full, $1.key) }
    for (index, (id, demand)) in shown.enumerated() {
      let part = left / (shown.count - index)
      let share = demand.full <= part ? demand.full : min(demand.reduced, part)
      shares[id] = share
      left -= share
    }
    for (id, demand) in demands.sorted(by: { $0.key > $1.key }) where !demand.isShown {
      let share = divisor == 1 && demand.frame <= left ? demand.frame : 0
      shares[id] = share
      left -= share
    }
    return shares
  }
}
