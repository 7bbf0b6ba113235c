import Ikran
import IkranSystem

// Decision 88: stores that processes share are behind the disk.

/// Finished pictures in stores that several processes share.
///
/// A store that fails is as if it were empty.
final class SharedResults: Sendable {
  private struct State {
    /// Keys that other processes wait for.
    var claims: Set<String> = []
    /// Results that are being stored.
    var storing = 0
    /// Claims and results that are being given up.
    var releasing = 0
  }

  /// As many results are stored at once; more are not stored.
  private static let mostStoring = 64

  /// In the order in which they are asked.
  let tiers: [GuardedTier]
  private let fingerprint: String
  private let patience: Duration
  private let lifetime: Duration
  private let clock: PipelineClock
  private let state = Guarded(State())

  /// Takes the stores.
  ///
  /// - Parameters:
  ///   - tiers: In the order in which they are asked.
  ///   - fingerprint: Names the settings that results depend on.
  ///   - patience: How long a result is waited for that another process makes, which may have been
  ///     killed: a part of a request's time.
  ///   - lifetime: How long a claim counts that is not given up: as long as a request may take.
  ///   - clock: The time.
  init(
    _ tiers: [GuardedTier],
    fingerprint: String,
    patience: Duration = .seconds(2),
    lifetime: Duration = .seconds(10),
    clock: PipelineClock = .system
  ) {
    (self.tiers, self.fingerprint) = (tiers, fingerprint)
    (self.patience, self.lifetime, self.clock) = (patience, lifetime, clock)
  }

  /// What the stores have, which all of them have then.
  func result(for key: String) async -> StoredResult? {
    guard let name = sharedName(of: key) else { return nil }
    for (index, tier) in tiers.enumerated() {
      guard let bytes = await tier.value(for: name), let result = StoredResult(bytes) else {
        continue
      }
      if index > 0 { store(bytes, name, in: tiers[..<index]) }
      return result
    }
    return nil
  }

  /// Waits until another process has made a result; nil when this one has to.
  ///
  /// After nil, either ``store(_:for:)`` or ``giveUp(_:)`` has to follow.
  func madeElsewhere(_ key: String) async -> StoredResult? {
    guard let tier = tiers.first(where: \.tier.canClaim), let name = sharedName(of: key)
    else { return nil }
    let end = clock.now() + patience.microseconds
    var pause = Duration.milliseconds(20)
    while let isFirst = await tier.claim(claimed(name), for: lifetime) {
      if isFirst { return await resultBehindClaim(of: name, in: tier) }
      guard clock.now() < end, (try? await clock.sleep(pause)) != nil else { return nil }
      pause = min(pause * 2, .milliseconds(200))
      if let bytes = await tier.value(for: name), let result = StoredResult(bytes) {
        return result
      }
    }
    return nil
  }

  /// What who had the claim before has stored since it was looked for; nil leaves the claim with
  /// this process.
  private func resultBehindClaim(of name: String, in tier: GuardedTier) async -> StoredResult? {
    if let bytes = await tier.value(for: name), let result = StoredResult(bytes) {
      await tier.release(claimed(name))
      return result
    }
    state.withLock { _ = $0.claims.insert(name) }
    return nil
  }

  /// Keeps a result, soon; processes that wait for it then have it.
  func store(_ result: StoredResult, for key: String) {
    guard !tiers.isEmpty, let name = sharedName(of: key) else { return }
    store(result.bytes, name, in: tiers[...])
  }

  /// Whether results are still being stored or removed, or claims given up.
  var isBusy: Bool { state.withLock { $0.storing > 0 || $0.releasing > 0 } }

  /// Lets other processes make a result that this one does not keep.
  func giveUp(_ key: String) {
    guard let name = sharedName(of: key), takeClaim(name) else { return }
    state.withLock { $0.releasing += 1 }
    Task {
      await release(name)
      state.withLock { $0.releasing -= 1 }
    }
  }

  /// Forgets a result that no process is to send any more, soon.
  func remove(_ key: String) {
    guard let name = sharedName(of: key) else { return }
    let hasClaim = takeClaim(name)
    state.withLock { $0.releasing += 1 }
    Task {
      for tier in tiers { await tier.remove(name) }
      if hasClaim { await release(name) }
      state.withLock { $0.releasing -= 1 }
    }
  }

  private func store(_ bytes: [UInt8], _ name: String, in tiers: ArraySlice<GuardedTier>) {
    let hasClaim = takeClaim(name)
    let mayStore = state.withLock { state in
      guard state.storing < Self.mostStoring else { return false }
      state.storing += 1
      return true
    }
    guard mayStore || hasClaim else { return }
    Task {
      if mayStore { for tier in tiers { await tier.store(bytes, for: name) } }
      if hasClaim { await release(name) }
      if mayStore { state.withLock { $0.storing -= 1 } }
    }
  }

  private func takeClaim(_ name: String) -> Bool {
    state.withLock { $0.claims.remove(name) != nil }
  }

  private func release(_ name: String) async {
    await tiers.first { $0.tier.canClaim }?.release(claimed(name))
  }

  private func claimed(_ name: String) -> String { name + "/claim" }

  /// A key's name in the stores, of which some have short names alone; nil without libcrypto.
  ///
  /// No stranger can find another path that has the same name.
  private func sharedName(of key: String) -> String? {
    SignatureHandle.hash(Array((fingerprint + key).utf8)).map { "ikran/1/" + $0.hexadecimal }
  }
}
