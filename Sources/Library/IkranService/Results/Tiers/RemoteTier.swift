/// A store that several processes share, behind the caches of each.
///
/// Every call ends soon after its time: with what was found or with an error.
protocol RemoteTier: Sendable {
  /// Its name among the counts, such as `s3`.
  var name: String { get }
  /// Whether ``claim(_:within:for:)`` knows who was first.
  var canClaim: Bool { get }

  /// The bytes under a key; nil where there are none.
  func value(for key: String, within time: Duration) async throws(TierError) -> [UInt8]?

  /// Keeps bytes under a key, in place of those that are there.
  func store(_ bytes: [UInt8], for key: String, within time: Duration) async throws(TierError)

  /// Forgets what is under a key, if there is anything.
  func remove(_ key: String, within time: Duration) async throws(TierError)

  /// Whether the caller is the first who claims a key.
  ///
  /// - Parameters:
  ///   - key: What is claimed.
  ///   - time: How long the call may take.
  ///   - lifetime: How long the claim is good for.
  /// - Returns: False while another's claim is good.
  /// - Throws: ``TierError``.
  func claim(
    _ key: String,
    within time: Duration,
    for lifetime: Duration
  ) async throws(TierError) -> Bool

  /// Gives a claim up.
  func release(_ key: String, within time: Duration) async throws(TierError)
}

/// Why a call of a shared store fails.
enum TierError: Error, Sendable, Hashable {
  /// The store does not respond, or not as it should; the text says how.
  case failed(String)
  /// The store is well, but does not take this; the text says why.
  case refused(String)
  /// The caller's task was cancelled.
  case cancelled
}

extension RemoteTier {
  var canClaim: Bool { false }

  func claim(
    _ key: String,
    within time: Duration,
    for lifetime: Duration
  ) async throws(TierError) -> Bool { true }

  func release(_ key: String, within time: Duration) async throws(TierError) {}
}
