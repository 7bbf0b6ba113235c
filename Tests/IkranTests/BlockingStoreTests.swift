import Dispatch
import Ikran
import IkranCaches
import Support
import Testing

/// Calls of stores from tasks.
@Suite("Stores and tasks", .timeLimit(.minutes(10)))
struct BlockingStoreTests {
  private let folder: TemporaryDirectory
  private let cache: DiskCache

  init() throws {
    folder = try TemporaryDirectory()
    cache = try DiskCache(directory: folder.path)
  }

  @Test func callsAreMadeOnAnotherThreadAndReturnWhatTheyFound() async throws {
    try await cache.concurrently { try $0.store([1, 2, 3], for: "a") }
    #expect(try await cache.concurrently { try $0.body(for: "a") } == [1, 2, 3])
    let chosen: any DataCaching = cache
    #expect(try await chosen.concurrently { try $0.contains("a") })
    let values = CodableCache<[Int]>(memory: nil, disk: cache)
    try await values.concurrently { try $0.store([4, 5], for: "values") }
    #expect(try await values.concurrently { try $0.value(for: "values") } == [4, 5])
  }

  @Test func whatACallThrowsIsThrown() async throws {
    await #expect(throws: DiskCacheError.self) {
      try await cache.concurrently { _ in throw DiskCacheError.keyLength(byteCount: 1) }
    }
  }

  @Test func aCancelledTaskMakesNoCallsThatHaveNotBegun() async throws {
    let (begun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let busy = (0..<4).map { _ in
      Task {
        try await cache.concurrently { _ in
          begun.signal()
          gate.wait()
        }
      }
    }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        for _ in 0..<4 { begun.wait() }
        continuation.resume()
      }
    }
    let store = Task { try await cache.concurrently { try $0.store([1], for: "a") } }
    store.cancel()
    await #expect(throws: CancellationError.self) { try await store.value }
    for _ in busy { gate.signal() }
    for task in busy { try await task.value }
    #expect(try !cache.contains("a"))
  }
}
