import IkranStores
import Support
import Testing

@testable import Ikran

/// A disk on which each read waits for the latch, and is noted before.
private final class LatchedDisk: DataCaching {
  let latch = ThreadLatch()
  let reads = Recorder<String>()

  func entry(for key: String) throws -> DiskCacheEntry? {
    reads.add(key)
    latch.wait()
    return nil
  }

  func body(for key: String) throws -> [UInt8]? { try entry(for: key)?.body }
  func extended(for key: String) throws -> [UInt8]? { try entry(for: key)?.extended }
  func store(_ body: [UInt8], for key: String) throws {}
  func store(_ body: [UInt8], extended: [UInt8], for key: String) throws {}
  func extend(_ extended: [UInt8], for key: String) throws -> Bool { false }
  func remove(_ key: String) throws {}
  func removeAll() throws {}
}

@Suite(.timeLimit(.minutes(10)))
struct DiskPriorityTests {
  private let disk = LatchedDisk()
  private let pipeline: ImagePipeline

  init() throws {
    let transport = FakeTransport(body: try Square.png(50))
    pipeline = ImagePipeline(options: .steady, transport: transport, diskCache: disk)
  }

  private func request(_ name: String) -> ImageRequest {
    var request = ImageRequest(location: "http://a.test/\(name).png", style: .circle(8))
    request.priority = .low
    return request
  }

  private func key(_ name: String) -> String {
    "\(request(name).sourceKey(pipeline.context.options.keys))"
  }

  /// Starts reads, of which two run and the others wait in their order.
  private func start(_ names: [String]) async throws -> [ImageTask] {
    var tasks: [ImageTask] = []
    for (index, name) in names.enumerated() {
      tasks.append(pipeline.task(for: request(name)))
      if index < 2 { try await until { disk.reads.items.count == index + 1 } }
      if index >= 2 { try await until { pipeline.context.disk.waitingReads == index - 1 } }
    }
    return tasks
  }

  @Test func aReadThatWaitsFollowsARaisedPriority() async throws {
    let tasks = try await start(["a", "b", "c", "d", "e"])
    tasks[4].priority = .high
    disk.latch.open()
    for task in tasks { _ = try await task.response }
    // Two threads take the next two, and note them in either order.
    #expect(disk.reads.items[2..<4].contains(key("e")))
  }
}
