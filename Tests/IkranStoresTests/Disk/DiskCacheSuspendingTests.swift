import Dispatch
import Glibc
import StoreTorture
import Support
import Testing

@testable import IkranStores

/// Disk caches whose process must hold no lock for a while.
@Suite(.timeLimit(.minutes(5))) struct DiskCacheSuspendingTests {
  private let folder: TemporaryDirectory
  private let cache: DiskCache

  init() throws {
    folder = try TemporaryDirectory()
    cache = try DiskCache(directory: folder.path + "/cache")
    try cache.store([1, 2, 3], for: "small")
    try cache.store([UInt8](repeating: 7, count: 50_000), for: "large")
    _ = try cache.body(for: "small")
  }

  private var files: [String] {
    ["index.sqlite", "index.sqlite-shared"].map { "\(cache.directory)/\($0)" }
  }

  private func findNoLock(_ location: SourceLocation = #_sourceLocation) throws {
    for file in files where Files.exists(file) {
      let end = try ChildProcess(["find-no-lock", file]).finish()
      #expect(end.code == 0, "\(end.output)", sourceLocation: location)
    }
  }

  @Test func anOpenCacheHasALock() throws {
    #expect(try ChildProcess(["find-no-lock", files[1]]).finish().code == 1)
  }

  @Test func anotherProcessFindsNoLockOfASuspendedCache() throws {
    cache.suspend()
    try findNoLock()
    cache.resume()
    #expect(try cache.body(for: "small") == [1, 2, 3])
    #expect(try ChildProcess(["find-no-lock", files[1]]).finish().code == 1)
  }

  @Test func whatAnotherProcessChangesIsSeenAfterwards() throws {
    cache.suspend()
    let end = try ChildProcess(["disk-make", folder.path]).finish()
    #expect(end.code == 0, "\(end.output)")
    #expect(try cache.body(for: "small-3") == nil)
    try findNoLock()
    cache.resume()
    #expect(try cache.body(for: "small-3")?.count == 500)
    #expect(try cache.body(for: "small") == [1, 2, 3])
    #expect(try cache.body(for: "large")?.count == 50_000)
    #expect(try cache.verify().dropped == 0)
  }

  @Test func lookUpsFindNothingAndChangesAreRefused() throws {
    cache.suspend()
    #expect(try cache.body(for: "small") == nil)
    #expect(try cache.extended(for: "small") == nil)
    #expect(try !cache.contains("small"))
    let error = DiskCacheError.suspended(path: cache.directory)
    #expect(throws: error) { try cache.store([4], for: "other") }
    #expect(throws: error) { try cache.store([UInt8](repeating: 4, count: 50_000), for: "other") }
    #expect(throws: error) { try cache.extend([4], for: "small") }
    #expect(throws: error) { try cache.remove("small") }
    #expect(throws: error) { try cache.removeAll() }
    #expect(throws: error) { try cache.trim() }
    #expect(throws: error) { try cache.statistics }
    #expect(throws: error) { try cache.move(to: folder.path + "/elsewhere") }
    var failures: [DiskCacheError] = []
    cache.store([(body: [4], extended: [], key: "other")]) { failures.append($0) }
    #expect(failures == [error])
    cache.flush()
    try findNoLock()
    cache.resume()
    #expect(try cache.keys().sorted() == ["large", "small"])
    #expect(try Files.list("\(cache.directory)/incoming").isEmpty)
    #expect(try cache.statistics.dropped == 0)
  }

  /// When the folder of bodies that no entry has yet was last changed.
  private func lastChange() throws -> timespec {
    var status = stat()
    try #require(stat("\(cache.directory)/incoming", &status) == 0)
    return status.st_mtim
  }

  @Test func aSuspendedCacheWritesNoBodyBeforeItRefuses() throws {
    cache.suspend()
    let body = [UInt8](repeating: 4, count: 50_000)
    let before = try lastChange()
    #expect(throws: DiskCacheError.self) { try cache.store(body, for: "other") }
    cache.store([(body, [], "other"), (body, [], "next")]) { _ in }
    let after = try lastChange()
    #expect((before.tv_sec, before.tv_nsec) == (after.tv_sec, after.tv_nsec))
  }

  @Test func itMaySuspendTwiceAndResumeWithoutThat() throws {
    cache.resume()
    cache.suspend()
    cache.suspend()
    try findNoLock()
    cache.resume()
    try cache.store([4], for: "other")
    #expect(try cache.body(for: "other") == [4])
  }

  @Test func aReadOnlyFolderIsSuspendedToo() throws {
    let reader = try DiskCache(
      directory: folder.path + "/own",
      options: DiskCacheOptions(readOnlyDirectories: [cache.directory])
    )
    #expect(try reader.body(for: "small") == [1, 2, 3])
    cache.suspend()
    reader.suspend()
    try findNoLock()
    #expect(try reader.body(for: "small") == nil)
    #expect(try !reader.contains("small"))
    try findNoLock()
    reader.resume()
    #expect(try reader.body(for: "small") == [1, 2, 3])
  }

  @Test func aTableOfBlobsClosesItsFile() throws {
    let path = folder.path + "/blobs.sqlite"
    let blobs = try BlobTable(path: path)
    try blobs.put([1, 2], for: "a")
    blobs.suspend()
    for file in [path, path + "-shared"] where Files.exists(file) {
      let end = try ChildProcess(["find-no-lock", file]).finish()
      #expect(end.code == 0, "\(end.output)")
    }
    #expect(throws: DiskCacheError.suspended(path: path)) { try blobs.get("a") }
    blobs.resume()
    #expect(try blobs.get("a") == [1, 2])
  }

  @Test func threadsThatReadAndStoreMeetAnyNumberOfSuspensions() throws {
    let (stop, wrong) = (Guarded(false), Guarded(0))
    let ended = DispatchGroup()
    for thread in 0..<3 {
      DispatchQueue.global().async(group: ended) { [cache] in
        var round = thread
        while !stop.withLock({ $0 }) {
          round += 1
          let key = "key-\(round % 20)"
          let body = TortureBody.make(key: key, seed: 1, count: round % 2 == 0 ? 300 : 30_000)
          if thread == 0 { try? cache.store(body, for: key) }
          do {
            if let entry = try cache.entry(for: key), !TortureBody.isRight(entry, for: key) {
              wrong.withLock { $0 += 1 }
            }
          } catch {
            wrong.withLock { $0 += 1 }
          }
        }
      }
    }
    for _ in 0..<Rounds.fewer(100, atLeast: 10, concurrent: true) {
      cache.suspend()
      try findNoLock()
      cache.resume()
      _ = try cache.body(for: "small")
    }
    stop.withLock { $0 = true }
    ended.wait()
    #expect(wrong.withLock { $0 } == 0)
    #expect(try cache.verify().dropped == 0)
  }
}
