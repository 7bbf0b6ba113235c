/// Which processes that use a table live, asked once in a change.
///
/// Invariant: used with the writer's lock held, so what was true stays safe until the change is
/// done. A process that dies since counts as living; a new one that gets the number of a dead one
/// pins nothing before it has had the lock.
final class LivingProcesses: @unchecked Sendable {  // changed with the writer's lock held
  private var asked: UInt64 = 0
  private var living: UInt64 = 0

  /// Forgets what an earlier change has asked.
  func forget() { asked = 0 }

  /// Those of the processes that live.
  ///
  /// C function: `fcntl`, `F_OFD_GETLK`, for each that this change has not asked for.
  func among(_ processes: UInt64, in file: MappedFile) -> UInt64 {
    for number in 0..<TableHeader.processCount {
      let bit = UInt64(1) << UInt64(number)
      guard processes & ~asked & bit != 0 else { continue }
      asked |= bit
      let byte = TableHeader.processLocks.lowerBound + number
      if file.isLockedElsewhere(byte..<byte + 1) { living |= bit } else { living &= ~bit }
    }
    return processes & living
  }
}
