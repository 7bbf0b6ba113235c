import IkranHTTP
import IkranStores
import IkranSystem

/// Where finished pictures are kept, and how much of them.
package struct CacheSettings: Sendable, Hashable {
  /// The folder of results and sources; nil keeps them in memory alone.
  package var folder: String?
  /// For results and sources together; the index of a folder takes more.
  package var diskBytes = 1 << 30
  /// For results, and as many again for sources.
  package var memoryBytes = 64 << 20

  /// Creates settings.
  package init(folder: String? = nil) { self.folder = folder }
}

/// Finished pictures in memory, on the disk and in shared stores, by what was asked for.
final class ResultCache: Sendable {
  private let memory: MemoryCache<String, StoredResult>
  private let disk: DiskCache?
  /// Nil where the settings name no shared store.
  let shared: SharedResults?
  private let faults: CacheFaults
  private let readers = WorkerPool<Void>(name: "ikran-found", threads: 2) { _ in }
  private let writers = WorkerPool<Void>(name: "ikran-results", threads: 1) { _ in }
  /// Bytes that wait for the disk.
  private let waiting = Guarded(0)
  /// The most of them: a disk that is slower than the pictures gets some of them only.
  private static let mostWaiting = 64 << 20
  /// Part of each name on the disk: results of other settings are others.
  private let fingerprint: String

  /// Opens the caches.
  ///
  /// - Throws: ``DiskCacheError``.
  init(
    _ settings: CacheSettings,
    fingerprint: String,
    shared: SharedResults? = nil,
    faults: CacheFaults = CacheFaults()
  ) throws(DiskCacheError) {
    (self.shared, self.faults) = (shared, faults)
    memory = MemoryCache(byteLimit: settings.memoryBytes, isContended: true)
    self.fingerprint = fingerprint
    if let folder = settings.folder {
      let options = DiskCacheOptions(byteLimit: settings.diskBytes / 2, compresses: false)
      disk = try DiskCache(directory: folder + "/results", options: options)
    } else {
      disk = nil
    }
  }

  /// What memory has; takes a lock of one stripe for less than a microsecond.
  func inMemory(_ key: String) -> StoredResult? { memory.value(for: key) }

  /// What the disk has, or a shared store, and whether it is that; memory then has it, too.
  func read(_ key: String) async -> (result: StoredResult, isShared: Bool)? {
    if let found = await readDisk(key) { return (found, false) }
    guard let found = await shared?.result(for: key) else { return nil }
    storeHere(found, for: key)
    return (found, true)
  }

  /// A result that another process has made by now; nil where this one has to make it.
  ///
  /// After nil, either ``store(_:for:)`` or ``giveUp(_:)`` has to follow.
  func madeElsewhere(_ key: String) async -> StoredResult? {
    guard let made = await shared?.madeElsewhere(key) else { return nil }
    storeHere(made, for: key)
    return made
  }

  /// Lets other processes make what this one does not keep.
  func giveUp(_ key: String) { shared?.giveUp(key) }

  private func readDisk(_ key: String) async -> StoredResult? {
    guard disk != nil else { return nil }
    return await withCheckedContinuation { done in
      readers.submit(id: readers.nextID(), priority: { 0 }) { [self] _ in
        done.resume(returning: onDisk(key))
      } dropped: {
        done.resume(returning: nil)
      }
    }
  }

  private func onDisk(_ key: String) -> StoredResult? {
    guard let disk, let entry = try? disk.entry(for: name(key)),
      let facts = StoredResult.Facts(entry.extended)
    else { return nil }
    let result = StoredResult(facts: facts, body: BodyBytes(entry.body))
    remember(result, for: key)
    return result
  }

  /// Keeps a result: in memory at once, on the disk and in shared stores soon.
  func store(_ result: StoredResult, for key: String) {
    storeHere(result, for: key)
    shared?.store(result, for: key)
  }

  private func storeHere(_ result: StoredResult, for key: String) {
    remember(result, for: key)
    guard let disk else { return }
    let (place, size) = (name(key), result.body.count)
    let mayWait = waiting.withLock { waiting in
      guard waiting + size <= Self.mostWaiting else { return false }
      waiting += size
      return true
    }
    guard mayWait else { return }
    writers.submit(id: writers.nextID(), priority: { 0 }) { [waiting, faults] _ in
      defer { waiting.withLock { $0 -= size } }
      // A full disk keeps nothing more; the picture was sent all the same.
      faults.watch(.results) { () throws(DiskCacheError) in
        try disk.store(result.body.bytes, extended: Array(result.facts.lines.utf8), for: place)
      }
    } dropped: {
    }
  }

  /// Keeps what is newly known of a result.
  func update(_ result: StoredResult, for key: String) {
    remember(result, for: key)
    shared?.store(result, for: key)
    guard let disk else { return }
    let place = name(key)
    writers.submit(id: writers.nextID(), priority: { 0 }) { [faults] _ in
      faults.watch(.results) { () throws(DiskCacheError) in
        _ = try disk.extend(Array(result.facts.lines.utf8), for: place)
      }
    } dropped: {
    }
  }

  /// Waits until the disk has what was stored.
  func flush() async {
    guard disk != nil else { return }
    await withCheckedContinuation { done in
      // Behind all others.
      writers.submit(id: writers.nextID(), priority: { -1 }) { _ in
        done.resume()
      } dropped: {
        done.resume()
      }
    }
  }

  /// Forgets a result: in memory at once, on the disk and in shared stores soon.
  func remove(_ key: String) {
    memory.remove(key)
    shared?.remove(key)
    guard let disk else { return }
    let place = name(key)
    writers.submit(id: writers.nextID(), priority: { 0 }) { [faults] _ in
      faults.watch(.results) { () throws(DiskCacheError) in try disk.remove(place) }
    } dropped: {
    }
  }

  private func remember(_ result: StoredResult, for key: String) {
    memory.store(result, cost: result.body.count + 2 * key.utf8.count + 512, for: key)
  }

  private func name(_ key: String) -> String { fingerprint + key }
}
