import CPeers
import Ikran

/// A styled image that is in memory, through the public synchronous call.
struct MemoryBenchmarks {
  private static let name = "memory.hit"

  /// Measures the time of a hit, the gain of a second thread, and the allocations of a hit.
  static func run(prefix: String, into report: inout Report) async throws {
    try MemoryCacheBenchmarks.run(prefix: prefix, into: &report)
    guard name.hasPrefix(prefix) || prefix.hasPrefix(name) else { return }
    let pipeline = ImagePipeline()
    let other = ImagePipeline()
    let requests = try await filled(pipeline)
    _ = try await filled(other)
    let measurements = try Harness.measure([
      Contender("one thread") { count in threads([pipeline], count, requests) },
      Contender("two threads") { count in threads([pipeline, pipeline], count, requests) },
      Contender("a pipeline each") { count in threads([pipeline, other], count, requests) },
    ])
    let (one, two, apart) = (measurements[0], measurements[1], measurements[2])
    report.add(name, [one], unit: "ns", scale: 1)
    // The gain of two threads that share nothing is the capacity of the machine at this moment.
    report.add(
      "\(name).2threads",
      value: 2 * one.median / two.median,
      unit: "× one thread",
      peer: apart.name,
      ratio: apart.median / two.median
    )
    report.add(
      "\(name).allocations",
      value: allocations(pipeline, requests[0]),
      unit: "allocations a hit"
    )
  }

  /// Loads eight small images for each thread and returns the requests that memory now answers.
  private static func filled(_ pipeline: ImagePipeline) async throws -> [[ImageRequest]] {
    let photo = try Photo.draw(PixelSize(width: 64, height: 64), seed: 1)
    var requests: [[ImageRequest]] = [[], []]
    for index in 0..<16 {
      let request = ImageRequest(
        data: try photo.encoded(as: .png),
        id: "https://example.org/avatars/\(index).png",
        style: .circle(48)
      )
      _ = try await pipeline.image(for: request)
      requests[index / 8].append(request)
    }
    return requests
  }

  /// Looks `count` images up on one thread for each pipeline; returns the nanoseconds that took.
  ///
  /// Each thread has its own images, as views on different threads have: the reference count of one
  /// image is one cache line, whatever the cache does.
  private static func threads(
    _ pipelines: [ImagePipeline],
    _ count: Int,
    _ requests: [[ImageRequest]]
  ) -> Double {
    let job = Job(pipelines, count, requests)
    let began = peers_nanoseconds()
    let ran = withExtendedLifetime(job) {
      peers_in_parallel(
        Int32(pipelines.count),
        { context, index in
          guard let context else { return }
          Unmanaged<Job>.fromOpaque(context).takeUnretainedValue().run(Int(index))
        },
        Unmanaged.passUnretained(job).toOpaque()
      )
    }
    return ran ? Double(peers_nanoseconds() - began) : .infinity
  }

  /// What each thread does.
  private final class Job: Sendable {
    private let pipelines: [ImagePipeline]
    private let count: Int
    private let requests: [[ImageRequest]]

    init(_ pipelines: [ImagePipeline], _ count: Int, _ requests: [[ImageRequest]]) {
      self.pipelines = pipelines
      self.count = count
      self.requests = requests
    }

    func run(_ thread: Int) { look(count, pipelines[thread], requests[thread]) }
  }

  @inline(never)
  private static func look(_ count: Int, _ pipeline: ImagePipeline, _ requests: [ImageRequest]) {
    var pixels = 0
    // Borrowed, not copied: a view already has its request.
    let ready = requests.span
    for index in 0..<count {
      pixels &+= pipeline.cached(for: ready[index & 7])?.width ?? 0
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
