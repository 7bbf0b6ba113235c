import IkranPixels
import Synchronization
import IkranSystem

/// The file that a table uses now, which look-ups on any thread find without a lock.
///
/// Invariant: the counts of a file that was replaced are not deallocated before the table is, as a
/// look-up that has found them may be late. It finds the file closed, and begins again. They are
/// used again for another file, so there are as many of them as files that were in use at the same
/// time.
final class CurrentFile: Sendable {
  private struct Former {
    var files: [CountedFile] = []
    /// Hits and misses in files before those.
    var counts = (hits: 0, misses: 0)

    mutating func takeUnused() -> CountedFile? {
      guard let index = files.firstIndex(where: \.isUnused) else { return nil }
      let unused = files.remove(at: index)
      counts.hits += unused.counts.hits
      counts.misses += unused.counts.misses
      return unused
    }
  }

  private let current: Atomic<Unmanaged<CountedFile>>
  private let former = Guarded(Former())

  init(_ file: TableFile) {
    let counted = CountedFile()
    counted.open(file)
    current = Atomic(.passRetained(counted))
  }

  deinit {
    let last = current.load(ordering: .acquiring).takeRetainedValue()
    last.close()
  }

  /// Runs a look-up in the file; nil counts as a miss.
  ///
  /// The memory of a picture that `body` finds ends the use of the file; `body` must not wait. Its
  /// last argument counts the look-ups of one stripe.
  @inline(__always)
  func lookUp<R>(_ body: (CountedFile, TableFile, UInt64) -> R?) -> R? {
    var found: R?
    while true {
      let counted = current.load(ordering: .acquiring)
      if counted._withUnsafeGuaranteedRef({ $0.lookUp(body, found: &found) }) { return found }
    }
  }

  /// The file; counts as no look-up.
  func read() -> TableFile {
    while true {
      let counted = current.load(ordering: .acquiring)
      if let file = counted._withUnsafeGuaranteedRef({ $0.read() }) { return file }
    }
  }

  /// Counts the hit of a repeated look-up, whose first attempt counted as a miss.
  func noteHit() {
    current.load(ordering: .acquiring)._withUnsafeGuaranteedRef { $0.noteHit() }
  }

  /// Stores another file; returns the old one, which the caller closes.
  func exchange(_ file: TableFile) -> CountedFile {
    former.withLock { former in
      let counted = former.takeUnused() ?? CountedFile()
      counted.open(file)
      let old = current.exchange(.passRetained(counted), ordering: .acquiringAndReleasing)
        .takeRetainedValue()
      former.files.append(old)
      return old
    }
  }

  /// Hits and misses so far.
  var counts: (hits: Int, misses: Int) {
    former.withLock { former in
      var sum = current.load(ordering: .acquiring)._withUnsafeGuaranteedRef { $0.counts }
      for (hits, misses) in former.files.map(\.counts) + [former.counts] {
        sum.hits += hits
        sum.misses += misses
      }
      return sum
    }
  }
}
