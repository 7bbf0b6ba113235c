import IkranSystem
import Synchronization

/// Counts of a service, as Prometheus reads them.
///
/// All but errors are counted by one or two atomic additions.
final class ServiceMetrics: Sendable {
  /// Where a result came from.
  enum Origin: Int, Sendable, CaseIterable {
    case memory, disk, shared, revalidated, made
  }

  /// Parts of a request.
  enum Span: Int, Sendable, CaseIterable {
    /// The wait for a thread that makes pictures.
    case queue
    /// Until the source is there, from its origin or from a cache.
    case download
    /// Decoding, drawing and encoding.
    case processing
    /// From the first byte of the response to its last.
    case streaming
    /// A look into the disk and the shared stores, and the wait for another process.
    case lookUp

    /// imgproxy's name, where it has one.
    var name: String {
      switch self {
      case .queue: "queue"
      case .download: "downloading_source_image"
      case .processing: "processing_image"
      case .streaming: "streaming_image"
      case .lookUp: "looking_up_result"
      }
    }
  }

  let prefix: String
  /// How many pictures are made at a time.
  let workers: Int
  let durations = Histogram()
  let spans = InlineArray<5, Histogram> { _ in Histogram() }
  private let requests = Atomic(0)
  private let open = Atomic(0)
  /// Pictures that are being made.
  private let images = Atomic(0)
  private let statuses = InlineArray<600, Atomic<Int>> { _ in Atomic(0) }
  private let origins = InlineArray<5, Atomic<Int>> { _ in Atomic(0) }
  private let errors = Guarded([String: Int]())
  let faults: CacheFaults

  /// Creates counts.
  ///
  /// - Parameters:
  ///   - namespace: Before the name of each; nil is nothing.
  ///   - workers: How many pictures are made at a time.
  ///   - faults: What the caches could not do.
  init(namespace: String?, workers: Int, faults: CacheFaults = CacheFaults()) {
    prefix = namespace.map { $0 + "_" } ?? ""
    (self.workers, self.faults) = (workers, faults)
  }

  /// A request has arrived.
  func begin() {
    requests.add(1, ordering: .relaxed)
    open.add(1, ordering: .relaxed)
  }

  /// A request has ended with a status; 0 for a client that left.
  func end(status: Int, after duration: Duration) {
    statuses[statuses.indices.contains(status) ? status : 0].add(1, ordering: .relaxed)
    durations.add(duration)
    // Who sees no open request sees all that was counted for it.
    open.subtract(1, ordering: .releasing)
  }

  /// How many requests have arrived.
  var requestCount: Int { requests.load(ordering: .relaxed) }

  /// How many pictures are being made.
  var imagesInProgress: Int { images.load(ordering: .relaxed) }

  /// How many requests are open.
  var inProgress: Int { open.load(ordering: .acquiring) }

  /// A result was found, or made.
  func count(_ origin: Origin) { origins[origin.rawValue].add(1, ordering: .relaxed) }

  /// A request gets no picture.
  func count(_ error: ServiceError) { errors.withLock { $0[error.kind, default: 0] += 1 } }

  /// A part of a request is over.
  func add(_ span: Span, since begin: ContinuousClock.Instant) {
    spans[span.rawValue].add(ContinuousClock.now - begin)
  }

  /// Runs the making of a picture that was asked for at a time.
  func image<Value>(askedFor time: ContinuousClock.Instant, _ make: () -> Value) -> Value {
    add(.queue, since: time)
    images.add(1, ordering: .relaxed)
    let begin = ContinuousClock.now
    defer {
      images.subtract(1, ordering: .relaxed)
      add(.processing, since: begin)
    }
    return make()
  }

  /// Those statuses that were sent, and how often.
  var sentStatuses: [(status: Int, count: Int)] {
    statuses.indices.map { ($0, statuses[$0].load(ordering: .relaxed)) }.filter { $0.1 > 0 }
  }

  /// Those kinds of errors that there were, and how often.
  var errorCounts: [(kind: String, count: Int)] {
    errors.withLock { $0 }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// How many results came from a place.
  func count(of origin: Origin) -> Int { origins[origin.rawValue].load(ordering: .relaxed) }
}
