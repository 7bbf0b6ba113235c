import Ikran
import IkranStores
import IkranSystem

// Decision 91: files of sources are two values of the stores that have results.

/// Files of sources in stores that several processes share.
///
/// A store has the file as it is, and a record that names its bytes: of a pair that does not belong
/// together, or is damaged, there is no file.
final class SharedSources: SharedFiles {
  /// How a look for a file ended.
  enum Outcome: String, Sendable, CaseIterable {
    case hit, miss, damaged
  }

  private struct State {
    /// Bytes of files that are being stored.
    var storing = 0
    /// Changes of the stores so far.
    var number = 0
    /// The last change of each name that is under way.
    var last: [String: (number: Int, task: Task<Void, Never>)] = [:]
    var outcomes: [Outcome: Int] = [:]
  }

  /// As many bytes are stored at once; what is more is not stored.
  private static let mostStoring = 64 << 20

  /// In the order in which they are asked.
  private let tiers: [GuardedTier]
  /// Part of each name: who may connect to other addresses has other sources.
  private let scope: String
  private let state = Guarded(State())

  /// Takes the stores.
  init(_ tiers: [GuardedTier], scope: String) { (self.tiers, self.scope) = (tiers, scope) }

  /// Takes the stores of a service; nil where its settings do not ask for sources in them.
  convenience init?(_ tiers: [GuardedTier], _ settings: ServiceSettings) {
    guard settings.caching.tiers.haveSources, !tiers.isEmpty else { return nil }
    let (http, addresses) = (settings.sources.http, settings.sources.addresses)
    let rules = [
      addresses.allowsLoopback, addresses.allowsLinkLocal, addresses.allowsPrivate,
      http.ignoresCertificates,
    ]
    self.init(tiers, scope: "\(rules) \(http.userAgent) ")
  }

  /// Whether files are still being stored or removed.
  var isBusy: Bool { state.withLock { !$0.last.isEmpty } }

  /// How many looks for a file ended in a way so far.
  func count(of outcome: Outcome) -> Int { state.withLock { $0.outcomes[outcome] ?? 0 } }

  /// What the stores have, which those before it have then, too.
  func file(at url: String) async -> SharedFile? {
    guard let name = sharedName(of: url) else { return nil }
    var outcome = Outcome.miss
    for (index, tier) in tiers.enumerated() {
      guard let bytes = await tier.value(for: name) else { continue }
      guard let record = SharedSourceRecord(bytes) else {
        outcome = .damaged
        continue
      }
      // Stores drop what they have no room for.
      guard let body = await tier.value(for: Self.body(name)) else { continue }
      guard record.names(body) else {
        outcome = .damaged
        continue
      }
      let file = SharedFile(response: record.response, bytes: body)
      if index > 0 { store(file, under: name, in: tiers[..<index]) }
      add(.hit)
      return file
    }
    add(outcome)
    return nil
  }

  func store(_ file: SharedFile, at url: String) {
    guard let name = sharedName(of: url) else { return }
    // What is there is an older one.
    if !store(file, under: name, in: tiers[...]) { remove(at: url) }
  }

  /// Keeps a file; false where too much is being stored.
  @discardableResult
  private func store(
    _ file: SharedFile,
    under name: String,
    in tiers: ArraySlice<GuardedTier>
  ) -> Bool {
    let count = file.bytes.count
    let mayStore = state.withLock { state in
      guard state.storing + count <= Self.mostStoring else { return false }
      state.storing += count
      return true
    }
    guard mayStore else { return false }
    change(name) { [state] in
      let record = SharedSourceRecord(of: file).bytes
      for tier in tiers {
        if await tier.store(file.bytes, for: Self.body(name)) {
          await tier.store(record, for: name)
        } else {
          // What it has is an older one.
          await tier.remove(name)
        }
      }
      state.withLock { $0.storing -= count }
    }
    return true
  }

  func confirm(_ file: SharedFile, at url: String) {
    guard let name = sharedName(of: url) else { return }
    let record = SharedSourceRecord(of: file).bytes
    change(name) { [tiers] in
      for tier in tiers { await tier.store(record, for: name) }
    }
  }

  func remove(at url: String) {
    guard let name = sharedName(of: url) else { return }
    change(name) { [tiers] in
      for tier in tiers {
        await tier.remove(name)
        await tier.remove(Self.body(name))
      }
    }
  }

  /// Changes the stores, one change of a name after the other.
  private func change(_ name: String, _ work: @escaping @Sendable () async -> Void) {
    state.withLock { found in
      found.number += 1
      let (number, before) = (found.number, found.last[name]?.task)
      let task = Task { [state] in
        await before?.value
        await work()
        state.withLock { if $0.last[name]?.number == number { $0.last[name] = nil } }
      }
      found.last[name] = (number, task)
    }
  }

  private func add(_ outcome: Outcome) {
    state.withLock { $0.outcomes[outcome, default: 0] += 1 }
  }

  /// The record's name in the stores; nil without libcrypto.
  func sharedName(of url: String) -> String? {
    SignatureHandle.hash(Array((scope + url).utf8)).map { "ikran/1/src/" + $0.hexadecimal }
  }

  /// The name of the file itself.
  private static func body(_ name: String) -> String { name + ".body" }
}
