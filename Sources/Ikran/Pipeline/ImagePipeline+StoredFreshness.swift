import IkranStores
import Synchronization

// How long sources stay fresh: in memory, on the disk, and in the file for later runs.

/// What is known of how long a source is good for; nothing, for one that came without.
struct KeptAnswer: Sendable {
  let answer: StoredAnswer?
  /// The time in which nobody needs to ask, in microseconds since 1970.
  let fresh: Range<Int64>

  init(_ answer: StoredAnswer?, at now: Int64) {
    self.answer = answer
    switch answer.map({ Freshness(of: $0, at: now) }) {
    case nil: fresh = .min..<(.max)
    case .fresh(let until): fresh = min(now, until)..<until
    case .usableWhileChecked, .stale: fresh = 0..<0
    }
  }

  init(_ answer: StoredAnswer, fresh: Range<Int64>) {
    (self.answer, self.fresh) = (answer, fresh)
  }
}

extension ImagePipeline {
  /// Stores the fields of a response that the origin has confirmed, in memory and on the disk.
  func confirm(_ answer: StoredAnswer, of source: String) {
    counters.record(.confirmed)
    remember(answer, of: source)
    disk.extend(answer, for: source)
  }

  /// Notes what is known of a source from now on.
  ///
  /// Of a file that replaces an older one, later runs learn from the disk: the tables may still hold
  /// what was made of the older one when this process dies.
  func remember(_ answer: StoredAnswer, of source: String, isNew: Bool = false) {
    let kept = KeptAnswer(answer, at: clock.now())
    setFreshness(kept, of: source)
    // The freshness file speaks of images; redirects have their own note (`storeRedirect`).
    let isUnknown = isNew || kept.answer?.redirectTarget != nil
    lifetimes?.note(isUnknown ? nil : kept.fresh, of: TableID(source))
  }

  /// Sets what memory knows of a source.
  func setFreshness(_ kept: KeptAnswer, of source: String) {
    if kept.answer?.redirectTarget != nil { knowsRedirects.store(true, ordering: .relaxed) }
    answers.store(kept, cost: 0, for: source)
  }

  /// Notes what the disk knows of a source, unless what is known already is as new.
  func learn(_ answer: StoredAnswer?, of source: String) {
    let known = answers.value(for: source)
    if let answer {
      if let known = known?.answer, known.received >= answer.received { return }
      remember(answer, of: source)
    } else if known == nil {
      setFreshness(KeptAnswer(nil, at: clock.now()), of: source)
    }
  }

  /// Whether an earlier run left word that a source is fresh: the answer itself, which is on the
  /// disk, takes longer to find.
  func isKnownFresh(_ source: String) -> Bool {
    lifetimes?.lifetime(of: TableID(source))?.contains(clock.now()) == true
  }

  /// What is known of a source: from memory, else from the disk, which is asked once.
  func keptAnswer(
    of source: String,
    _ interest: Interest
  ) async throws(ImageError) -> KeptAnswer {
    if let kept = answers.value(for: source) { return kept }
    let kept = KeptAnswer(try await disk.answer(for: source, interest), at: clock.now())
    // Somebody may have learnt of it while the disk was read.
    if let newer = answers.value(for: source) { return newer }
    setFreshness(kept, of: source)
    return kept
  }
}
