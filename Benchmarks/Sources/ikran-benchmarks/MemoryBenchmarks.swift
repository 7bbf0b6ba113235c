import CPeers
import Dispatch
import Ikran

/// A styled image that is in memory, asked for through the public synchronous call.
struct MemoryBenchmarks {
  private static let name = "memory.hit"

  /// Measures the time of a hit, what a second thread adds, and what a hit allocates.
  static func run(prefix: String, into report: inout Report) async throws {
    guard name.hasPrefix(prefix) || prefix.hasPrefix(name) else { return }
    let pipeline = ImagePipeline()
    let requests = try await filled(pipeline)
    let measurements = try Harness.measure([
      Contender("one thread") { count in threads(1, count, pipeline, requests) },
      Contender("two threads") { count in threads(2, count, pipeline, requests) },
    ])
    let (one, two) = (measurements[0], measurements[1])
    report.add(name, [one], unit: "ns", scale: 1)
    report.add("\(name).2threads", value: 2 * one.median / two.median, unit: "× one thread")
    report.add(
      "\(name).allocations",
      value: allocations(pipeline, requests),
      unit: "allocations a hit"
    )
  }

  /// Loads sixteen small images and returns the requests that memory now answers.
  private static func filled(_ pipeline: ImagePipeline) async throws -> [ImageRequest] {
    let photo = try Photo.draw(PixelSize(width: 64, height: 64), seed: 1)
    let bytes = try photo.encoded(as: .png)
    var requests: [ImageRequest] = []
    for index in 0..<16 {
      let request = ImageRequest(
        data: bytes,
        id: "https://example.org/avatars/\(index).png",
        style: .circle(48)
      )
      _ = try await pipeline.image(for: request)
      requests.append(request)
    }
    return requests
  }

  /// Looks `count` images up on each of `number` threads; returns the nanoseconds that took.
  private static func threads(
    _ number: Int,
    _ count: Int,
    _ pipeline: ImagePipeline,
    _ requests: [ImageRequest]
  ) -> Double {
    let began = peers_nanoseconds()
    if number == 1 {
      look(count, pipeline, requests)
    } else {
      DispatchQueue.concurrentPerform(iterations: number) { _ in look(count, pipeline, requests) }
    }
    return Double(peers_nanoseconds() - began)
  }

  @inline(never)
  private static func look(_ count: Int, _ pipeline: ImagePipeline, _ requests: [ImageRequest]) {
    var pixels = 0
    for index in 0..<count {
      pixels &+= pipeline.cached(for: requests[index & 15])?.width ?? 0
    }
    withUnsafePointer(to: pixels) { peers_consume($0) }
  }

  private static func allocations(_ pipeline: ImagePipeline, _ requests: [ImageRequest]) -> Double {
    let count = 1_000
    look(count, pipeline, requests)
    let before = peers_allocations()
    look(count, pipeline, requests)
    return Double(peers_allocations() - before) / Double(count)
  }
}
